/** The end of what a program has written to its log: the reason of its failure, for a person. */
import { stripVTControlCharacters } from 'node:util';

const LINES = 12;
/** Of one line, UTF-16 code units. */
const LINE_LIMIT = 2_000;

export class LastWords {
  #lines: string[] = [];

  /** @returns the line as it is kept. */
  hear(line: string): string {
    const plain = stripVTControlCharacters(line.slice(0, LINE_LIMIT)).trimEnd();
    if (plain.trim() !== '') this.#lines = [...this.#lines, plain].slice(-LINES);
    return plain;
  }

  /** One line goes on with the reason, several stand below it. */
  after(reason: string): string {
    if (this.#lines.length === 0) return reason;
    const below = this.#lines.length > 1;
    return `${reason}:${below ? '\n' : ' '}${this.#lines.join('\n')}`;
  }
}
