/** One client's conversation: MCP over a channel, with exactly one answer to each request. */
import { messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Channel, ChannelEnd } from './channel.ts';
import {
  type InboundNotification,
  type InboundRequest,
  type Params,
  readMessage,
} from './inbound.ts';
import { OpenCalls } from './open-calls.ts';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isFailedWork,
  RpcError,
  type RpcId,
  TOO_MANY_CALLS,
  toRpcError,
} from './rpc-error.ts';
import {
  type ClientInfo,
  checkParams,
  clientInfo,
  SdkServer,
  type ServerInfo,
  type ToolListing,
  type ToolResult,
} from './sdk.ts';

export interface ToolCall {
  readonly name: string;
  readonly args: unknown;
  readonly requestId: RpcId;
  /** Aborted when the client cancels the call or is gone. */
  readonly signal: AbortSignal;
}

/** What the owner of a session serves and is told. */
export interface SessionHandler {
  listTools(): readonly ToolListing[];
  hasTool(name: string): boolean;
  /** @throws BridgeError for work that failed, `invalid-argument` for wrong arguments. */
  callTool(call: ToolCall): Promise<ToolResult>;
  /** Before the answer to `initialize`. */
  initializing(client: ClientInfo): void;
  /** A request of this method has been answered, or a notification of it has come. */
  handled(method: string, params: Params | undefined): void;
  closed(end: ChannelEnd): void;
}

export interface McpSessionOptions {
  readonly channel: Channel;
  readonly logger: Logger;
  readonly info: ServerInfo;
  readonly handler: SessionHandler;
  /** Tool calls without an answer; further ones get an error at once. */
  readonly maxOpenCalls?: number;
  /** How long a tool may take to end after its call was cancelled, ms. */
  readonly cancelGraceMs?: number;
}

const MAX_OPEN_CALLS = 4096;
const CANCEL_GRACE_MS = 1_000;
const CALL_TOOL = 'tools/call';
const CANCELLED: ToolResult = {
  content: [{ type: 'text', text: 'The call was cancelled' }],
  isError: true,
};

export class McpSession {
  readonly #options: McpSessionOptions;
  readonly #sdk: SdkServer;
  readonly #calls = new OpenCalls();
  /** Requests other than tool calls that wait for their answer. */
  readonly #asked = new Map<RpcId, string>();
  #cancelGraceMs: number;

