/** One connection to a kernel: requests, their answers, and what is said of them. */
import { randomUUID } from 'node:crypto';
import type { Disposable } from '../core/disposable.ts';
import type { ChannelName, ConnectionInfo } from './connection.ts';
import { Status } from './messages.ts';
import { deferred, settlesWithin } from './promises.ts';
import { type KernelSockets, openSockets, type RequestChannel } from './sockets.ts';
import { type Incoming, WireCodec } from './wire.ts';
import type { ZeroMqLibrary } from './zeromq.ts';

export interface KernelRequest extends Disposable {
  readonly id: string;
  /** Stays open when the connection ends: race it with that. */
  readonly reply: Promise<Incoming>;
  /** The kernel has worked off the request, and has said all it has to say. */
  readonly idle: Promise<void>;
}

/** Hears all messages that belong to a request, on whichever channel. */
export type RequestListener = (channel: ChannelName, message: Incoming) => void;

/** How long the news channel may need to tell of a request that is already answered, ms. */
const SUBSCRIBED_MS = 250;

export class KernelLink implements Disposable {
  readonly #codec: WireCodec;
  readonly #sockets: KernelSockets;
  readonly #listeners = new Map<string, RequestListener>();

  /** Settles when the kernel's side is there. */
  readonly connected: Promise<void>;
  /** Settles when the kernel's side, once there, has gone. */
  readonly disconnected: Promise<void>;

  constructor(library: ZeroMqLibrary, info: ConnectionInfo) {
    this.#codec = new WireCodec(info.key, info.signature_scheme.replace('hmac-', ''));
    const up = deferred();
    const down = deferred();
    this.connected = up.promise;
    this.disconnected = down.promise;
    this.#sockets = openSockets(library, info, {
      message: (channel, frames) => this.#receive(channel, frames),
      connected: up.resolve,
      disconnected: down.resolve,
    });
  }

  request(
    channel: RequestChannel,
    type: string,
    content: object,
    listener: RequestListener = () => {},
  ): KernelRequest {
    const id = randomUUID();
    const replyType = type.replace('_request', '_reply');
    const reply = deferred<Incoming>();
    const idle = deferred();
    this.#listeners.set(id, (from, message) => {
      listener(from, message);
      if (from === channel && message.type === replyType) reply.resolve(message);
      if (from === 'iopub' && isIdle(message)) idle.resolve();
    });
    this.#sockets.send(channel, this.#codec.encode(type, id, content));
    return {
      id,
      reply: reply.promise,
      idle: idle.promise,
      dispose: () => void this.#listeners.delete(id),
    };
  }

  /** Settles when the kernel has answered, so it runs nobody's code, and its news arrive here. */
  async handshake(): Promise<void> {
    for (;;) {
      const request = this.request('shell', 'kernel_info_request', {});
      await request.reply;
      const heard = await settlesWithin(request.idle, SUBSCRIBED_MS);
      request.dispose();
      if (heard) return;
    }
  }

  /** Settles when the kernel runs nobody's code. */
  async free(): Promise<void> {
    const request = this.request('shell', 'kernel_info_request', {});
    await request.reply;
    request.dispose();
  }

  dispose(): void {
    this.#listeners.clear();
    this.#sockets.dispose();
  }

  #receive(channel: ChannelName, frames: readonly Buffer[]): void {
    const message = this.#codec.decode(frames);
    if (message?.parentId === undefined) return;
    this.#listeners.get(message.parentId)?.(channel, message);
  }
}

function isIdle({ type, content }: Incoming): boolean {
  if (type !== 'status') return false;
  const status = Status.safeParse(content);
  return status.success && status.data.execution_state === 'idle';
}
