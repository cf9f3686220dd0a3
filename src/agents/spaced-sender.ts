import type { Disposable } from '../core/disposable.ts';

/** Sends items in order with a pause before each: clients lose what comes in one burst. */
export class SpacedSender<T> implements Disposable {
  readonly #gapMs: number;
  readonly #send: (item: T) => void;
  #waiting: T[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(gapMs: number, send: (item: T) => void) {
    this.#gapMs = gapMs;
    this.#send = send;
  }

  add(item: T): void {
    this.#waiting.push(item);
    this.#arm();
  }

  /** Stops, and returns what was not sent. */
  drain(): readonly T[] {
    this.dispose();
    return this.#waiting.splice(0);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const [item] = this.#waiting.splice(0, 1);
      if (this.#waiting.length > 0) this.#arm();
      if (item !== undefined) this.#send(item);
    }, this.#gapMs);
  }
}
