/** One client of any family: what it is, what it is told, and the tools that it calls. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Disposable } from '../core/disposable.ts';
import type { Editor } from '../core/editor.ts';
import { messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Mention } from '../core/mentions.ts';
import type { AbsolutePath } from '../core/ports.ts';
import type { Channel, ChannelEnd } from '../protocol/channel.ts';
import type { Params } from '../protocol/inbound.ts';
import { McpSession, type SessionHandler, type ToolCall } from '../protocol/mcp-session.ts';
import type { ClientInfo, ServerInfo } from '../protocol/sdk.ts';
import type { ToolAnswer } from '../tools/tool.ts';
import type { ClientHello, Dialect, OutgoingNotification } from './family.ts';
import { SelectionFeed } from './selection-feed.ts';
import { SpacedSender } from './spaced-sender.ts';

/** A client that was let in, by whatever transport. */
export interface ClientConnection {
  readonly channel: Channel;
  readonly headers: ClientHello['headers'];
  readonly remote: string;
}

/** `ready`: the client can hear what the editor tells. */
export type SessionState = 'open' | 'initializing' | 'ready';

export interface SessionStatus {
  readonly id: string;
  readonly remote: string;
  readonly connectedAt: Date;
  readonly state: SessionState;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly title?: string | undefined;
  readonly pid?: number | undefined;
  readonly openCalls: number;
  readonly lastSelectionPush?: Date | undefined;
  readonly lastTool?: { readonly name: string; readonly at: Date } | undefined;
}

/** What all sessions share. */
export interface SessionContext {
  readonly editor: Editor;
  readonly logger: Logger;
  readonly info: ServerInfo;
  dialectFor(hello: ClientHello): Dialect | undefined;
}

export interface SessionEvents {
  /** The status is another one; selection pushes and tool calls are not told. */
  changed(): void;
  /** The client has closed the tab of a review, open or not. */
  closedTab(name: string): void;
  /** `unsent`: mentions that did not reach the client. */
  closed(unsent: readonly Mention[]): void;
}

const MENTION_GAP_MS = 30;
/** More than this unread, and the client gets only the newest selection when it has caught up. */
const MAX_PUSH_BACKLOG = 1024 * 1024;
const FOLDERS_LIMIT_MS = 5_000;
const TELLS_OF_FOLDERS = ['notifications/initialized', 'notifications/roots/list_changed'];
const ClosedTab = z.object({ tab_name: z.string() });
const Greeting = z.object({ pid: z.int().positive() });

export class Session implements SessionHandler {
  readonly id: string;
  readonly #connection: ClientConnection;
  readonly #context: SessionContext;
  readonly #events: SessionEvents;
  readonly #connectedAt = new Date();
  readonly #rpc: McpSession;
  readonly #selection: SelectionFeed;
  readonly #mentions: SpacedSender<Mention>;
  readonly #subscriptions: Disposable[] = [];
  #dialect: Dialect;
  #state: SessionState = 'open';
  #client: ClientInfo | undefined;
  #pid: number | undefined;
  /** In which the client works, once it has told. */
  #folders: readonly AbsolutePath[] | undefined;
  #hearing: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  /** On the clock of `performance`. */
  #hearsAt = Number.POSITIVE_INFINITY;
  #lastSelectionPush: Date | undefined;
  #lastTool: SessionStatus['lastTool'];

