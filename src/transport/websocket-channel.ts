import type { WebSocket } from 'ws';
import type { Disposable } from '../core/disposable.ts';
import { Emitter } from '../core/emitter.ts';
import type { Channel, ChannelEnd } from '../protocol/channel.ts';

/** A client that lets this much pile up does not read any more. */
const MAX_BACKLOG = 64 * 1024 * 1024;

/** A WebSocket as a channel, and its sign of life. */
export class WebSocketChannel implements Channel {
  readonly #socket: WebSocket;
  readonly #maxBacklog: number;
  readonly #messages: Emitter<string>;
  readonly #drains: Emitter<void>;
  readonly #closes: Emitter<ChannelEnd>;
  #alive = true;
  #error: string | undefined;

  constructor(socket: WebSocket, onError: (error: unknown) => void, maxBacklog = MAX_BACKLOG) {
    this.#socket = socket;
    this.#maxBacklog = maxBacklog;
    this.#messages = new Emitter(onError);
    this.#drains = new Emitter(onError);
    this.#closes = new Emitter(onError);
    // A binary frame may hold JSON as well as a text frame; both come as buffers.
    socket.on('message', (data) => {
      this.#alive = true;
      this.#messages.emit(data.toString());
    });
    socket.on('pong', () => {
      this.#alive = true;
    });
    // The close event follows and tells the code.
    socket.on('error', (error) => {
      this.#error = error.message;
    });
    socket.on('close', (code, reason) => {
      this.#closes.emit({ code, reason: this.#error ?? reason.toString() });
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get backlog(): number {
    return this.#socket.bufferedAmount;
  }

  send(text: string): void {
    if (!this.isOpen) return;
    this.#socket.send(text, () => this.#drains.emit());
    // A closing frame would only wait behind the rest.
    if (this.backlog > this.#maxBacklog) this.#giveUp(`${this.backlog} bytes unread by the client`);
  }

  onMessage(listener: (text: string) => void): Disposable {
    return this.#messages.on(listener);
  }

  onDrain(listener: () => void): Disposable {
    return this.#drains.on(listener);
  }

  onClose(listener: (end: ChannelEnd) => void): Disposable {
    return this.#closes.on(listener);
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Ends at once what can take no closing frame. */
  terminate(): void {
    this.#socket.terminate();
  }

  /** Asks for a sign of life; ends the channel where none came since it asked last. */
  checkAlive(): void {
    if (!this.#alive) this.#giveUp('no answer to a ping');
    this.#alive = false;
    if (this.isOpen) this.#socket.ping();
  }

  /** Forgets an unanswered ping: this process itself was asleep. */
  presumeAlive(): void {
    this.#alive = true;
  }

  #giveUp(reason: string): void {
    this.#error = reason;
    this.terminate();
  }
}
