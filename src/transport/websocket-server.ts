/** The one socket on which agents find the editor, by WebSocket or by HTTP. */
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer as WsServer } from 'ws';
import { messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Channel } from '../protocol/channel.ts';
import { flatHeaders, type Headers, type Refusal, refusal } from './admission.ts';
import { Keepalive } from './keepalive.ts';
import { listen, type PortWish } from './ports.ts';
import { SseEndpoint } from './sse-endpoint.ts';
import { WebSocketChannel } from './websocket-channel.ts';

/** A client that was let in. */
export interface Connection {
  readonly channel: Channel;
  readonly headers: Headers;
  /** Address and port of the peer. */
  readonly remote: string;
}

export interface WebSocketServerOptions {
  readonly logger: Logger;
  readonly token: string;
  /** Where this kind of client puts its token. */
  tokenIn(headers: Headers): string | undefined;
  onConnection(connection: Connection): void;
  readonly port?: PortWish;
  /** The address to bind; another than loopback is for containers. */
  readonly host?: string;
  /** Further names that clients may use in `Host`, such as that of a container's host. */
  readonly extraHosts?: readonly string[];
  readonly limits?: Partial<ServerLimits>;
}

export interface ServerLimits {
  readonly maxClients: number;
  /** Connections that are not let in yet. */
  readonly maxWaiting: number;
  /** How long a connection may take to show its token, ms. */
  readonly handshakeMs: number;
  readonly pingMs: number;
  readonly maxMessageBytes: number;
  readonly maxBacklogBytes: number;
}

const LIMITS: ServerLimits = {
  maxClients: 64,
  maxWaiting: 64,
  handshakeMs: 5_000,
  pingMs: 30_000,
  maxMessageBytes: 32 * 1024 * 1024,
  maxBacklogBytes: 64 * 1024 * 1024,
};
const LOOPBACK = '127.0.0.1';
const LOOPBACK_ADDRESS = /^(127\.[\d.]+|::1|localhost)$/i;
const GOING_AWAY = 1001;
/** How long clients may take to answer the closing frame, ms. */
const CLOSE_MS = 300;
/** The server's own check of slow requests would wake the process; each socket has its timer. */
const NEVER_MS = 2 ** 31 - 1;

export class WebSocketServer {
  readonly #options: WebSocketServerOptions;
  readonly #limits: ServerLimits;
  readonly #http: Server;
  readonly #ws: WsServer;
  readonly #keepalive: Keepalive;
  readonly #waiting = new Map<Duplex, NodeJS.Timeout>();
  readonly #channels = new Set<WebSocketChannel>();
  readonly #sse: SseEndpoint;
  #port = 0;
  #closed: Promise<void> | undefined;

