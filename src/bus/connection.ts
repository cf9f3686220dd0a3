/** Keeps a line to an agent: connects, shakes hands, pings, sends, and comes back after a loss. */
import type { AsyncDisposable } from '../core/disposable.ts';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { type MessagePipe, type PipeEnd, PipeError, type PipeOpener } from '../core/pipe.ts';
import type { LinkState } from '../session/model.ts';
import { backoff } from './backoff.ts';
import type { EditorMessage } from './editor-messages.ts';
import { decode, type Envelope } from './envelope.ts';
import { Sender } from './sender.ts';
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
      const over = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', over);
        resolve();
      };
      const timer = setTimeout(over, ms);
      signal.addEventListener('abort', over);
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
  /** The agent that was spoken to is gone, and whatever it had asked with it. */
  onGone(): void;
  /** What a new agent is told before all that waits. */
  greeting(): EditorMessage | undefined;
}

export class BusConnection implements AsyncDisposable {
  readonly #sender: Sender;
  readonly #states: StateMachine;
  readonly #over = new AbortController();
  #retry = new AbortController();
  #running: Promise<void> | undefined;
  #ready: { promise: Promise<void>; resolve(): void; reject(error: Error): void } | undefined;
  #pipe: MessagePipe | undefined;
  /** Ends the connection that is under way or stands. */
  #end: ((end: PipeEnd) => void) | undefined;
  #silent = 0;

  constructor(private readonly options: ConnectionOptions) {
    const { logger, debug } = options;
    this.#states = new StateMachine((state, detail) => options.onState(state, detail));
    this.#sender = new Sender({
      logger,
      debug,
      onBroken: (reason) => this.#end?.({ kind: 'lost', reason: messageOf(reason) }),
    });
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
    return this.#sender.send(message);
  }

  /** Whether the agent may yet get this message, now or again. */
  holds(message: EditorMessage): boolean {
    return this.#sender.holds(message);
  }

  /** The agent must not get these any more. */
  retract(matches: (message: EditorMessage) => boolean): void {
    this.#sender.retract(matches);
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
    this.#sender.clear();
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
    this.#sender.post(pipe, { type: 'ping' });
    await Promise.race([hands.shaken, this.#silence(), ended.promise]);
    hands.close();
    const timer = ended.done() ? undefined : this.#connected(pipe);
    const end = await ended.promise;
    clearInterval(timer);
    this.#pipe = undefined;
    this.#sender.lost(end.kind === 'closed');
    if (end.kind !== 'lost' || opener.startsAnew) this.options.onGone();
    // A silent agent that called this editor is to call it again.
    if (end.kind === 'lost') pipe.cut();
    else pipe.close();
    return end;
  }

  #connected(pipe: MessagePipe): NodeJS.Timeout {
    this.#states.to('connected', this.options.opener.target);
    this.#ready?.resolve();
    this.#silent = 0;
    const greeting = this.options.greeting();
    if (greeting) this.#sender.post(pipe, greeting);
    this.#sender.use(pipe);
    return setInterval(() => this.#ping(pipe), this.#timing.pingMs);
  }

  #ping(pipe: MessagePipe): void {
    this.#silent += 1;
    if (this.#silent > SILENT_PINGS) {
      this.#end?.({ kind: 'lost', reason: 'the agent has not answered for a while' });
      return;
    }
    this.#sender.post(pipe, { type: 'ping' });
  }

  #receive(text: string, hands: Handshake): void {
    this.#silent = 0;
    const { messages, problems } = decode(text);
    for (const reason of problems) {
      this.options.logger.warn('a message is not understood', { reason, size: text.length });
      hands.broken(reason);
    }
    if (messages.length > 0) hands.done();
    for (const message of messages) this.#deliver(message, text.length);
  }

  #deliver(message: Envelope, size: number): void {
    const { logger, debug, onMessage } = this.options;
    const { type, id } = message;
    if (debug) logger.info('bus message received', { type, id: id ?? undefined, size });
    this.#sender.heard(message);
    if (type === 'ping') {
      if (this.#pipe) this.#sender.post(this.#pipe, { type: 'pong' }, id ?? undefined);
      return;
    }
    try {
      onMessage(message);
    } catch (error) {
      // Such as data that is nested too deep to be shown: it costs this message.
      logger.error('a message was not taken', { type, reason: messageOf(error) });
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

/**
 * A message of the protocol ends it. A peer that has said other things only, when the time is up,
 * speaks another protocol; a line of greeting before the first message is no harm.
 */
class Handshake {
  readonly shaken: Promise<void>;
  #resolve = (): void => {};
  #problem: string | undefined;
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
    this.#problem ??= problem;
  }

  /** The time is up. */
  close(): void {
    if (!this.#over && this.#problem !== undefined) {
      this.end({
        kind: 'refused',
        reason: `the agent speaks another protocol: ${this.#problem}`,
      });
    }
    this.#over = true;
  }
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