  /** Serves a client until its channel ends. */
  constructor(options: McpSessionOptions) {
    this.#options = options;
    this.#cancelGraceMs = options.cancelGraceMs ?? CANCEL_GRACE_MS;
    this.#sdk = new SdkServer({
      info: options.info,
      listTools: () => options.handler.listTools(),
      callTool: (id, name, args) => this.#callTool(id, name, args),
      send: (text, answered) => this.#send(text, answered),
      onError: (error) => options.logger.debug('protocol error', { name: error.name }),
    });
    options.channel.onClose((end) => this.#onClose(end));
    options.channel.onMessage((text) => this.#receive(text));
  }

  get openCalls(): number {
    return this.#calls.size;
  }

  /** Tells the client something; a client that is gone hears nothing. */
  notify(method: string, params: Params): void {
    this.#sdk.notify(method, params).catch((error: unknown) => {
      this.#options.logger.debug('notification not sent', { method, error: messageOf(error) });
    });
  }

  /**
   * The URIs of the folders in which the client works; none where it does not tell any.
   * @param limitMs how long the client has for its answer
   * @throws Error where it answers with one, not in time, or is gone
   */
  roots(limitMs: number): Promise<readonly string[]> {
    return this.#sdk.roots(limitMs);
  }

  /**
   * Lets each open call get its answer within the limit, cancels those that do not end by
   * themselves, and closes the channel. Takes twice the limit at most.
   */
  async close(code: number, reason: string, limitMs: number): Promise<void> {
    await this.#calls.idle(limitMs);
    this.#cancelGraceMs = Math.min(this.#cancelGraceMs, limitMs / 2);
    this.#calls.abortAll();
    await this.#calls.idle(limitMs);
    this.#options.channel.close(code, reason);
  }

  #receive(text: string): void {
    const message = readMessage(text);
    try {
      if (message.kind === 'request') this.#onRequest(message);
      else if (message.kind === 'notification') this.#onNotification(message);
      else if (message.kind === 'response') this.#sdk.response(message.message);
      else {
        this.#options.logger.debug('invalid message', { reason: message.message });
        this.#sendError(message.id, new RpcError(message.code, message.message));
      }
    } catch (error) {
      // One message that nobody foresaw must not end the connections of the others.
      this.#options.logger.error('message failed', { kind: message.kind, error: messageOf(error) });
    }
  }

  #onRequest(request: InboundRequest): void {
    const { id, method, params } = request;
    try {
      checkParams(request);
      if (method === CALL_TOOL) {
        if (this.#calls.isRepeat(id, params)) return;
        this.#admitCall();
        this.#calls.open(id, params);
      } else {
        this.#asked.set(id, method);
        if (method === 'initialize') this.#options.handler.initializing(clientInfo(params));
      }
      this.#sdk.request(request);
    } catch (error) {
      this.#sendError(id, this.#toRpcError(error, method));
    }
  }

  #admitCall(): void {
    const limit = this.#options.maxOpenCalls ?? MAX_OPEN_CALLS;
    if (this.#calls.size < limit) return;
    throw new RpcError(TOO_MANY_CALLS, `${limit} tool calls are open; wait for their answers`);
  }

  #onNotification({ method, params }: InboundNotification): void {
    // The SDK would drop a cancelled call's answer, and takes the id 0 for none.
    if (method === 'notifications/cancelled') {
      const { requestId: id } = params ?? {};
      if (typeof id === 'string' || typeof id === 'number') this.#calls.cancel(id);
    }
    this.#options.handler.handled(method, params);
  }

  async #callTool(id: RpcId, name: string, args: unknown): Promise<ToolResult> {
    const call = this.#calls.take(id);
    if (!call) throw new RpcError(INTERNAL_ERROR, 'Internal error: the call is not known');
    const { handler } = this.#options;
    try {
      if (!handler.hasTool(name)) throw unknownTool(name);
      const { signal } = call;
      if (signal.aborted) return CANCELLED;
      const work = handler.callTool({ name, args, requestId: id, signal });
      return await endedByAbort(work, signal, () => this.#cancelGraceMs);
    } catch (error) {
      if (isFailedWork(error)) {
        return { content: [{ type: 'text', text: error.message }], isError: true };
      }
      throw this.#toRpcError(error, name);
    }
  }

  #toRpcError(thrown: unknown, where: string): RpcError {
    const error = toRpcError(thrown);
    if (error.code === INTERNAL_ERROR) {
      this.#options.logger.error('unexpected failure', { where, error: messageOf(thrown) });
    }
    return error;
  }

  #sendError(id: RpcId | null, { code, message }: RpcError): void {
    this.#options.channel.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
  }

  #send(text: string, answered: RpcId | undefined): void {
    this.#options.channel.send(text);
    if (answered === undefined) return;
    const method = this.#asked.get(answered);
    this.#asked.delete(answered);
    if (method === undefined) this.#calls.answered(answered);
    else this.#options.handler.handled(method, undefined);
  }

  #onClose(end: ChannelEnd): void {
    this.#calls.abortAll();
    this.#sdk.close().catch((error: unknown) => {
      this.#options.logger.debug('protocol close failed', { error: messageOf(error) });
    });
    this.#options.handler.closed(end);
  }
}

function unknownTool(name: string): RpcError {
  return new RpcError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 100)}`);
}

/** A call that was cancelled ends soon, even where its tool does not listen. */
function endedByAbort(
  work: Promise<ToolResult>,
  signal: AbortSignal,
  graceMs: () => number,
): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => resolve(CANCELLED), graceMs());
    };
    signal.addEventListener('abort', onAbort);
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  });
}
