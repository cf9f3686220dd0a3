/** What the user typed, on its way to the agent: in order, one at a time, none lost unseen. */

export interface Outgoing {
  readonly text: string;
  /** Hands it over; resolves when it cannot be lost any more. */
  send(): Promise<void>;
  onSent(): void;
  /** It will not be sent: the text goes back to the user. */
  onFailed(error: unknown): void;
}

export class Outbox {
  readonly #waiting: Outgoing[] = [];
  #running = false;

  constructor(private readonly onCount: (waiting: number) => void) {}

  add(outgoing: Outgoing): void {
    this.#waiting.push(outgoing);
    this.onCount(this.#waiting.length);
    void this.#drain();
  }

  /** Gives everything back that was not handed over; each goes before the one that came later. */
  giveBack(error: unknown): void {
    for (const outgoing of this.#waiting.splice(0).reverse()) outgoing.onFailed(error);
    this.onCount(0);
  }

  async #drain(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const outgoing = next;
      const failed = await outgoing.send().then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      // Given back meanwhile.
      if (this.#waiting[0] !== outgoing) continue;
      // What was said after it may build on it.
      if (failed) this.giveBack(failed.error);
      else {
        this.#waiting.shift();
        outgoing.onSent();
        this.onCount(this.#waiting.length);
      }
    }
    this.#running = false;
  }
}
