/** A scripted agent at the other end of the bus: plays any message and keeps what it hears. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { worthOf } from '../../src/bus/editor-messages.ts';
import { decode, type Envelope, encode } from '../../src/bus/envelope.ts';
import { SendQueue } from '../../src/bus/send-queue.ts';

export class BusAgent {
  readonly heard: Envelope[] = [];
  /** What came that is no message of the bus. */
  readonly nonsense: string[] = [];
  readonly headers: Record<string, string | string[] | undefined>[] = [];
  readonly #queue = new SendQueue();
  #server: WebSocketServer | undefined;
  #socket: WebSocket | undefined;
  onConnect: () => void = () => {};
  /** Called for each message, as a script. */
  onMessage: (message: Envelope) => void = () => {};

  /** Listens, as an agent does that an editor calls. */
  static async listen(port = 0): Promise<BusAgent> {
    const agent = new BusAgent();
    agent.#server = new WebSocketServer({ host: '127.0.0.1', port });
    await once(agent.#server, 'listening');
    agent.#server.on('connection', (socket, request) => {
      agent.headers.push(request.headers);
      agent.#take(socket);
      agent.onConnect();
    });
    return agent;
  }

  /** Calls an editor that listens. */
  static async call(url: string, options: { ca?: string; token?: string } = {}): Promise<BusAgent> {
    const agent = new BusAgent();
    const { ca, token } = options;
    const socket = new WebSocket(url, {
      ...(ca !== undefined && { ca }),
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    });
    agent.#take(socket);
    await once(socket, 'open');
    return agent;
  }

  get url(): string {
    const address = this.#server?.address() as AddressInfo;
    return `ws://127.0.0.1:${address.port}`;
  }

  get isConnected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  of(type: string): Envelope[] {
    return this.heard.filter((message) => message.type === type);
  }

  async hears(type: string, count = 1): Promise<Envelope> {
    await vi.waitFor(() => {
      if (this.of(type).length < count) {
        throw new Error(`${type} was not heard, but ${this.heard.map((m) => m.type).join(', ')}`);
      }
    }, 5_000);
    return this.of(type).at(-1) as Envelope;
  }

  /** Sends by the same queue as the editor, with its rules. */
  say(type: string, data?: unknown, id?: string): void {
    this.#queue.enqueue({
      type,
      key: type,
      text: encode({ type, data, ...(id !== undefined && { id }) }),
      worth: worthOf(type),
      onSent: () => {},
      onDropped: () => {},
    });
    queueMicrotask(() => {
      for (const item of this.#queue.take()) this.raw(item.text);
    });
  }

  raw(text: string): void {
    this.#socket?.send(text);
  }

  hangUp(code?: number): void {
    if (code === undefined) this.#socket?.terminate();
    else this.#socket?.close(code);
  }

  async dispose(): Promise<void> {
    this.#socket?.terminate();
    for (const client of this.#server?.clients ?? []) client.terminate();
    if (!this.#server) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  #take(socket: WebSocket): void {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const decoded = decode(String(data));
      if (!decoded.ok) this.nonsense.push(String(data));
      for (const message of decoded.ok ? decoded.messages : []) {
        this.heard.push(message);
        if (message.type === 'ping') this.say('pong', undefined, message.id ?? undefined);
        this.onMessage(message);
      }
    });
  }
}
