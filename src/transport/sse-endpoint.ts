/**
 * Clients that connect by HTTP: a stream of server-sent events to them, opened by GET of the root,
 * and one POST for each of their messages, at the address that the first event tells.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal } from './admission.ts';
import { SseChannel } from './sse-channel.ts';

export interface SseEndpointOptions {
  /** Why this request may not be served, if so. It has been logged then. */
  refusal(request: IncomingMessage): Refusal | undefined;
  /** Why there is no room for one more client, if so. */
  crowded(request: IncomingMessage): Refusal | undefined;
  /** The request's connection has shown its token. */
  settled(request: IncomingMessage): void;
  admit(channel: SseChannel, request: IncomingMessage): void;
  onListenerError(error: unknown): void;
  readonly maxMessageBytes: number;
  readonly maxBacklogBytes: number;
  /** After which silence the system looks for a dead peer, ms. */
  readonly keepAliveMs: number;
}

const STREAM = 'text/event-stream';
const GOING_AWAY = 1001;

export class SseEndpoint {
  readonly #options: SseEndpointOptions;
  readonly #streams = new Map<string, SseChannel>();

  constructor(options: SseEndpointOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** False where the request is none of these. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const [path, query] = (request.url ?? '/').split('?', 2);
    if (path !== '/') return false;
    const isStream = request.method === 'GET' && request.headers.accept?.includes(STREAM);
    if (!isStream && request.method !== 'POST') return false;
    const { refusal, crowded } = this.#options;
    const refused = refusal(request) ?? (isStream ? crowded(request) : undefined);
    if (refused) answer(response, refused.status);
    else {
      this.#options.settled(request);
      if (isStream) this.#open(request, response);
      else this.#receive(request, response, this.#find(new URLSearchParams(query).get('session')));
    }
    return true;
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.close(GOING_AWAY, 'the editor goes away');
  }

  terminate(): void {
    for (const stream of this.#streams.values()) stream.terminate();
  }

  #open(request: IncomingMessage, response: ServerResponse): void {
    const { onListenerError, maxBacklogBytes, keepAliveMs } = this.#options;
    const id = randomUUID();
    const stream = new SseChannel(response, onListenerError, maxBacklogBytes);
    this.#streams.set(id, stream);
    stream.onClose(() => this.#streams.delete(id));
    request.socket.setKeepAlive(true, keepAliveMs);
    response.writeHead(200, {
      'Content-Type': STREAM,
      'Cache-Control': 'no-cache',
      Connection: 'close',
    });
    // With a space after each colon: sid-code knows no other form.
    response.write(`event: endpoint\ndata: /?session=${id}\n\n`);
    this.#options.admit(stream, request);
  }

  /**
   * sid-code may send its first message before it has read the address, and then to the root: it
   * belongs to the newest stream that has heard nothing yet.
   */
  #find(session: string | null): SseChannel | undefined {
    if (session !== null) return this.#streams.get(session);
    return [...this.#streams.values()].filter(({ hasHeard }) => !hasHeard).at(-1);
  }

  #receive(
    request: IncomingMessage,
    response: ServerResponse,
    stream: SseChannel | undefined,
  ): void {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= this.#options.maxMessageBytes) chunks.push(chunk);
      else if (!response.headersSent) answer(response, 413);
    });
    // A client that goes away in the middle of a message has said nothing.
    request.on('error', () => {});
    request.on('end', () => {
      if (response.headersSent) return;
      answer(response, stream ? 202 : 404);
      stream?.receive(Buffer.concat(chunks).toString('utf8'));
    });
  }
}

/** Each connection of these serves one request: nothing waits on it for another. */
function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { Connection: 'close', 'Content-Length': 0 }).end();
}
