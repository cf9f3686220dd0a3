import { isDeepStrictEqual } from 'node:util';
import type { RpcId } from './rpc-error.ts';

export interface OpenCall {
  readonly id: RpcId;
  readonly params: unknown;
  readonly signal: AbortSignal;
}

interface Entry extends OpenCall {
  readonly controller: AbortController;
  taken: boolean;
}

/** The tool calls of one session that have no answer yet. */
export class OpenCalls {
  readonly #byId = new Map<RpcId, Entry[]>();
  #size = 0;
  #idle: (() => void)[] = [];

  get size(): number {
    return this.#size;
  }

  /** Registers a call when it arrives, so that a cancellation that follows at once finds it. */
  open(id: RpcId, params: unknown): void {
    const controller = new AbortController();
    const entry: Entry = { id, params, controller, signal: controller.signal, taken: false };
    const same = this.#byId.get(id);
    if (same) same.push(entry);
    else this.#byId.set(id, [entry]);
    this.#size += 1;
  }

  /** The same request sent again, as some clients do after a wait: one call, with one answer. */
  isRepeat(id: RpcId, params: unknown): boolean {
    return (this.#byId.get(id) ?? []).some((call) => isDeepStrictEqual(call.params, params));
  }

  /** The oldest call of this id that nobody works on yet. */
  take(id: RpcId): OpenCall | undefined {
    const entry = this.#byId.get(id)?.find((call) => !call.taken);
    if (entry) entry.taken = true;
    return entry;
  }

  answered(id: RpcId): void {
    const same = this.#byId.get(id);
    if (!same) return;
    same.shift();
    if (same.length === 0) this.#byId.delete(id);
    this.#size -= 1;
    if (this.#size === 0) for (const wake of this.#idle.splice(0)) wake();
  }

  cancel(id: RpcId): void {
    for (const call of this.#byId.get(id) ?? []) call.controller.abort();
  }

  abortAll(): void {
    for (const id of [...this.#byId.keys()]) this.cancel(id);
  }

  /** Resolves when each call has been answered, or after the limit. */
  idle(limitMs: number): Promise<void> {
    if (this.#size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#idle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
