/** A kernel that runs: one that was started here, or one that was joined. */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CodeRequest, CodeResult } from '../core/code-runner.ts';
import type { AsyncDisposable } from '../core/disposable.ts';
import { type ExecutingKernel, Execution, type ExecutionLimits } from './execution.ts';
import type { KernelLink } from './link.ts';
import { deferred, settlesWithin, unlessAborted, WorkQueue } from './promises.ts';

/** What differs between a kernel of our own and somebody else's. */
export interface KernelHandle {
  readonly link: KernelLink;
  /** For the user's eyes: 'python3 of demo.ipynb'. */
  readonly label: string;
  readonly isOwn: boolean;
  /** Settles with the reason when the kernel has gone by itself. */
  readonly gone: Promise<string>;
  interrupt(): void;
  /** Ends our own kernel, takes leave of another one. Idempotent. */
  close(): Promise<void>;
}

/** What a kernel said before it died may still be on its way, ms. */
const LAST_WORDS_MS = 200;

const failure = (text: string): CodeResult => ({ ok: false, output: [{ kind: 'text', text }] });

export class RunningKernel implements AsyncDisposable {
  readonly #queue = new WorkQueue();
  readonly #ended = deferred<string>();
  /** Code that did not react to interrupts and keeps the kernel busy. */
  #stuck: Execution | undefined;
  #endReason: string | undefined;

  constructor(
    private readonly handle: KernelHandle,
    private readonly limits: ExecutionLimits,
  ) {
    void handle.gone.then(async (why) => {
      await delay(LAST_WORDS_MS);
      this.#end(why);
    });
  }

  get label(): string {
    return this.handle.label;
  }

  get isOwn(): boolean {
    return this.handle.isOwn;
  }

  /** Settles with a sentence for the user when the kernel is gone, for whatever reason. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** Runs code when its turn has come; the time limit begins then. */
  run({ code, signal }: CodeRequest): Promise<CodeResult> {
    return this.#queue.run(signal, () => this.#runNow(code, signal));
  }

  interrupt(): void {
    this.handle.interrupt();
  }

  /** @param reason a sentence that ends the calls that wait for this kernel */
  async stop(reason: string): Promise<void> {
    this.#end(reason);
    await this.handle.close();
  }

  dispose(): Promise<void> {
    return this.stop('The kernel was stopped.');
  }

  async #runNow(code: string, signal: AbortSignal): Promise<CodeResult> {
    if (this.#endReason !== undefined) {
      return failure(`${this.#endReason} This code was not run.`);
    }
    if (this.#stuck) {
      return failure(
        'The kernel is still busy with earlier code, which does not react to interrupts. The user can restart the kernel with :ClaudeKernelRestart.',
      );
    }
    const { link } = this.handle;
    // Code that waits in the kernel behind somebody else's cannot be taken back.
    const waiting = Promise.race([link.free(), this.ended]);
    const limit = this.limits.timeoutMs;
    const isFree = await unlessAborted(
      limit > 0 ? settlesWithin(waiting, limit) : waiting.then(() => true),
      signal,
    );
    if (this.#endReason !== undefined) return failure(`${this.#endReason} This code was not run.`);
    if (!isFree) {
      return failure(
        `The kernel has been busy with other code for ${limit / 1000} s (option kernel.timeout_ms). This code was not run.`,
      );
    }
    const executing: ExecutingKernel = {
      link,
      ended: this.ended,
      interrupt: () => this.handle.interrupt(),
    };
    const execution = new Execution(executing, code, this.limits);
    const result = await execution.result(signal);
    if (!execution.hasStopped) this.#waitFor(execution);
    return result;
  }

  #waitFor(execution: Execution): void {
    this.#stuck = execution;
    void execution.finished.then(() => {
      if (this.#stuck === execution) this.#stuck = undefined;
    });
  }

  #end(reason: string): void {
    if (this.#endReason !== undefined) return;
    this.#endReason = reason;
    this.#ended.resolve(reason);
    void this.handle.close().catch(() => {}); // what is left of it is ended by its guard
  }
}

export const kernelLabel = (name: string, notebookPath: string): string =>
  `${name} of ${path.basename(notebookPath)}`;
