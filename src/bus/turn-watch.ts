/**
 * Whether the agent is at work. The protocol has no word for the end of a turn, so a turn is over
 * when no tool runs and the agent has been quiet for a while.
 */
import type { Disposable } from '../core/disposable.ts';
import { RUNNING_LIMIT } from '../session/limits.ts';

export class TurnWatch implements Disposable {
  readonly #tools = new Set<string>();
  #running = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly quietMs: number,
    private readonly onChange: (running: boolean, reason?: 'cancelled') => void,
  ) {}

  /** The agent has said or done something, or was asked to. */
  active(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#running) {
      this.#running = true;
      this.onChange(true);
    }
    if (this.#tools.size === 0) this.#timer = setTimeout(() => this.end(), this.quietMs);
  }

  toolStarts(id: string): void {
    this.#tools.add(id);
    const [oldest] = this.#tools.size > RUNNING_LIMIT ? this.#tools : [];
    if (oldest !== undefined) this.#tools.delete(oldest);
    this.active();
  }

  toolEnds(id: string): void {
    this.#tools.delete(id);
    this.active();
  }

  end(reason?: 'cancelled'): void {
    if (!this.#running) return;
    this.reset();
    this.onChange(false, reason);
  }

  /** Forgets the turn without a word: the connection is gone. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running = false;
    this.#tools.clear();
  }

  dispose(): void {
    this.reset();
  }
}
