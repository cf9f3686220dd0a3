/**
 * HTTP to an agent that listens: one request that stays open brings its messages as server-sent
 * events, and each message to it is a POST to the same address.
 */
import { BridgeError, messageOf } from '../../core/errors.ts';
import { LineSplitter, MESSAGE_LIMIT } from '../../core/lines.ts';
import {
  type MessagePipe,
  type PipeEnd,
  PipeError,
  type PipeListener,
  type PipeOpener,
} from '../../core/pipe.ts';
import { isLoopback } from './hosts.ts';
import { isRefusal } from './ws-client.ts';

/** How long the agent has to answer a request; the events come in their own time. */
const ANSWER_MS = 10_000;
const NO_ANSWER = 'the agent does not answer';

export interface HttpClientOptions {
  readonly url: string;
  token?(): Promise<string>;
  onTooLong(): void;
}

export class HttpClient implements PipeOpener {
  readonly #url: URL;

  /** @throws BridgeError `refused` for plain http to another machine. */
  constructor(private readonly options: HttpClientOptions) {
    this.#url = new URL(options.url);
    const local = isLoopback(this.#url.hostname);
    if (!local && (this.#url.protocol !== 'https:' || !options.token)) {
      throw new BridgeError(
        'refused',
        `${this.target} is another machine: it needs https and the secret of the session.`,
      );
    }
  }

  get target(): string {
    return `${this.#url.protocol}//${this.#url.host}`;
  }

  async open(listener: PipeListener, signal: AbortSignal): Promise<MessagePipe> {
    const over = new AbortController();
    const stop = AbortSignal.any([signal, over.signal]);
    const body = await this.#events(stop);
    const end = (end: PipeEnd): void => {
      if (over.signal.aborted) return;
      over.abort();
      listener.onEnd(end);
    };
    void this.#read(body, listener, end);
    // One POST at a time keeps the order. After one that failed none may go, or it would be broken.
    let last: Promise<void> = Promise.resolve();
    return {
      send: (text) => {
        last = last
          .then(() => this.#post(text, over.signal))
          .catch((error: unknown) => {
            end(endOf(error));
            throw error;
          });
        last.catch(() => {});
        return last;
      },
      close: () => over.abort(),
      cut: () => over.abort(),
    };
  }

  async dispose(): Promise<void> {
    // Pipes are closed by those who opened them.
  }

  async #events(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const headers = { ...(await this.#authorization()), accept: 'text/event-stream' };
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(NO_ANSWER)), ANSWER_MS);
    const response = await fetch(this.#url, {
      headers,
      signal: AbortSignal.any([signal, late.signal]),
      redirect: 'manual',
    })
      .catch((error: unknown) => {
        throw new PipeError({ kind: 'lost', reason: reasonOf(error) }, { cause: error });
      })
      .finally(() => clearTimeout(timer));
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && response.body && type.startsWith('text/event-stream')) return response.body;
    await response.body?.cancel();
    if (!response.ok) throw answered(response);
    throw new PipeError({ kind: 'refused', reason: 'the agent sends no event stream' });
  }

  async #read(
    body: ReadableStream<Uint8Array>,
    listener: PipeListener,
    end: (end: PipeEnd) => void,
  ): Promise<void> {
    const events = new EventParser((data) => listener.onMessage(data), this.options.onTooLong);
    const decoder = new TextDecoder();
    let reason = 'the agent ended the event stream';
    try {
      for await (const bytes of body) events.push(decoder.decode(bytes, { stream: true }));
    } catch (error) {
      reason = reasonOf(error);
    }
    end({ kind: 'lost', reason });
  }

  async #post(text: string, over: AbortSignal): Promise<void> {
    const response = await fetch(this.#url, {
      method: 'POST',
      body: text,
      headers: { ...(await this.#authorization()), 'content-type': 'application/json' },
      signal: AbortSignal.any([over, AbortSignal.timeout(ANSWER_MS)]),
      redirect: 'manual',
    });
    await response.body?.cancel();
    if (!response.ok) throw answered(response);
  }

  async #authorization(): Promise<Record<string, string>> {
    const token = await this.options.token?.();
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }
}

/** Server-sent events, as far as messages need them: the data lines of each event, joined. */
class EventParser {
  readonly #lines: LineSplitter;
  #data: string[] = [];

  constructor(
    private readonly onData: (data: string) => void,
    onTooLong: () => void,
  ) {
    this.#lines = new LineSplitter((line) => this.#line(line), MESSAGE_LIMIT, onTooLong, {
      empty: true,
    });
  }

  push(text: string): void {
    this.#lines.push(text);
  }

  #line(line: string): void {
    if (line === '') {
      if (this.#data.length > 0) this.onData(this.#data.join('\n'));
      this.#data = [];
    } else if (line.startsWith('data:')) {
      this.#data.push(line.startsWith('data: ') ? line.slice(6) : line.slice(5));
    }
  }
}

function answered({ status }: Response): PipeError {
  const kind = isRefusal(status) ? 'refused' : 'lost';
  return new PipeError({ kind, reason: `the agent answered with HTTP ${status}` });
}

function endOf(error: unknown): PipeEnd {
  return error instanceof PipeError ? error.end : { kind: 'lost', reason: reasonOf(error) };
}

/** The cause of a failed fetch says more than the failure. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && cause.message !== '' ? cause.message : messageOf(error);
}
