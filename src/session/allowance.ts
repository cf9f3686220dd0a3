/** So much at once, and then so much in a time: what a person can follow. */

export interface AllowanceOptions {
  /** At once. */
  readonly most: number;
  /** One more after each such time, ms. */
  readonly everyMs: number;
  now?(): number;
}

/** `over-now` is the first past the allowance since it was last unused. */
export type Allowed = 'within' | 'over-now' | 'over';

export class Allowance {
  #used = 0;
  #at = 0;
  #isOver = false;

  constructor(private readonly options: AllowanceOptions) {}

  take(): Allowed {
    const { most, everyMs } = this.options;
    const now = this.options.now?.() ?? performance.now();
    this.#used = Math.max(0, this.#used - (now - this.#at) / everyMs);
    this.#at = now;
    if (this.#used === 0) this.#isOver = false;
    if (this.#used + 1 <= most) {
      this.#used += 1;
      return 'within';
    }
    const isFirst = !this.#isOver;
    this.#isOver = true;
    return isFirst ? 'over-now' : 'over';
  }
}
