/** What a user sees: the grid of a Neovim with a user interface, kept from its redraw events. */
import type { NeovimClient } from 'neovim';
import { z } from 'zod';
import { waitFor } from './wait-for.ts';

/** A cell: its text, then its highlight and how often it comes, each where it is not as before. */
const Cell = z.tuple([z.string()]).rest(z.number());
const Line = z.tuple([z.number(), z.number(), z.number(), z.array(Cell)]).rest(z.unknown());
const Size = z.tuple([z.number(), z.number(), z.number()]);
const Scroll = z.tuple([
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
]);
const Event = z.tuple([z.string()]).rest(z.array(z.unknown()));

/** Without windows as grids of their own, all that is on the screen is on the one grid. */
export class Screen {
  #cells: string[][] = [];

  /** To be made before the user interface is attached, so that nothing is missed. */
  constructor(client: NeovimClient) {
    client.on('notification', (method: string, events: unknown[]) => {
      if (method === 'redraw') for (const event of events) this.#apply(Event.parse(event));
    });
  }

  get rows(): readonly string[] {
    return this.#cells.map((row) => row.join('').trimEnd());
  }

  get text(): string {
    return this.rows.join('\n');
  }

  /** Waits until all of it is on the screen at once; a failure prints the screen. */
  shows(...wanted: readonly (string | RegExp)[]): Promise<void> {
    return this.#until(() => {
      const absent = missing(this.text, wanted);
      return absent.length > 0 ? `not on the screen: ${absent.join(', ')}` : undefined;
    });
  }

  hides(unwanted: string): Promise<void> {
    return this.#until(() =>
      this.text.includes(unwanted) ? `still on the screen: ${unwanted}` : undefined,
    );
  }

  #until(problem: () => string | undefined): Promise<void> {
    return waitFor(
      () => {
        const found = problem();
        if (found !== undefined) throw new Error(`${found}\n${this.text}`);
      },
      { interval: 20 },
    );
  }

  #apply([name, ...calls]: z.output<typeof Event>): void {
    for (const call of calls) {
      switch (name) {
        case 'grid_resize': {
          const [, width, height] = Size.parse(call);
          this.#cells = Array.from({ length: height }, () => blanks(width));
          break;
        }
        case 'grid_clear':
          this.#cells = this.#cells.map((row) => blanks(row.length));
          break;
        case 'grid_line':
          this.#write(Line.parse(call));
          break;
        case 'grid_scroll':
          this.#scroll(Scroll.parse(call));
      }
    }
  }

  #write([, row, from, cells]: z.output<typeof Line>): void {
    let column = from;
    for (const [text, , repeat = 1] of cells) {
      for (let count = 0; count < repeat; count += 1) {
        const line = this.#cells[row];
        if (line) line[column] = text;
        column += 1;
      }
    }
  }

  #scroll([, top, bottom, left, right, by]: z.output<typeof Scroll>): void {
    const before = this.#cells.map((row) => [...row]);
    for (let row = top; row < bottom; row += 1) {
      const source = before[row + by];
      const target = this.#cells[row];
      if (!source || !target || row + by < top || row + by >= bottom) continue;
      target.splice(left, right - left, ...source.slice(left, right));
    }
  }
}

const blanks = (width: number): string[] => Array.from({ length: width }, () => ' ');

function missing(text: string, wanted: readonly (string | RegExp)[]): string[] {
  const found = (one: string | RegExp): boolean =>
    typeof one === 'string' ? text.includes(one) : one.test(text);
  return wanted.filter((one) => !found(one)).map(String);
}
