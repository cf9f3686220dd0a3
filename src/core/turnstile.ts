/** Lets so many through at a time; the others wait in the order in which they came. */
export class Turnstile {
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(private readonly most: number) {}

  /** Runs the step, at once where there is room. */
  async run<T>(step: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.most) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#inside += 1;
    try {
      return await step();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#inside -= 1;
    }
  }
}