  private constructor(options: WebSocketServerOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#keepalive = new Keepalive(this.#limits.pingMs);
    this.#http = createServer({ connectionsCheckingInterval: NEVER_MS });
    this.#http.on('connection', (socket) => this.#onSocket(socket));
    this.#sse = this.#createSse();
    this.#http.on('request', (request, response) => {
      if (this.#sse.handle(request, response)) return;
      response.writeHead(426, { Connection: 'close', Upgrade: 'websocket' }).end();
    });
    this.#http.on('upgrade', (request, socket, head) => this.#onUpgrade(request, socket, head));
    this.#ws = new WsServer({
      noServer: true,
      clientTracking: false,
      // Clients offer compression; a few bytes could then unpack to gigabytes.
      perMessageDeflate: false,
      // One message in each turn of the loop, or a flood of one client would hold up all others.
      allowSynchronousEvents: false,
      maxPayload: this.#limits.maxMessageBytes,
      handleProtocols: (offered) => (offered.has('mcp') ? 'mcp' : false),
    });
    this.#ws.on('wsClientError', (error, socket, request) => {
      this.#refuse(request, socket, { status: 400, reason: error.message });
    });
  }

  /** @throws BridgeError `startup-failed` where no port can be had. */
  static async start(options: WebSocketServerOptions): Promise<WebSocketServer> {
    const server = new WebSocketServer(options);
    const { logger, port = {}, host = LOOPBACK } = options;
    server.#port = await listen(server.#http, {
      ...port,
      host,
      onTaken: (taken, reason) => logger.warn('port not free', { port: taken, reason }),
    });
    server.#http.on('error', (error) => logger.error('server error', { error: error.message }));
    logger.info('listening', { host, port: server.#port });
    return server;
  }

  get port(): number {
    return this.#port;
  }

  /** Stops listening and ends every connection; clients are told that the editor goes away. */
  dispose(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#keepalive.dispose();
    const stopped = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    for (const socket of [...this.#waiting.keys()]) socket.destroy();
    for (const channel of this.#channels) channel.close(GOING_AWAY, 'the editor goes away');
    this.#sse.close();
    const late = setTimeout(() => {
      for (const channel of this.#channels) channel.terminate();
      this.#sse.terminate();
    }, CLOSE_MS);
    await stopped;
    clearTimeout(late);
  }

  #onSocket(socket: Socket): void {
    socket.on('error', (error) => {
      this.#options.logger.debug('socket error', { error: error.message });
    });
    // A client shows its token at once; whoever has waited longest is no client.
    const [oldest] = this.#waiting.size < this.#limits.maxWaiting ? [] : this.#waiting.keys();
    oldest?.destroy();
    const timer = setTimeout(() => {
      this.#logRefusal(socket, 'no token in time');
      socket.destroy();
    }, this.#limits.handshakeMs);
    this.#waiting.set(socket, timer);
    socket.once('close', () => this.#settle(socket));
  }

  /** The connection is let in or gone: it no longer counts as waiting. */
  #settle(socket: Duplex): void {
    clearTimeout(this.#waiting.get(socket));
    this.#waiting.delete(socket);
  }

  #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refused = this.#refusal(request) ?? this.#crowded();
    if (refused) this.#refuse(request, socket, refused);
    else {
      this.#ws.handleUpgrade(request, socket, head, (webSocket) => {
        this.#settle(socket);
        this.#admit(webSocket, request);
      });
    }
  }

  #refusal(request: IncomingMessage): Refusal | undefined {
    const { token, extraHosts = [], tokenIn, host = LOOPBACK } = this.#options;
    const isPublic = !LOOPBACK_ADDRESS.test(host);
    return refusal(request, { port: this.#port, extraHosts, isPublic, token, tokenIn });
  }

  #crowded(): Refusal | undefined {
    if (this.#channels.size + this.#sse.size < this.#limits.maxClients) return undefined;
    return { status: 503, reason: 'too many clients' };
  }

  #createSse(): SseEndpoint {
    const { onConnection } = this.#options;
    const { maxMessageBytes, maxBacklogBytes, pingMs } = this.#limits;
    const logged = (request: IncomingMessage, refused: Refusal | undefined) => {
      if (refused) this.#logRefusal(request.socket, refused.reason);
      return refused;
    };
    return new SseEndpoint({
      refusal: (request) => logged(request, this.#refusal(request)),
      crowded: (request) => logged(request, this.#crowded()),
      settled: ({ socket }) => this.#settle(socket),
      admit: (channel, request) =>
        onConnection({ channel, headers: flatHeaders(request), remote: remoteOf(request.socket) }),
      onListenerError: (error) => this.#onListenerError(error),
      maxMessageBytes,
      maxBacklogBytes,
      keepAliveMs: pingMs,
    });
  }

  #onListenerError(error: unknown): void {
    this.#options.logger.error('listener failed', { error: messageOf(error) });
  }

  #admit(webSocket: WebSocket, request: IncomingMessage): void {
    const channel = new WebSocketChannel(
      webSocket,
      (error) => this.#onListenerError(error),
      this.#limits.maxBacklogBytes,
    );
    this.#channels.add(channel);
    this.#keepalive.add(channel);
    channel.onClose(() => {
      this.#channels.delete(channel);
      this.#keepalive.remove(channel);
    });
    const remote = remoteOf(request.socket);
    this.#options.onConnection({ channel, headers: flatHeaders(request), remote });
  }

  #refuse(request: IncomingMessage, socket: Duplex, { status, reason }: Refusal): void {
    this.#logRefusal(request.socket, reason);
    const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
    socket.once('finish', () => socket.destroy());
    socket.end(`${line}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }

  #logRefusal(socket: Socket, reason: string): void {
    this.#options.logger.warn('connection refused', { remote: remoteOf(socket), reason });
  }
}

function remoteOf({ remoteAddress = 'unknown', remotePort = 0 }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}
