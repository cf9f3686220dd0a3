import { isDeepStrictEqual } from 'node:util';
import type { Selection } from '../core/ports.ts';

export interface SelectionFeedOptions {
  current(): Selection | undefined;
  /** Whether the client still reads what it was sent before. */
  isDrained(): boolean;
  send(selection: Selection | undefined): void;
}

/**
 * Keeps one client's idea of the selection true. It holds no queue: a client that is slow misses
 * states and gets the newest one when it can take it.
 */
export class SelectionFeed {
  readonly #options: SelectionFeedOptions;
  #isOpen = false;
  #told: Selection | undefined;

  constructor(options: SelectionFeedOptions) {
    this.#options = options;
  }

  /** The client can hear from now on. */
  open(): void {
    this.#isOpen = true;
    this.update();
  }

  /** Sends the present selection whatever the client was told: it may have lost that. */
  repeat(): void {
    if (this.#told === undefined || !this.#options.isDrained()) return;
    this.#told = this.#options.current();
    this.#options.send(this.#told);
  }

  /** Sends the present selection if the client knows another one. */
  update(): void {
    if (!this.#isOpen || !this.#options.isDrained()) return;
    const current = this.#options.current();
    if (current === this.#told || isDeepStrictEqual(current, this.#told)) return;
    this.#told = current;
    this.#options.send(current);
  }
}
