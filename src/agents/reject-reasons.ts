/**
 * Why the user rejected an edit, for clients whose answer to a review has no room for it: it becomes
 * the next prompt. A client takes that only after it has dealt with the rejection, of which its
 * call to close the review's tab is the sign.
 */
import type { Disposable } from '../core/disposable.ts';
import type { ReviewOwner } from '../core/reviews.ts';

export interface RejectReason {
  readonly owner: ReviewOwner;
  /** The agent's name for the review. */
  readonly key: string;
  readonly path: string;
  readonly reason: string;
}

/** A client that closes no tab has dealt with the rejection by then. */
const SIGN_LIMIT_MS = 2_000;
/** From the sign on until the client's prompt is back. */
const PROMPT_DELAY_MS = 300;

export class RejectReasons implements Disposable {
  readonly #waiting = new Map<string, { reason: RejectReason; timer: NodeJS.Timeout }>();

  constructor(private readonly deliver: (reason: RejectReason) => void) {}

  add(reason: RejectReason): void {
    this.#schedule(reason, SIGN_LIMIT_MS);
  }

  /** The client has closed the tab of a review. */
  closed(owner: ReviewOwner, key: string): void {
    const waiting = this.#waiting.get(keyOf({ owner, key }));
    if (waiting) this.#schedule(waiting.reason, PROMPT_DELAY_MS);
  }

  dispose(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  #schedule(reason: RejectReason, delayMs: number): void {
    const key = keyOf(reason);
    clearTimeout(this.#waiting.get(key)?.timer);
    const timer = setTimeout(() => {
      this.#waiting.delete(key);
      this.deliver(reason);
    }, delayMs);
    this.#waiting.set(key, { reason, timer });
  }
}

const keyOf = ({ owner, key }: Pick<RejectReason, 'owner' | 'key'>): string => `${owner}\0${key}`;
