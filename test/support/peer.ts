/** A scripted Claude Code: a real WebSocket client that says what the real one says. */
import { once } from 'node:events';
import WebSocket from 'ws';
import { waitFor } from './wait-for.ts';

export interface PeerOptions {
  port: number;
  token?: string;
  headers?: Record<string, string>;
  /** Default: `mcp`, as the real client offers. */
  protocols?: readonly string[];
  origin?: string;
  /** Default: that of the real Claude Code; '' for a client that sends none. */
  userAgent?: string;
}

export interface RpcMessage {
  jsonrpc?: string;
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

export interface CallResult {
  content: { type: string; text?: string; data?: string; mimeType?: string }[];
  isError?: boolean;
}

/** The server said no before there was a WebSocket. */
export class Refused extends Error {
  constructor(readonly status: number) {
    super(`refused with ${status}`);
  }
}

class RpcFailure extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export class Peer {
  /** Every message that came, in order, but the question for its folders. */
  readonly received: RpcMessage[] = [];
  readonly notifications: RpcMessage[] = [];
  /** The URIs of the folders in which it works; undefined where it does not answer. */
  roots: readonly string[] | undefined = ['file:///x/ws'];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #waiting = new Map<string | number | null, Waiter[]>();
  readonly #tests: { test(message: RpcMessage): boolean; waiter: Waiter }[] = [];
  #isClosed = false;
  #nextId = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => this.#onMessage(data.toString()));
    // A reset by the server shows as the close that follows.
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        this.#onClose();
        resolve({ code, reason: reason.toString() });
      });
    });
  }

  /** Opens the socket only. @throws Refused */
  static async connect(options: PeerOptions): Promise<Peer> {
    const { port, token, headers = {}, protocols = ['mcp'], origin } = options;
    const { userAgent = 'claude-code/2.1.332 (cli)' } = options;
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, [...protocols], {
      headers: {
        ...(userAgent !== '' && { 'user-agent': userAgent }),
        ...(token !== undefined && { 'x-claude-code-ide-authorization': token }),
        ...headers,
      },
      ...(origin !== undefined && { origin }),
    });
    const peer = new Peer(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
      socket.once('unexpected-response', (_request, response) => {
        response.resume();
        reject(new Refused(response.statusCode ?? 0));
        socket.terminate();
      });
    });
    return peer;
  }

  /** Opens the socket and shakes hands as the real client does, in one burst after `initialize`. */
  static async ready(options: PeerOptions & { pid?: number }): Promise<Peer> {
    const peer = await Peer.connect(options);
    await peer.handshake(options.pid);
    return peer;
  }

  async handshake(pid = process.pid): Promise<void> {
    await this.initialize();
    this.initialized();
    this.ideConnected(pid);
    await this.listTools();
  }

  async initialize(params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const result = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {
        roots: { listChanged: true },
        elicitation: {},
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
      clientInfo: { name: 'claude-code', title: 'Claude Code', version: '2.1.332' },
      ...params,
    });
    return result as Record<string, unknown>;
  }

  initialized(): void {
    this.notify('notifications/initialized');
  }

  ideConnected(pid: number): void {
    this.notify('ide_connected', { pid });
  }

  async listTools(): Promise<{ name: string; description: string; inputSchema: object }[]> {
    const result = (await this.request('tools/list')) as { tools: [] };
    return result.tools;
  }

  /** @throws RpcFailure for a protocol error; a tool's failure is a result with `isError`. */
  async call(name: string, args: Record<string, unknown> = {}, id?: string | number) {
    const callId = id ?? this.takeId();
    const params = { name, arguments: args, _meta: { progressToken: callId } };
    return (await this.request('tools/call', params, callId)) as CallResult;
  }

  /** The texts of a call's answer. */
  async callTexts(name: string, args: Record<string, unknown> = {}): Promise<string[]> {
    const { content } = await this.call(name, args);
    return content.map(({ text }) => text ?? '');
  }

  cancel(requestId: string | number): void {
    this.notify('notifications/cancelled', { requestId, reason: 'test' });
  }

  async request(
    method: string,
    params?: Record<string, unknown>,
    id: string | number = this.takeId(),
  ): Promise<unknown> {
    const answered = this.answer(id);
    this.send({ method, ...(params && { params }), jsonrpc: '2.0', id });
    const { result, error } = await answered;
    if (error) throw new RpcFailure(error.code, error.message);
    return result;
  }

  notify(method: string, params?: Record<string, unknown>): void {
    this.send({ method, ...(params && { params }), jsonrpc: '2.0' });
  }

  /** Sends an object as JSON, a string or bytes as they are. */
  send(message: object | string | Buffer): void {
    const isRaw = typeof message === 'string' || Buffer.isBuffer(message);
    this.socket.send(isRaw ? message : JSON.stringify(message));
  }

  takeId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  /** The next answer with this id. */
  answer(id: string | number | null): Promise<RpcMessage> {
    return this.#wait((waiter) => {
      const same = this.#waiting.get(id);
      if (same) same.push(waiter);
      else this.#waiting.set(id, [waiter]);
    });
  }

  answers(id: string | number | null): RpcMessage[] {
    return this.received.filter((message) => message.method === undefined && message.id === id);
  }

  /** The next message of which the test is true. */
  next(test: (message: RpcMessage) => boolean): Promise<RpcMessage> {
    return this.#wait((waiter) => this.#tests.push({ test, waiter }));
  }

  /** All notifications of a method so far. */
  told(method: string): Record<string, unknown>[] {
    return this.notifications.filter((n) => n.method === method).map((n) => n.params ?? {});
  }

  /** Waits until at least `count` notifications of the method have come. */
  async waitFor(method: string, count = 1): Promise<Record<string, unknown>[]> {
    return waitFor(
      () => {
        const told = this.told(method);
        if (told.length < count) throw new Error(`${told.length} of ${count} ${method} came`);
        return told;
      },
      { interval: 5 },
    );
  }

  /** Every message that was sent to this client before has come when this resolves. */
  async settle(): Promise<void> {
    await this.request('ping', undefined, `settle-${this.takeId()}`);
  }

  async close(code?: number): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.socket, 'close');
    this.socket.close(code);
    await closed;
  }

  /** Ends without a closing frame, as a client that is killed. */
  terminate(): void {
    this.socket.terminate();
  }

  #wait(register: (waiter: Waiter) => void): Promise<RpcMessage> {
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      if (this.#isClosed) reject(new Error('the connection ended'));
      else register(waiter);
    });
  }

  #onMessage(text: string): void {
    const message = JSON.parse(text) as RpcMessage;
    if (message.method === 'roots/list') {
      this.#tellRoots(message.id ?? null);
      return;
    }
    this.received.push(message);
    if (message.method !== undefined) this.notifications.push(message);
    else if (message.id !== undefined) this.#answered(message.id, message);
    for (const entry of this.#tests.filter(({ test }) => test(message))) {
      this.#tests.splice(this.#tests.indexOf(entry), 1);
      entry.waiter.resolve(message);
    }
  }

  #tellRoots(id: string | number | null): void {
    if (!this.roots) return;
    const roots = this.roots.map((uri) => ({ uri }));
    this.send({ jsonrpc: '2.0', id, result: { roots } });
  }

  #answered(id: string | number | null, message: RpcMessage): void {
    const same = this.#waiting.get(id);
    const waiter = same?.shift();
    if (same?.length === 0) this.#waiting.delete(id);
    waiter?.resolve(message);
  }

  #onClose(): void {
    this.#isClosed = true;
    const waiters = [...this.#waiting.values()].flat().concat(this.#tests.map((t) => t.waiter));
    for (const { reject } of waiters) reject(new Error('the connection ended'));
    this.#waiting.clear();
    this.#tests.length = 0;
  }
}

interface Waiter {
  resolve(message: RpcMessage): void;
  reject(error: Error): void;
}
