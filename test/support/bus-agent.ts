/** A scripted agent at the other end of the bus: plays any message and keeps what it hears. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { type EditorMessage, worthOf } from '../../src/bus/editor-messages.ts';
import { decode, type Envelope, encode } from '../../src/bus/envelope.ts';
import { SendQueue } from '../../src/bus/send-queue.ts';
import { waitFor } from './wait-for.ts';

export class BusAgent {
  readonly heard: Envelope[] = [];
  /** What came that is no message of the bus. */
  readonly nonsense: string[] = [];
  readonly headers: Record<string, string | string[] | undefined>[] = [];
  readonly #queue = new SendQueue();
  #server: WebSocketServer | undefined;
  #socket: WebSocket | undefined;
  /** Where it listens, or did. */
  port = 0;
  onConnect: () => void = () => {};
  /** Called for each message, as a script. */
  onMessage: (message: Envelope) => void = () => {};

  /** Listens, as an agent does that an editor calls. */
  static async listen(port = 0): Promise<BusAgent> {
    const agent = new BusAgent();
    agent.#server = new WebSocketServer({ host: '127.0.0.1', port });
    await once(agent.#server, 'listening');
    agent.port = (agent.#server.address() as AddressInfo).port;
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
    return `ws://127.0.0.1:${this.port}`;
  }

  get isConnected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  of(type: string): Envelope[] {
    return this.heard.filter((message) => message.type === type);
  }

  async hears(type: string, count = 1): Promise<Envelope> {
    await waitFor(() => {
      if (this.of(type).length < count) {
        throw new Error(`${type} was not heard, but ${this.heard.map((m) => m.type).join(', ')}`);
      }
    });
    return this.of(type).at(-1) as Envelope;
  }

  /** Sends by the same queue as the editor, with its rules. */
  say(type: string, data?: unknown, id?: string | number): void {
    this.#queue.enqueue({
      // The queue looks at no more of it than who it is.
      message: { type } as EditorMessage,
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

  /** Reads no more and says no more, as a process that is stopped. */
  hang(): void {
    this.#socket?.pause();
  }

  hangUp(code?: number): void {
    if (code === undefined) this.#socket?.terminate();
    else this.#socket?.close(code);
  }

  async dispose(): Promise<void> {
    this.#socket?.terminate();
    for (const client of this.#server?.clients ?? []) client.terminate();
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    await closed;
  }

  #take(socket: WebSocket): void {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const decoded = decode(String(data));
      if (decoded.problems.length > 0) this.nonsense.push(String(data));
      for (const message of decoded.messages) {
        this.heard.push(message);
        if (message.type === 'ping') this.say('pong', undefined, message.id ?? undefined);
        this.onMessage(message);
      }
    });
  }
}
