/** Keeps a line to an agent: connects, shakes hands, pings, sends, and comes back after a loss. */
import { randomUUID } from 'node:crypto';
import type { AsyncDisposable } from '../core/disposable.ts';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { type MessagePipe, type PipeEnd, PipeError, type PipeOpener } from '../core/pipe.ts';
import type { LinkState } from '../session/model.ts';
import { backoff } from './backoff.ts';
import { type EditorMessage, worthOf } from './editor-messages.ts';
import { decode, type Envelope, encode } from './envelope.ts';
import { SendQueue } from './send-queue.ts';
import { StateMachine } from './state-machine.ts';

export interface Timing {
  readonly pingMs: number;
  /** The protocol has no word of greeting: an agent that is silent this long is taken as ready. */
  readonly handshakeMs: number;
  /** A line that held this long was good, and the next loss is a first one again. */
  readonly stableMs: number;
  random(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const TIMING: Timing = {
  pingMs: 30_000,
  handshakeMs: 2_000,
  stableMs: 10_000,
  random: Math.random,
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const timer = setTimeout(resolve, ms);
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    }),
};

/** So many pings without any message, and the line is taken as lost. */
const SILENT_PINGS = 2;

export interface ConnectionOptions {
  readonly opener: PipeOpener;
  readonly logger: Logger;
  readonly timing?: Timing;
  /** Logs the type and size of each message. */
  readonly debug: boolean;
  onMessage(message: Envelope): void;
  onState(state: LinkState, detail?: string): void;
}

export class BusConnection implements AsyncDisposable {
  readonly #queue = new SendQueue();
  readonly #states: StateMachine;
  readonly #over = new AbortController();
  #retry = new AbortController();
  #running: Promise<void> | undefined;
  #ready: { promise: Promise<void>; resolve(): void; reject(error: Error): void } | undefined;
  #pipe: MessagePipe | undefined;
  /** Ends the connection that is under way or stands. */
  #end: ((end: PipeEnd) => void) | undefined;
  #flushing = false;
  #silent = 0;

  constructor(private readonly options: ConnectionOptions) {
    this.#states = new StateMachine((state, detail) => options.onState(state, detail));
  }

  get state(): LinkState {
    return this.#states.state;
  }

