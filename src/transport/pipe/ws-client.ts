/** A WebSocket to an agent that listens. */
import { WebSocket } from 'ws';
import { BridgeError } from '../../core/errors.ts';
import { MESSAGE_LIMIT } from '../../core/lines.ts';
import {
  type MessagePipe,
  PipeError,
  type PipeListener,
  type PipeOpener,
} from '../../core/pipe.ts';
import { isLoopback } from './hosts.ts';
import { pipeOf } from './ws-socket.ts';

const HANDSHAKE_MS = 10_000;

export interface WsClientOptions {
  readonly url: string;
  /** Proof of who is calling, made anew for each connection; goes as a bearer token. */
  token?(): Promise<string>;
  /** Certificates to trust besides the system's, PEM. */
  readonly ca?: string;
}

export class WsClient implements PipeOpener {
  readonly #url: URL;

  /** @throws BridgeError `refused` for plain ws to another machine. */
  constructor(private readonly options: WsClientOptions) {
    this.#url = new URL(options.url);
    if (this.#url.protocol !== 'wss:' && !isLoopback(this.#url.hostname)) {
      throw new BridgeError(
        'refused',
        `${this.target} is another machine: use wss, plain ws is for this machine only.`,
      );
    }
    if (!isLoopback(this.#url.hostname) && !options.token) {
      throw new BridgeError('refused', `${this.target} is another machine: give its secret.`);
    }
  }

  get target(): string {
    return `${this.#url.protocol}//${this.#url.host}`;
  }

  async open(listener: PipeListener, signal: AbortSignal): Promise<MessagePipe> {
    const token = await this.options.token?.();
    const socket = new WebSocket(this.#url, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MESSAGE_LIMIT,
      perMessageDeflate: false,
      ...(this.options.ca !== undefined && { ca: this.options.ca }),
    });
    // Before the connection stands, so that no message is missed.
    const pipe = pipeOf(socket, guard(listener, socket));
    const abort = (): void => socket.terminate();
    signal.addEventListener('abort', abort);
    try {
      await opened(socket);
      return pipe;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async dispose(): Promise<void> {
    // Pipes are closed by those who opened them.
  }
}

/** The end of a connection that never stood is told by `open`. */
function guard(listener: PipeListener, socket: WebSocket): PipeListener {
  let stood = false;
  socket.once('open', () => {
    stood = true;
  });
  return {
    onMessage: (text) => listener.onMessage(text),
    onEnd: (end) => {
      if (stood) listener.onEnd(end);
    },
  };
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (error) => {
      reject(new PipeError({ kind: 'lost', reason: error.message }, { cause: error }));
    });
    socket.once('unexpected-response', (request, response) => {
      const status = response.statusCode ?? 0;
      const kind = isRefusal(status) ? 'refused' : 'lost';
      reject(new PipeError({ kind, reason: `the agent answered with HTTP ${status}` }));
      request.destroy();
    });
  });
}

/** Whether a request that was answered so will not fare better later. */
export function isRefusal(status: number): boolean {
  // What is sent is for this address alone, so nobody is followed to another.
  return status >= 300 && status < 500 && ![408, 425, 429].includes(status);
}