  constructor(
    id: string,
    connection: ClientConnection,
    dialect: Dialect,
    context: SessionContext,
    events: SessionEvents,
  ) {
    this.id = id;
    this.#connection = connection;
    this.#dialect = dialect;
    this.#context = context;
    this.#events = events;
    const { channel } = connection;
    const { editor, logger, info } = context;
    this.#selection = new SelectionFeed({
      current: () => editor.selection.current,
      isDrained: () => channel.backlog <= MAX_PUSH_BACKLOG,
      send: (selection) => {
        this.#lastSelectionPush = new Date();
        this.#tell(this.#dialect.selection(selection));
      },
    });
    this.#mentions = new SpacedSender(MENTION_GAP_MS, (mention) => {
      this.#tell(this.#dialect.mention(mention, this.#folders ?? editor.workspace.folders));
      editor.mentioned(mention);
    });
    this.#rpc = new McpSession({ channel, logger, info, handler: this });
  }

  status(): SessionStatus {
    return {
      id: this.id,
      remote: this.#connection.remote,
      connectedAt: this.#connectedAt,
      state: this.#state,
      name: this.#client?.name,
      version: this.#client?.version,
      title: this.#client?.title,
      pid: this.#pid,
      openCalls: this.#rpc.openCalls,
      lastSelectionPush: this.#lastSelectionPush,
      lastTool: this.#lastTool,
    };
  }

  close(code: number, reason: string, limitMs: number): Promise<void> {
    return this.#rpc.close(code, reason, limitMs);
  }

  listTools(): Dialect['listed'] {
    return this.#dialect.listed;
  }

  hasTool(name: string): boolean {
    return this.#dialect.tools.some((tool) => tool.name === name);
  }

  async callTool({ name, args, requestId, signal }: ToolCall): Promise<ToolAnswer> {
    const tool = this.#dialect.tools.find((candidate) => candidate.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    this.#lastTool = { name, at: new Date() };
    const tab = name === 'close_tab' ? ClosedTab.safeParse(args) : undefined;
    if (tab?.success) this.#events.closedTab(tab.data.tab_name);
    const { editor, logger } = this.#context;
    const { answers } = this.#dialect;
    try {
      return await tool.call(args, { editor, sessionId: this.id, requestId, signal, answers });
    } catch (error) {
      logger.info('tool failed', { session: this.id, tool: name, error: messageOf(error) });
      throw error;
    }
  }

  initializing(client: ClientInfo): void {
    this.#client = client;
    const { headers } = this.#connection;
    const hello = { headers, clientName: client.name, clientVersion: client.version };
    this.#dialect = this.#context.dialectFor(hello) ?? this.#dialect;
    if (this.#state === 'open') this.#state = 'initializing';
    this.#events.changed();
  }

  handled(method: string, params: Params | undefined): void {
    const { greeting, hearsAfter } = this.#dialect;
    if (method === greeting) this.#greet(params);
    if (TELLS_OF_FOLDERS.includes(method) && this.#dialect.asksForFolders)
      void this.#askForFolders();
    const sign = hearsAfter.find((candidate) => candidate.method === method);
    if (sign && this.#state !== 'ready') this.#hearIn(sign.delayMs);
  }

  closed({ code, reason }: ChannelEnd): void {
    clearTimeout(this.#hearing);
    clearTimeout(this.#again);
    for (const subscription of this.#subscriptions.splice(0)) subscription.dispose();
    const { logger } = this.#context;
    logger.info('client disconnected', { session: this.id, code, reason });
    this.#events.closed(this.#mentions.drain());
  }

  #greet(params: Params | undefined): void {
    const greeting = Greeting.safeParse(params);
    if (!greeting.success) return;
    this.#pid = greeting.data.pid;
    this.#events.changed();
  }

  async #askForFolders(): Promise<void> {
    try {
      const uris = await this.#rpc.roots(FOLDERS_LIMIT_MS);
      const folders = uris.flatMap(foldersOf);
      if (folders.length > 0) this.#folders = folders;
    } catch (error) {
      const { logger } = this.#context;
      logger.debug('folders not told', { session: this.id, error: messageOf(error) });
    }
  }

  /** Never later than an earlier sign has promised. */
  #hearIn(delayMs: number): void {
    const at = performance.now() + delayMs;
    if (at >= this.#hearsAt) return;
    this.#hearsAt = at;
    clearTimeout(this.#hearing);
    this.#hearing = setTimeout(() => this.#hear(), delayMs);
  }

  /** From here on what is sent is heard, as far as one can know. */
  #hear(): void {
    const { editor } = this.#context;
    this.#state = 'ready';
    this.#selection.open();
    this.#subscriptions.push(
      editor.onSelection(() => this.#selection.update()),
      this.#connection.channel.onDrain(() => this.#selection.update()),
      editor.onMention((mention) => this.#mentions.add(mention)),
    );
    const { tellsAgainMs } = this.#dialect;
    if (tellsAgainMs !== undefined) {
      this.#again = setTimeout(() => this.#selection.repeat(), tellsAgainMs);
    }
    this.#events.changed();
  }

  #tell(notifications: readonly OutgoingNotification[]): void {
    for (const { method, params } of notifications) this.#rpc.notify(method, params);
  }
}

/** Clients write the raw path behind `file://`, or encode it. */
function foldersOf(uri: string): AbsolutePath[] {
  const raw = uri.slice('file://'.length);
  try {
    return [raw, fileURLToPath(uri)];
  } catch {
    return [raw];
  }
}