  /** Connects, at once where it waits to do so. Rejects where the agent refuses. */
  start(): Promise<void> {
    if (this.#over.signal.aborted) {
      return Promise.reject(new BridgeError('cancelled', 'the session is closed'));
    }
    this.#retry.abort();
    if (!this.#ready) this.#ready = deferred();
    const { promise } = this.#ready;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      this.#ready = undefined;
    });
    return promise;
  }

  /** Never blocks. Resolves when the message has left, rejects where it was dropped. */
  send(message: EditorMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const envelope = { ...message, id: randomUUID(), timestamp: Date.now() };
      this.#queue.enqueue({
        type: message.type,
        text: encode(envelope),
        worth: worthOf(message.type),
        key: keyOf(message),
        onSent: resolve,
        onDropped: () => reject(new BridgeError('cancelled', `${message.type} was not sent`)),
      });
      this.#flush();
    });
  }

  /** The user's wish; the agent is told by the link. */
  pause(paused: boolean): boolean {
    return this.#states.to(paused ? 'paused' : 'connected');
  }

  async dispose(): Promise<void> {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#retry.abort();
    this.#end?.({ kind: 'closed', reason: 'the session was closed' });
    await this.#running;
    await this.options.opener.dispose();
    this.#queue.clear();
    this.#states.to('disconnected');
  }

  async #run(): Promise<void> {
    let attempt = 0;
    while (!this.#over.signal.aborted) {
      const since = performance.now();
      const end = await this.#connectOnce();
      if (this.#over.signal.aborted || end.kind !== 'lost') {
        this.#giveUp(end);
        return;
      }
      const { stableMs, random, wait } = this.#timing;
      if (performance.now() - since > stableMs) attempt = 0;
      const ms = backoff(attempt, random);
      attempt += 1;
      const again = `${end.reason}; trying again in ${Math.round(ms / 1000)} s`;
      const down = isUp(this.#states.state) ? 'disconnected' : 'failed';
      this.#states.to(down, again);
      this.#retry = new AbortController();
      await wait(ms, AbortSignal.any([this.#retry.signal, this.#over.signal]));
    }
    this.#giveUp({ kind: 'closed', reason: 'the session was closed' });
  }

  /** One connection from its beginning to its end. */
  async #connectOnce(): Promise<PipeEnd> {
    const { opener } = this.options;
    this.#states.to('connecting', opener.target);
    const ended = deferredEnd();
    this.#end = ended.resolve;
    const hands = new Handshake(ended.resolve);
    try {
      const listener = {
        onMessage: (text: string) => this.#receive(text, hands),
        onEnd: (end: PipeEnd) => ended.resolve(end),
      };
      this.#pipe = await opener.open(listener, this.#over.signal);
    } catch (error) {
      if (error instanceof PipeError) return error.end;
      const kind = error instanceof BridgeError ? 'refused' : 'lost';
      return { kind, reason: messageOf(error) };
    }
    this.#states.to('handshaking');
    const pipe = this.#pipe;
    this.#post({ type: 'ping' });
    await Promise.race([hands.shaken, this.#silence(), ended.promise]);
    const timer = hands.failed || ended.done() ? undefined : this.#connected();
    const end = await ended.promise;
    clearInterval(timer);
    this.#pipe = undefined;
    pipe.close();
    return end;
  }

  #connected(): NodeJS.Timeout {
    this.#states.to('connected', this.options.opener.target);
    this.#ready?.resolve();
    this.#silent = 0;
    this.#flush();
    return setInterval(() => this.#ping(), this.#timing.pingMs);
  }

  #ping(): void {
    this.#silent += 1;
    if (this.#silent > SILENT_PINGS) {
      this.#end?.({ kind: 'lost', reason: 'the agent has not answered for a while' });
      return;
    }
    this.#post({ type: 'ping' });
  }

  #receive(text: string, hands: Handshake): void {
    this.#silent = 0;
    const decoded = decode(text);
    if (!decoded.ok) {
      this.options.logger.warn('a message is not understood', {
        reason: decoded.problem,
        size: text.length,
      });
      hands.broken(decoded.problem);
      return;
    }
    hands.done();
    for (const message of decoded.messages) this.#deliver(message, text.length);
  }

  #deliver(message: Envelope, size: number): void {
    if (this.options.debug) {
      const { type, id } = message;
      this.options.logger.debug('bus message received', { type, id: id ?? undefined, size });
    }
    if (message.type === 'ping') {
      this.#post({ type: 'pong' }, message.id ?? undefined);
      return;
    }
    this.options.onMessage(message);
  }

  /** Past the queue: of use now or not at all. */
  #post(message: EditorMessage, id: string = randomUUID()): void {
    this.#pipe?.send(encode({ ...message, id, timestamp: Date.now() })).catch(() => {
      // The end of the pipe is told by the pipe.
    });
  }

  #flush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    void this.#work().finally(() => {
      this.#flushing = false;
    });
  }

  async #work(): Promise<void> {
    // Whatever is sent in the same turn of the event loop is one batch.
    await Promise.resolve();
    while (isUp(this.#states.state) && this.#pipe && this.#queue.size > 0) {
      const pipe = this.#pipe;
      const batch = this.#queue.take();
      const sent = await Promise.allSettled(batch.map((item) => pipe.send(item.text)));
      const failed = batch.filter((_, at) => sent[at]?.status === 'rejected');
      for (const item of batch) {
        if (!failed.includes(item)) item.onSent();
        if (this.options.debug) {
          const { type, text } = item;
          this.options.logger.debug('bus message sent', { type, size: text.length });
        }
      }
      this.#queue.putBack(failed);
      // The pipe is about to tell of its end.
      if (failed.length > 0) return;
    }
  }

  #silence(): Promise<void> {
    return this.#timing.wait(this.#timing.handshakeMs, this.#over.signal);
  }

  #giveUp(end: PipeEnd): void {
    this.#states.to(end.kind === 'refused' ? 'failed' : 'disconnected', end.reason);
    this.#ready?.reject(new BridgeError('refused', end.reason));
  }

  get #timing(): Timing {
    return this.options.timing ?? TIMING;
  }
}

/** The first message decides: it is one of the protocol, or the peer speaks another. */
class Handshake {
  readonly shaken: Promise<void>;
  failed = false;
  #resolve = (): void => {};
  #over = false;

  constructor(readonly end: (end: PipeEnd) => void) {
    this.shaken = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  done(): void {
    this.#over = true;
    this.#resolve();
  }

  broken(problem: string): void {
    if (this.#over) return;
    this.failed = true;
    this.end({ kind: 'refused', reason: `the agent speaks another protocol: ${problem}` });
    this.done();
  }
}

/** Of two messages with one key the newer says it all. */
function keyOf({ type, data }: EditorMessage): string {
  return data && 'path' in data ? `${type} ${data.path}` : type;
}

function isUp(state: LinkState): boolean {
  return state === 'connected' || state === 'paused';
}

function deferred() {
  let resolve = (): void => {};
  let reject = (_: Error): void => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // Whoever started may not wait for it.
  promise.catch(() => {});
  return { promise, resolve, reject };
}

function deferredEnd() {
  let resolve = (_: PipeEnd): void => {};
  let settled = false;
  const promise = new Promise<PipeEnd>((yes) => {
    resolve = (end) => {
      settled = true;
      yes(end);
    };
  });
  return { promise, resolve: (end: PipeEnd) => resolve(end), done: () => settled };
}
