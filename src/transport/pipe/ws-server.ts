/** A WebSocket for an agent that calls this editor. */
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { BridgeError, messageOf } from '../../core/errors.ts';
import { MESSAGE_LIMIT } from '../../core/lines.ts';
import type { MessagePipe, PipeListener, PipeOpener } from '../../core/pipe.ts';
import { isLoopback } from './hosts.ts';
import { pipeOf } from './ws-socket.ts';

export interface WsServerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** PEM; needed where the host is not this machine alone. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** @throws where the token does not let its bearer in. */
  authorize(token: string): Promise<void>;
  onRefused(reason: string): void;
}

/** The check of a token that both sides know. */
export function sameToken(expected: string): (token: string) => Promise<void> {
  return async (token) => {
    const [a, b] = [Buffer.from(expected), Buffer.from(token)];
    if (a.length !== b.length || !timingSafeEqual(a, b)) throw new Error('the token is wrong');
  };
}

export class WsServer implements PipeOpener {
  readonly #server: http.Server;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_LIMIT,
    perMessageDeflate: false,
  });
  #current: WebSocket | undefined;
  /** Called with the next agent that comes. */
  #waiter: ((socket: WebSocket) => void) | undefined;
  /** An agent that came while nobody waited for one. */
  #early: WebSocket | undefined;

  /** @throws BridgeError `refused` where other machines could listen in. */
  constructor(private readonly options: WsServerOptions) {
    if (!isLoopback(options.host) && !options.tls) {
      throw new BridgeError(
        'refused',
        `Listening on ${options.host} needs a certificate: plain ws is for this machine only.`,
      );
    }
    const refuse: http.RequestListener = (_, response) => {
      response.writeHead(426, { connection: 'close' }).end();
    };
    this.#server = options.tls
      ? https.createServer({ ...options.tls }, refuse)
      : http.createServer(refuse);
    this.#server.on(
      'upgrade',
      (request, socket, head) => void this.#upgrade(request, socket, head),
    );
  }

  get target(): string {
    return `${this.options.tls ? 'wss' : 'ws'}://${this.options.host}:${this.port}`;
  }

  /** 0 before `listen`. */
  get port(): number {
    const address = this.#server.address();
    return isAddress(address) ? address.port : 0;
  }

  /** @throws BridgeError `startup-failed` */
  async listen(): Promise<void> {
    if (this.#server.listening) return;
    const { host, port } = this.options;
    try {
      this.#server.listen(port, host);
      await once(this.#server, 'listening');
    } catch (error) {
      const why = messageOf(error);
      throw new BridgeError('startup-failed', `Cannot listen on ${host}:${port}: ${why}`, {
        cause: error,
      });
    }
  }

  /** Resolves when an agent comes. */
  async open(listener: PipeListener, signal: AbortSignal): Promise<MessagePipe> {
    await this.listen();
    const socket = await this.#next(signal);
    const pipe = pipeOf(socket, listener);
    this.#current = socket;
    // Frames that came before there was a listener.
    socket.resume();
    return pipe;
  }

  async dispose(): Promise<void> {
    this.#early?.terminate();
    this.#waiter = undefined;
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.#sockets.clients) socket.terminate();
    await closed;
  }

  #next(signal: AbortSignal): Promise<WebSocket> {
    const early = this.#early;
    this.#early = undefined;
    if (early && early.readyState === early.OPEN) return Promise.resolve(early);
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiter = undefined;
        reject(new BridgeError('cancelled', 'no agent is waited for any more'));
      };
      if (signal.aborted) {
        abort();
        return;
      }
      signal.addEventListener('abort', abort, { once: true });
      this.#waiter = (socket) => {
        signal.removeEventListener('abort', abort);
        this.#waiter = undefined;
        resolve(socket);
      };
    });
  }

  async #upgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // The peer may go away while its token is checked.
    socket.on('error', () => socket.destroy());
    try {
      // Only a browser sends it, on behalf of a page that has no business here.
      if (request.headers.origin !== undefined) throw new Error('it came from a web page');
      await this.options.authorize(tokenOf(request));
    } catch (error) {
      this.options.onRefused(messageOf(error));
      socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (accepted) => this.#accept(accepted));
  }

  /** The newest connection counts: an agent that lost its line may be back before we notice. */
  #accept(socket: WebSocket): void {
    socket.pause();
    const waiter = this.#waiter;
    if (waiter) {
      waiter(socket);
      return;
    }
    this.#current?.terminate();
    this.#early?.terminate();
    this.#early = socket;
    socket.on('error', () => socket.terminate());
  }
}

function tokenOf(request: http.IncomingMessage): string {
  const bearer = /^Bearer (.+)$/iu.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  return new URL(request.url ?? '/', 'ws://localhost').searchParams.get('token') ?? '';
}

function isAddress(address: unknown): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}
