/** One run of code on a kernel: its output, and how it ended. */
import type { CodeResult } from '../core/code-runner.ts';
import type { KernelLink, KernelRequest } from './link.ts';
import { ExecuteReply } from './messages.ts';
import { OutputCollector, type OutputLimits } from './output.ts';
import { deferred, settlesWithin } from './promises.ts';
import type { Incoming } from './wire.ts';

export interface ExecutionLimits extends OutputLimits {
  /** After which the code is interrupted, ms; 0 for never. */
  readonly timeoutMs: number;
}

/** The kernel as one run of code sees it. */
export interface ExecutingKernel {
  readonly link: Pick<KernelLink, 'request'>;
  /** Settles with a sentence for the user when the kernel is gone. */
  readonly ended: Promise<string>;
  interrupt(): void;
}

type Ending =
  | { readonly kind: 'replied'; readonly status: string; readonly error?: string | undefined }
  | { readonly kind: 'time-limit' | 'cancelled' | 'input' }
  | { readonly kind: 'ended'; readonly why: string };

/** An interrupt that hits between two steps of the kernel is lost, so it is sent again, ms. */
const INTERRUPT_EVERY_MS = 500;
const INTERRUPT_TRIES = 10;
/** How soon code that was sent to a free kernel runs at the latest, ms. */
const START_MS = 1_000;
/** After the reply, how long the end of the output may need, ms. */
const OUTPUT_END_MS = 3_000;

const NO_INPUT =
  'The code asked for input, and nobody is there to type it: put the value into the code instead of calling input().';

export class Execution {
  readonly #output: OutputCollector;
  readonly #ending = deferred<Ending>();
  readonly #finished: Promise<void>;
  readonly #request: KernelRequest;
  readonly #started = deferred();
  #hasStarted = false;
  #reacted = true;

  /** Sends the code. */
  constructor(
    private readonly kernel: ExecutingKernel,
    code: string,
    private readonly limits: ExecutionLimits,
  ) {
    this.#output = new OutputCollector(limits);
    const content = {
      code,
      silent: false,
      // The user finds in the kernel's history what an agent has run there.
      store_history: true,
      user_expressions: {},
      allow_stdin: false,
      // True would make the kernel drop what other front ends have waiting there.
      stop_on_error: false,
    };
    this.#request = kernel.link.request('shell', 'execute_request', content, (channel, message) =>
      this.#hear(channel, message),
    );
    this.#finished = this.#request.reply.then(async (reply) => {
      await settlesWithin(this.#request.idle, OUTPUT_END_MS);
      const parsed = ExecuteReply.safeParse(reply.content);
      if (!parsed.success) return this.#ending.resolve({ kind: 'replied', status: 'error' });
      const { status, ename, evalue } = parsed.data;
      const error = ename && (evalue === '' ? ename : `${ename}: ${evalue}`);
      this.#ending.resolve({ kind: 'replied', status, error });
    });
  }

  /** False where the code still runs after result() has settled: it did not react to interrupts. */
  get hasStopped(): boolean {
    return this.#reacted;
  }

  /** Settles when the kernel has worked off the code, however late. */
  get finished(): Promise<void> {
    return this.#finished;
  }

  /** Settles when the code has ended, was stopped, or cannot be stopped. */
  async result(signal: AbortSignal): Promise<CodeResult> {
    const ending = await this.#end(signal);
    const isStopped = ['time-limit', 'cancelled', 'input'].includes(ending.kind);
    if (isStopped) this.#reacted = await this.#interrupt();
    if (this.#reacted) this.#request.dispose();
    const note = this.#noteOn(ending);
    if (note !== undefined) this.#output.note(note);
    const output = this.#output.outputs();
    const ok = ending.kind === 'replied' && ending.status === 'ok' && !this.#output.failure;
    return {
      ok,
      output: output.length > 0 ? output : [{ kind: 'text', text: '(no output)' }],
    };
  }

  async #end(signal: AbortSignal): Promise<Ending> {
    const stop = (): void => this.#ending.resolve({ kind: 'cancelled' });
    const { timeoutMs } = this.limits;
    const timer =
      timeoutMs > 0
        ? setTimeout(() => this.#ending.resolve({ kind: 'time-limit' }), timeoutMs)
        : undefined;
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    const ended = this.kernel.ended.then((why): Ending => ({ kind: 'ended', why }));
    try {
      return await Promise.race([this.#ending.promise, ended]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  /** True where the code has stopped. */
  async #interrupt(): Promise<boolean> {
    const over = Promise.race([this.#finished, this.kernel.ended]);
    // Never what runs before it: that may be the user's own code, from another front end.
    await settlesWithin(Promise.race([this.#started.promise, over]), START_MS);
    if (!this.#hasStarted) return false;
    for (let tries = 0; tries < INTERRUPT_TRIES; tries += 1) {
      this.kernel.interrupt();
      if (await settlesWithin(over, INTERRUPT_EVERY_MS)) return true;
    }
    return false;
  }

  #hear(channel: string, message: Incoming): void {
    if (channel === 'stdin' && message.type === 'input_request') {
      this.#ending.resolve({ kind: 'input' });
    }
    if (channel !== 'iopub') return;
    this.#hasStarted = true;
    this.#started.resolve();
    this.#output.handle(message);
  }

  #noteOn(ending: Ending): string | undefined {
    switch (ending.kind) {
      case 'ended':
        return ending.why;
      case 'input':
        return NO_INPUT;
      case 'time-limit':
      case 'cancelled':
        return this.#noteOnStop(ending.kind);
      case 'replied':
        return this.#noteOnReply(ending);
    }
  }

  #noteOnStop(kind: 'time-limit' | 'cancelled'): string {
    const why =
      kind === 'cancelled'
        ? 'The call was cancelled'
        : `The code ran longer than ${this.limits.timeoutMs / 1000} s (option kernel.timeout_ms)`;
    if (!this.#hasStarted) {
      return `${why}. The kernel is busy with other code; this code waits there and may run later.`;
    }
    return this.#reacted
      ? `${why} and was interrupted.`
      : `${why} and does not react to an interrupt. The user can restart the kernel with :ClaudeKernelRestart.`;
  }

  #noteOnReply({ status, error }: Extract<Ending, { kind: 'replied' }>): string | undefined {
    if (this.#output.failure === 'StdinNotImplementedError') return NO_INPUT;
    if (status === 'ok' || this.#output.failure) return undefined;
    return status === 'aborted'
      ? 'The kernel left the code out, because other code failed just before it. Run it again.'
      : (error ?? 'The kernel reported an error without saying which.');
  }
}
