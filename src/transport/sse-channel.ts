import type { ServerResponse } from 'node:http';
import type { Disposable } from '../core/disposable.ts';
import { Emitter } from '../core/emitter.ts';
import type { Channel, ChannelEnd } from '../protocol/channel.ts';

/** As a WebSocket that ends without a closing frame. */
const NO_CLOSE = 1006;

/** A stream of server-sent events to a client; what the client says comes by requests of its own. */
export class SseChannel implements Channel {
  readonly #response: ServerResponse;
  readonly #maxBacklog: number;
  readonly #messages: Emitter<string>;
  readonly #drains: Emitter<void>;
  readonly #closes: Emitter<ChannelEnd>;
  #end: ChannelEnd = { code: NO_CLOSE, reason: '' };
  #heard = false;

  constructor(response: ServerResponse, onError: (error: unknown) => void, maxBacklog: number) {
    this.#response = response;
    this.#maxBacklog = maxBacklog;
    this.#messages = new Emitter(onError);
    this.#drains = new Emitter(onError);
    this.#closes = new Emitter(onError);
    // The close event follows and tells the end.
    response.on('error', (error) => this.#ends(NO_CLOSE, error.message));
    response.on('close', () => this.#closes.emit(this.#end));
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  get backlog(): number {
    return this.#response.writableLength;
  }

  /** Whether the client has said anything yet. */
  get hasHeard(): boolean {
    return this.#heard;
  }

  /**
   * The data goes first and the kind of the event last: sid-code forgets the kind between two reads
   * of the stream, and only a long line of data is ever cut by one.
   */
  send(text: string): void {
    if (!this.isOpen) return;
    this.#response.write(`data: ${text}`);
    this.#response.write('\nevent: message\n\n', () => this.#drains.emit());
    if (this.backlog > this.#maxBacklog) this.#giveUp(`${this.backlog} bytes unread by the client`);
  }

  receive(text: string): void {
    this.#heard = true;
    this.#messages.emit(text);
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
    if (!this.isOpen) return;
    this.#ends(code, reason);
    this.#response.end();
  }

  /** Ends at once what does not read to its end. */
  terminate(): void {
    this.#response.destroy();
  }

  #giveUp(reason: string): void {
    this.#ends(NO_CLOSE, reason);
    this.terminate();
  }

  #ends(code: number, reason: string): void {
    this.#end = { code, reason };
  }
}
