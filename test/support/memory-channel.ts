import { Emitter } from '../../src/core/emitter.ts';
import type { Channel, ChannelEnd } from '../../src/protocol/channel.ts';
import type { RpcMessage } from './peer.ts';

/** A channel whose other end is the test. */
export class MemoryChannel implements Channel {
  readonly sent: string[] = [];
  /** Set to play a client that does not read. */
  backlog = 0;
  isOpen = true;
  ended: ChannelEnd | undefined;
  readonly #messages = new Emitter<string>(rethrow);
  readonly #drains = new Emitter<void>(rethrow);
  readonly #closes = new Emitter<ChannelEnd>(rethrow);

  send(text: string): void {
    if (this.isOpen) this.sent.push(text);
  }

  onMessage(listener: (text: string) => void) {
    return this.#messages.on(listener);
  }

  onDrain(listener: () => void) {
    return this.#drains.on(listener);
  }

  onClose(listener: (end: ChannelEnd) => void) {
    return this.#closes.on(listener);
  }

  close(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.ended = { code, reason };
    this.#closes.emit(this.ended);
  }

  /** Plays a message of the client. */
  receive(message: object | string): void {
    this.#messages.emit(typeof message === 'string' ? message : JSON.stringify(message));
  }

  drain(): void {
    this.backlog = 0;
    this.#drains.emit();
  }

  /** What the client was sent, parsed. */
  get messages(): RpcMessage[] {
    return this.sent.map((text) => JSON.parse(text) as RpcMessage);
  }

  answers(id: string | number | null): RpcMessage[] {
    return this.messages.filter((m) => m.method === undefined && m.id === id);
  }

  told(method: string): Record<string, unknown>[] {
    return this.messages.filter((m) => m.method === method).map((m) => m.params ?? {});
  }
}

function rethrow(error: unknown): never {
  throw error;
}
