/**
 * Messages that wait to be sent. Whoever adds one is never held up. A hundred wait at most, but for
 * what the user said: that is never dropped, and a person cannot type so fast as to fill a memory.
 */
import type { EditorMessage, Worth } from './editor-messages.ts';

export const CAPACITY = 100;
export const BATCH = 50;

export interface Queued {
  readonly message: EditorMessage;
  /** Of two that may be dropped and have one key, the newer replaces the older. */
  readonly key: string;
  readonly text: string;
  readonly worth: Worth;
  /** Where it has gone: settled once, by whoever takes it out. */
  onSent(): void;
  onDropped(): void;
}

export type Enqueued = 'queued' | 'replaced' | 'dropped';

export class SendQueue {
  #items: Queued[] = [];

  get size(): number {
    return this.#items.length;
  }

  enqueue(item: Queued): Enqueued {
    if (item.worth === 'latest') {
      const older = this.#items.findIndex((waiting) => waiting.key === item.key);
      if (older >= 0) {
        this.#items.splice(older, 1)[0]?.onDropped();
        this.#items.push(item);
        return 'replaced';
      }
    }
    if (this.#items.length >= CAPACITY && !this.#makeRoom() && item.worth === 'latest') {
      item.onDropped();
      return 'dropped';
    }
    this.#items.push(item);
    return 'queued';
  }

  /** Takes out the next batch. */
  take(): readonly Queued[] {
    return this.#items.splice(0, BATCH);
  }

  /** Puts back what could not be sent, before all else; what may be dropped is. */
  putBack(items: readonly Queued[]): void {
    const kept = items.filter((item) => item.worth === 'never');
    for (const item of items) if (item.worth !== 'never') item.onDropped();
    this.#items.unshift(...kept);
  }

  has(message: EditorMessage): boolean {
    return this.#items.some((item) => item.message === message);
  }

  drop(matches: (message: EditorMessage) => boolean): void {
    const dropped = this.#items.filter(({ message }) => matches(message));
    this.#items = this.#items.filter((item) => !dropped.includes(item));
    for (const item of dropped) item.onDropped();
  }

  clear(): void {
    for (const item of this.#items.splice(0)) item.onDropped();
  }

  /** Drops the oldest message that may be dropped. */
  #makeRoom(): boolean {
    const at = this.#items.findIndex((waiting) => waiting.worth === 'latest');
    if (at < 0) return false;
    this.#items.splice(at, 1)[0]?.onDropped();
    return true;
  }
}
