/** The line to sid-code, which calls this editor, and again by itself when its line breaks. */
import type { AsyncDisposable } from '../core/disposable.ts';
import { messageOf } from '../core/errors.ts';
import type { PipeOpener } from '../core/pipe.ts';
import type { Outbound } from './outbound.ts';

/** So many pings without any frame, and the line is taken as lost. */
const SILENT_PINGS = 2;

export interface LineOptions {
  readonly address: PipeOpener;
  readonly outbound: Outbound;
  readonly pingMs: number;
  onFrame(text: string): void;
  /** It has called; nothing was heard yet. */
  onCall(): void;
  /** @param isSilent whether it was cut because nothing came any more. */
  onLost(reason: string, isSilent: boolean): void;
  onFailed(reason: string): void;
}

type End = { readonly reason: string; readonly isSilent: boolean };

export class Line implements AsyncDisposable {
  readonly #over = new AbortController();
  #serving: Promise<void> | undefined;
  #silent = 0;

  constructor(private readonly options: LineOptions) {}

  /** Takes calls, as often as they come. */
  serve(): void {
    this.#serving ??= this.#serve().finally(() => {
      this.#serving = undefined;
    });
  }

  async dispose(): Promise<void> {
    this.#over.abort();
    await this.options.address.dispose();
    await this.#serving;
  }

  async #serve(): Promise<void> {
    const { onLost, onFailed } = this.options;
    while (!this.#over.signal.aborted) {
      try {
        const { reason, isSilent } = await this.#serveOnce();
        if (!this.#over.signal.aborted) onLost(reason, isSilent);
      } catch (error) {
        if (!this.#over.signal.aborted) onFailed(messageOf(error));
        return;
      }
    }
  }

  async #serveOnce(): Promise<End> {
    const { address, outbound, onFrame, onCall } = this.options;
    let end = (_: End): void => {};
    const ended = new Promise<End>((resolve) => {
      end = resolve;
    });
    const closed = (): void => end({ reason: 'the session was closed', isSilent: false });
    this.#over.signal.addEventListener('abort', closed, { once: true });
    const pipe = await address.open(
      {
        onMessage: (text) => {
          this.#silent = 0;
          onFrame(text);
        },
        onEnd: ({ reason }) => end({ reason, isSilent: false }),
      },
      this.#over.signal,
    );
    onCall();
    outbound.use(pipe);
    const timer = this.#watch(end);
    const over = await ended;
    clearInterval(timer);
    outbound.use(undefined);
    // It does not come again after a good end.
    if (this.#over.signal.aborted) pipe.close();
    else pipe.cut();
    this.#over.signal.removeEventListener('abort', closed);
    return over;
  }

  #watch(end: (end: End) => void): NodeJS.Timeout {
    const { outbound, pingMs } = this.options;
    this.#silent = 0;
    // Whatever it says shows that it is there, and it may have nothing to say.
    outbound.ping();
    return setInterval(() => {
      this.#silent += 1;
      if (this.#silent <= SILENT_PINGS) outbound.ping();
      else end({ reason: 'sid-code has not answered for a while', isSilent: true });
    }, pingMs);
  }
}
