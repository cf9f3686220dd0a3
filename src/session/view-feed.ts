/** Brings a session's changes to its view: in order, in small batches, each of them once. */
import type { Disposable } from '../core/disposable.ts';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { isToldOnce, OpQueue } from './op-queue.ts';
import type { SessionName, SessionView, ViewOp } from './ports.ts';

/** About 60 batches a second at most: more could not be seen. */
const INTERVAL_MS = 16;
/** Where more waits than a batch holds, the editor has this time for its user in between. */
const BREATH_MS = 4;
/** No batch is to take the editor longer than that; one that does is followed by smaller ones. */
const BATCH_MS = 3;
/** Of the most that a batch may hold. It grows while batches are quick, and more waits. */
const FIRST_SHARE = 1 / 8;
const LEAST_SHARE = 1 / 64;
const BUSY_RETRY_MS = 100;
/** A batch that the view cannot apply is followed by all of it anew, this often. */
const MAX_FAILURES = 3;

export interface ViewFeedOptions {
  readonly session: SessionName;
  readonly agent: string;
  readonly view: SessionView;
  readonly logger: Logger;
  /** All that a view must be told which has nothing. */
  snapshot(): readonly ViewOp[];
  now?(): number;
}

type Place = 'closed' | 'opening' | 'open';

export class ViewFeed implements Disposable {
  readonly #queue = new OpQueue();
  #place: Place = 'closed';
  #batch = 0;
  #failures = 0;
  #sentAt = 0;
  #share = FIRST_SHARE;
  /** More waited than the last batch could hold. */
  #isBehind = false;
  #disposed = false;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;

  constructor(private readonly options: ViewFeedOptions) {}

  /** Opens the view, or brings it to the front, and sends all of the session. */
  show(): void {
    this.#place = 'opening';
    this.#failures = 0;
    this.#run();
  }

  push(ops: readonly ViewOp[]): void {
    if (this.#disposed) return;
    // A closed view gets all of it when it opens.
    const closed = this.#place === 'closed';
    for (const op of ops) if (!closed || isToldOnce(op)) this.#queue.push(op);
    this.#run();
  }

  /** Resolves when the view has all that was pushed so far, or is closed. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  dispose(): void {
    this.#disposed = true;
    this.#queue.reset();
    clearTimeout(this.#timer);
    this.#wake?.();
  }

  #run(): void {
    if (this.#running || this.#disposed) return;
    this.#running = this.#work().finally(() => {
      this.#running = undefined;
      if (this.#hasWork()) this.#run();
    });
  }

  #hasWork(): boolean {
    if (this.#disposed) return false;
    return this.#place === 'opening' || (this.#place === 'open' && !this.#queue.isEmpty);
  }

  async #work(): Promise<void> {
    // Whatever comes in the same turn of the event loop goes out together.
    await this.#pause(this.#wait());
    while (this.#hasWork()) {
      if (this.#place === 'opening') await this.#open();
      const ops = this.#place === 'open' ? this.#queue.take(this.#share) : [];
      this.#isBehind = ops.length > 0 && !this.#queue.isEmpty;
      if (ops.length > 0) await this.#send(ops);
      await this.#pause(this.#wait());
    }
  }

  async #open(): Promise<void> {
    const { view, session, agent } = this.options;
    await this.#try(async () => {
      await view.open(session, agent);
      this.#batch = 0;
      this.#queue.reset();
      for (const op of this.options.snapshot()) this.#queue.push(op);
      if (this.#place === 'opening') this.#place = 'open';
    });
  }

  async #send(ops: readonly ViewOp[]): Promise<void> {
    this.#batch += 1;
    const batch = this.#batch;
    this.#sentAt = this.#now();
    const done = await this.#try(async () => {
      this.#adapt(await this.options.view.apply(this.options.session, batch, ops));
      this.#failures = 0;
    });
    if (!done) for (const op of ops) if (isToldOnce(op)) this.#queue.push(op);
  }

  /** @param ms what the batch cost the editor; undefined where it does not tell. */
  #adapt(ms: number | undefined): void {
    if (ms !== undefined && ms > BATCH_MS) {
      this.#share = Math.max(LEAST_SHARE, (this.#share * BATCH_MS) / ms);
    } else if (this.#isBehind && (ms === undefined || ms < BATCH_MS / 2)) {
      this.#share = Math.min(1, this.#share * 2);
    }
  }

  /** Repeats the step while the editor is busy; other failures end it. @returns whether it was done. */
  async #try(step: () => Promise<void>): Promise<boolean> {
    while (!this.#disposed) {
      try {
        await step();
        return true;
      } catch (error) {
        if (!isBusy(error)) {
          this.#fail(error);
          return false;
        }
        await this.#pause(BUSY_RETRY_MS);
      }
    }
    return false;
  }

  #fail(error: unknown): void {
    const code = error instanceof BridgeError ? error.code : undefined;
    this.#failures += 1;
    const gone = code === 'not-found' || code === 'editor-gone';
    // All of it again puts right what a failed batch left undone.
    this.#place = gone || this.#failures >= MAX_FAILURES ? 'closed' : 'opening';
    this.#queue.reset();
    const fields = { session: this.options.session, reason: messageOf(error) };
    if (gone) this.options.logger.debug('the view of a session is closed', fields);
    else this.options.logger.error('the view of a session failed', fields);
  }

  #wait(): number {
    if (this.#isBehind) return BREATH_MS;
    return Math.max(0, this.#sentAt + INTERVAL_MS - this.#now());
  }

  #now(): number {
    return this.options.now?.() ?? performance.now();
  }

  #pause(ms: number): Promise<void> {
    if (this.#disposed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#timer = setTimeout(resolve, ms);
    });
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof BridgeError && error.code === 'editor-busy';
}
