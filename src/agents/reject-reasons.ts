/**
 * Why the user rejected edits, for clients whose answer to a review has no room for it: it becomes
 * the next prompt. A client takes that only after it has dealt with the rejection, of which its
 * call to close the review's tab is the sign. One reason for several edits is one prompt.
 */
import type { Disposable } from '../core/disposable.ts';
import type { ReviewOwner } from '../core/reviews.ts';

interface RejectedEdit {
  readonly owner: ReviewOwner;
  /** The agent's name for the review. */
  readonly key: string;
  readonly path: string;
  readonly reason: string;
}

export interface RejectReason {
  readonly owner: ReviewOwner;
  /** The files of the edits, each once, in the order in which they were rejected. */
  readonly paths: readonly string[];
  readonly reason: string;
}

interface Waiting {
  readonly paths: Set<string>;
  /** Of the edits whose tabs the client has not closed. */
  readonly keys: Set<string>;
  timer: NodeJS.Timeout | undefined;
}

/** A client that closes no tab has dealt with the rejection by then. */
const SIGN_LIMIT_MS = 2_000;
/** From the sign on until the client's prompt is back. */
const PROMPT_DELAY_MS = 300;

export class RejectReasons implements Disposable {
  readonly #waiting = new Map<ReviewOwner, Map<string, Waiting>>();

  constructor(private readonly deliver: (reason: RejectReason) => void) {}

  add({ owner, key, path, reason }: RejectedEdit): void {
    const reasons = this.#waiting.get(owner) ?? new Map<string, Waiting>();
    const waiting = reasons.get(reason) ?? { paths: new Set(), keys: new Set(), timer: undefined };
    waiting.paths.add(path);
    waiting.keys.add(key);
    this.#waiting.set(owner, reasons.set(reason, waiting));
    this.#schedule(owner, reason, SIGN_LIMIT_MS);
  }

  /** The client has closed the tab of a review. */
  closed(owner: ReviewOwner, key: string): void {
    for (const [reason, { keys }] of this.#waiting.get(owner) ?? []) {
      if (keys.delete(key) && keys.size === 0) this.#schedule(owner, reason, PROMPT_DELAY_MS);
    }
  }

  dispose(): void {
    for (const reasons of this.#waiting.values()) {
      for (const { timer } of reasons.values()) clearTimeout(timer);
    }
    this.#waiting.clear();
  }

  #schedule(owner: ReviewOwner, reason: string, delayMs: number): void {
    const reasons = this.#waiting.get(owner);
    const waiting = reasons?.get(reason);
    if (!reasons || !waiting) return;
    clearTimeout(waiting.timer);
    waiting.timer = setTimeout(() => {
      reasons.delete(reason);
      if (reasons.size === 0) this.#waiting.delete(owner);
      this.deliver({ owner, paths: [...waiting.paths], reason });
    }, delayMs);
  }
}
