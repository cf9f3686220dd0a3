/** Keeps what an agent causes in the editor to what a person can follow. */
import type { Disposable } from '../core/disposable.ts';

/** So many at once, and then no more before the time is over. */
const BURST = 5;
const WINDOW_MS = 5_000;

/** Messages outside of the conversation, where all of them are. */
export class Burst {
  #times: number[] = [];

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @returns whether there is room for one more. */
  take(): boolean {
    const now = this.now();
    this.#times = this.#times.filter((time) => now - time < WINDOW_MS);
    if (this.#times.length >= BURST) return false;
    this.#times.push(now);
    return true;
  }
}

/** Runs a step for all that was asked for since the last one: one at a time, each thing once. */
export class Gathered<T> implements Disposable {
  readonly #waiting = new Set<T>();
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  #disposed = false;

  constructor(
    private readonly options: {
      /** How long to gather, ms. */
      readonly waitMs: number;
      /** The most that one step is given. */
      readonly most: number;
      run(all: readonly T[]): Promise<void>;
    },
  ) {}

  add(things: readonly T[]): void {
    for (const thing of things) this.#waiting.add(thing);
    this.#arm();
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
  }

  #arm(): void {
    if (this.#disposed || this.#running || this.#timer || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => void this.#work(), this.options.waitMs);
  }

  async #work(): Promise<void> {
    this.#timer = undefined;
    this.#running = true;
    const all = [...this.#waiting].slice(0, this.options.most);
    for (const thing of all) this.#waiting.delete(thing);
    await this.options.run(all);
    this.#running = false;
    this.#arm();
  }
}
