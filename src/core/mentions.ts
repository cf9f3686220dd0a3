/** Files that the user named to his agents, kept while no agent can hear. */
import type { Disposable } from './disposable.ts';
import { Emitter } from './emitter.ts';
import type { AbsolutePath } from './ports.ts';
import type { LineRange } from './positions.ts';

export interface Mention {
  readonly path: AbsolutePath;
  readonly lines?: LineRange | undefined;
}

/** More than a person names before starting an agent; the oldest go first. */
const MAX_WAITING = 100;

export class MentionQueue {
  readonly #mentions = new Emitter<Mention>();
  readonly #waiting: Mention[] = [];
  #listeners = 0;

  /** @param onWaiting hears what waits, each time that changes */
  constructor(private readonly onWaiting: (waiting: readonly Mention[]) => void = () => {}) {}

  /** How many are kept for an agent to come. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Tells all attached agents, or keeps the mention for the first that attaches. */
  add(mention: Mention): void {
    if (this.#listeners > 0) {
      this.#mentions.emit(mention);
      return;
    }
    this.#waiting.push(mention);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    this.onWaiting([...this.#waiting]);
  }

  /** Attaches an agent that can hear from now on; it is told at once what was kept, in order. */
  attach(listener: (mention: Mention) => void): Disposable {
    const attached = this.#mentions.on(listener);
    this.#listeners += 1;
    const kept = this.#waiting.splice(0);
    for (const mention of kept) this.#mentions.emit(mention);
    if (kept.length > 0) this.onWaiting([]);
    let isAttached = true;
    return {
      dispose: () => {
        if (!isAttached) return;
        isAttached = false;
        this.#listeners -= 1;
        attached.dispose();
      },
    };
  }
}
