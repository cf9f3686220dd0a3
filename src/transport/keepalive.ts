import type { Disposable } from '../core/disposable.ts';

export interface KeptAlive {
  checkAlive(): void;
  presumeAlive(): void;
}

/**
 * Finds dead peers: asks each member for a sign of life at each interval. No timer runs while
 * there is no member.
 */
export class Keepalive implements Disposable {
  readonly #intervalMs: number;
  readonly #members = new Set<KeptAlive>();
  #timer: NodeJS.Timeout | undefined;
  #lastCheck = 0;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  add(member: KeptAlive): void {
    this.#members.add(member);
    if (this.#timer) return;
    this.#lastCheck = performance.now();
    this.#timer = setInterval(() => this.#check(), this.#intervalMs).unref();
  }

  remove(member: KeptAlive): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.dispose();
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    const now = performance.now();
    // A process that was stopped runs its timers before it reads the answers that wait for it.
    const wasAsleep = now - this.#lastCheck > this.#intervalMs * 1.5;
    this.#lastCheck = now;
    for (const member of [...this.#members]) {
      if (wasAsleep) member.presumeAlive();
      member.checkAlive();
    }
  }
}
