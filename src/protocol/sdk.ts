/** The one place that knows the MCP SDK: it negotiates, dispatches requests and answers them. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  JSONRPCErrorResponseSchema,
  JSONRPCResultResponseSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  PingRequestSchema,
  RequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { InboundRequest, Params } from './inbound.ts';
import { INVALID_PARAMS, RpcError, type RpcId } from './rpc-error.ts';

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** How the client introduced itself. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
}

export interface ToolListing {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Params;
}

export type ResultBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

export interface ToolResult {
  readonly content: readonly ResultBlock[];
  readonly isError?: boolean;
}

export interface SdkServerOptions {
  readonly info: ServerInfo;
  listTools(): readonly ToolListing[];
  callTool(id: RpcId, name: string, args: Params | undefined): Promise<ToolResult>;
  /** Takes one message; `answered` is the id that it answers. */
  send(text: string, answered: RpcId | undefined): void;
  onError(error: Error): void;
}

const REQUESTS = {
  initialize: InitializeRequestSchema,
  ping: PingRequestSchema,
  'tools/list': ListToolsRequestSchema,
  'tools/call': CallToolRequestSchema,
  'prompts/list': ListPromptsRequestSchema,
  'resources/list': ListResourcesRequestSchema,
  'resources/templates/list': ListResourceTemplatesRequestSchema,
} as const;

/**
 * Checks a request's parameters ahead of the SDK, which answers wrong ones with a dump.
 * @throws RpcError that names the field.
 */
export function checkParams({ method, params }: InboundRequest): void {
  const schema = Object.hasOwn(REQUESTS, method)
    ? REQUESTS[method as keyof typeof REQUESTS]
    : RequestSchema;
  const parsed = schema.safeParse({ method, params });
  if (parsed.success) return;
  const faults = parsed.error.issues.map(
    (issue) => `${z.core.toDotPath(issue.path)}: ${issue.message}`,
  );
  throw new RpcError(INVALID_PARAMS, `${method}: ${faults.join('; ')}`);
}

const ClientName = z.object({
  clientInfo: z.object({
    name: z.string(),
    version: z.string(),
    title: z.string().optional().catch(undefined),
  }),
});

/** Reads who the client is from the parameters of `initialize`, which were checked before. */
export function clientInfo(params: Params | undefined): ClientInfo {
  return ClientName.parse(params).clientInfo;
}

/** One server for one connection. */
export class SdkServer {
  readonly #server: Server;
  readonly #transport: Transport;

  constructor(options: SdkServerOptions) {
    this.#transport = {
      start: async () => {},
      send: async (message) =>
        options.send(JSON.stringify(message), 'method' in message ? undefined : message.id),
      close: async () => this.#transport.onclose?.(),
    };
    this.#server = createServer(options);
    this.#server.onerror = options.onError;
    this.#server.connect(this.#transport).catch(options.onError);
  }

  request({ id, method, params }: InboundRequest): void {
    // This server declares no tasks; the wish for one is to be ignored, the SDK refuses it.
    const { task: _task, ...plain } = params ?? {};
    this.#transport.onmessage?.({ jsonrpc: '2.0', id, method, params: plain });
  }

  /** A client's answer to a request of this server; any other is dropped. */
  response(message: Params): void {
    const answer = z
      .union([JSONRPCResultResponseSchema, JSONRPCErrorResponseSchema])
      .safeParse(message);
    if (answer.success) this.#transport.onmessage?.(answer.data);
  }

  /**
   * The URIs of the folders in which the client works; none where it does not tell any.
   * @param limitMs how long the client has for its answer
   */
  async roots(limitMs: number): Promise<readonly string[]> {
    if (!this.#server.getClientCapabilities()?.roots) return [];
    const { roots } = await this.#server.listRoots(undefined, { timeout: limitMs });
    return roots.map(({ uri }) => uri);
  }

  async notify(method: string, params: Params): Promise<void> {
    await this.#server.notification({ method, params: { ...params } });
  }

  /** No answer goes out after this. */
  async close(): Promise<void> {
    await this.#server.close();
  }
}

function createServer({ info, listTools, callTool }: SdkServerOptions): Server {
  const server = new Server(info, {
    capabilities: { tools: {}, prompts: {}, resources: {} },
    // Only forms that a server has clients fill in are validated; the default compiles schemas
    // for each connection.
    jsonSchemaValidator: {
      getValidator() {
        throw new Error('no form is ever sent to a client');
      },
    },
  });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: listTools().map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: 'object' as const },
    })),
  }));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [] }));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
    const { content, isError } = await callTool(requestId, params.name, params.arguments);
    return { content: [...content], ...(isError && { isError }) };
  });
  return server;
}
