/** Waiting: for somebody else's word, for a while, or until the caller gives up. */
import { BridgeError } from '../core/errors.ts';

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

export function deferred<T = void>(): Deferred<T> {
  let settle: ((value: T) => void) | undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle?.(value) };
}

/** True where the promise settles in time. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

const cancelled = (): BridgeError =>
  new BridgeError('cancelled', 'The call was cancelled; the code was stopped.');

/** Fails with `cancelled` as soon as the signal says so; what was promised goes on by itself. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(cancelled());
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}

/** One piece of work after the other, in the order in which they came. */
export class WorkQueue {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Fails with `cancelled` at once; work that has not begun is left out then, and work that has
   * keeps its turn until it has settled.
   */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      if (signal.aborted) throw cancelled();
      return work();
    });
    this.#last = turn.catch(() => {}); // its caller is told
    return unlessAborted(turn, signal);
  }
}
