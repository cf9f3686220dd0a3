/** The composition root: builds the running bridge from its parts and takes it down again. */
import fs from 'node:fs';
import { basename } from 'node:path';
import { v4 as uuid } from 'uuid';
import { z } from 'zod';
import { Announcement } from './agents/announcement.ts';
import { AnnouncementWatch } from './agents/announcement-watch.ts';
import { agentFamilies, servedFamilies } from './agents/families.ts';
import type { Environment } from './agents/family.ts';
import { AgentRegistry } from './agents/registry.ts';
import { type RejectReason, RejectReasons } from './agents/reject-reasons.ts';
import { SessionHub } from './agents/sessions.ts';
import type { StartRequest } from './config.ts';
import { coalesce } from './core/coalesce.ts';
import { DisposableStack } from './core/disposable.ts';
import { Editor } from './core/editor.ts';
import { messageOf } from './core/errors.ts';
import type { AbsolutePath, EditorPort } from './core/ports.ts';
import { Privacy } from './core/privacy.ts';
import { KernelService } from './kernel/service.ts';
import { LiveDoor } from './live-door.ts';
import type { NvimCalls } from './nvim/calls.ts';
import { contextPort } from './nvim/context-port.ts';
import { parseEditorEvent } from './nvim/event-source.ts';
import { kernelPort, parseKernelEvent } from './nvim/kernel-port.ts';
import { reviewPort } from './nvim/review-port.ts';
import { FileWatcher } from './platform/file-watcher.ts';
import { LogFile } from './platform/log-file.ts';
import { realPath } from './platform/real-path.ts';
import { reportStatus } from './status-report.ts';
import { ideTools } from './tools/ide-tools.ts';
import { WebSocketServer } from './transport/websocket-server.ts';

export interface BridgeOptions {
  readonly calls: NvimCalls;
  readonly request: StartRequest;
  readonly environment: Environment;
  /** The plugin's folder, where its npm packages lie. */
  readonly root: AbsolutePath;
}

const NAME = 'claude-bridge.nvim';
/** What containers call the machine on which they run. */
const HOST_OF_CONTAINER = ['host.docker.internal', 'host.containers.internal'];

export class Bridge {
  readonly logger: LogFile;
  readonly #options: BridgeOptions;
  readonly #editor: Editor;
  readonly #kernels: KernelService;
  readonly #live: LiveDoor;
  readonly #registry: AgentRegistry;
  readonly #hub: SessionHub;
  readonly #watcher: FileWatcher;
  readonly #reasons = new RejectReasons((reason) => this.#run('reason', this.#tellReason(reason)));
  readonly #owned = new DisposableStack();
  #server: WebSocketServer | undefined;
  #announcement: Announcement | undefined;
  #disposed: Promise<void> | undefined;

  /** Listens to nothing yet, but takes events from now on. */
  constructor(options: BridgeOptions) {
    const { calls, request } = options;
    const { config } = request;
    this.#options = options;
    this.logger = new LogFile({ path: config.log_path, level: config.log_level });
    this.#watcher = new FileWatcher({
      logger: this.logger,
      onChange: (paths) => this.#run('reload', this.#editor.reloadFiles(paths)),
    });
    const port = this.#port(calls);
    const privacy = new Privacy({
      exclude: config.exclude,
      sharing: config.share_selection,
      realPath,
    });
    this.#kernels = new KernelService({
      port: kernelPort(calls, port.notify),
      options: config.kernel,
      machine: options.environment,
      logger: this.logger,
      root: options.root,
      excludes: (path) => privacy.excludes(path),
    });
    this.#editor = new Editor({
      port,
      logger: this.logger,
      privacy,
      reach: { outside: config.outside_workspace, realPath },
      reviews: config.review_edits,
      code: this.#kernels,
      onAccepted: (path) => this.#watcher.expect(path),
      onReason: ({ owner, key, newPath }, reason) =>
        this.#reasons.add({ owner, key, path: newPath, reason }),
      onMentioned: ({ path, lines }) =>
        this.#run('mentioned', calls.lua('session.mentioned', { path, ...lines }, z.unknown())),
      onWaitingMentions: (waiting) => {
        const mentions = waiting.map(({ path, lines }) => ({ path, ...lines }));
        this.#run('mentions', calls.lua('session.keep_mentions', { mentions }, z.unknown()));
      },
    });
    this.#editor.workspace.update(request.folders);
    this.#live = new LiveDoor({
      calls,
      editor: this.#editor,
      logger: this.logger,
      settings: config.session ?? {},
      reviewEdits: config.review_edits,
      variables: options.environment.variables,
      version: VERSION,
    });
    const families = agentFamilies(ideTools);
    this.#registry = new AgentRegistry(
      servedFamilies(families, config.agents, options.environment, isFolder),
      families,
    );
    this.#hub = new SessionHub({
      editor: this.#editor,
      registry: this.#registry,
      logger: this.logger,
      info: { name: NAME, version: VERSION },
      onClosedTab: (session, tab) => this.#reasons.closed(session, tab),
    });
  }

  /** Takes an event of Lua; one that makes no sense is logged and costs nothing else. */
  handle(raw: unknown): void {
    if (z.object({ kind: z.literal('status') }).safeParse(raw).success) {
      this.#run('status', this.#showStatus());
      return;
    }
    if (this.#live.handle(raw)) return;
    const kernelEvent = parseKernelEvent(raw);
    if (kernelEvent) {
      this.#kernels.handle(kernelEvent);
      return;
    }
    try {
      const event = parseEditorEvent(raw);
      if (event) this.#editor.handle(event);
    } catch (error) {
      this.logger.warn('event not understood', { error: messageOf(error) });
    }
  }

  /**
   * Listens, then makes itself known, then tells Neovim.
   * @throws BridgeError `startup-failed`
   */
  async open(): Promise<void> {
    const { request } = this.#options;
    const token = request.session?.token ?? uuid();
    const server = await WebSocketServer.start({
      logger: this.logger,
      token,
      host: request.config.host,
      extraHosts: [...HOST_OF_CONTAINER, ...request.config.names],
      port: { fixed: request.config.port || undefined, preferred: request.session?.port },
      tokenIn: (headers) => this.#registry.tokenIn(headers),
      onConnection: (connection) => {
        this.#announcement?.ensure();
        this.#hub.accept(connection);
      },
    });
    this.#server = server;
    if (this.#disposed !== undefined) return await server.dispose();
    this.#announce(server.port, token);
    this.#wire();
    this.logger.info('ready', { pid: request.editor_pid });
    await this.#publish(server.port, token);
  }

  /** At the end of the process: what must not stay behind and can be removed at once. */
  withdraw(): void {
    this.#announcement?.withdraw();
    this.#live.withdraw();
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#close();
    return this.#disposed;
  }

  #port(calls: NvimCalls): EditorPort {
    const { diff } = this.#options.request.config;
    return {
      ...contextPort(calls),
      ...reviewPort(calls, diff),
      notify: (level, message) =>
        this.#run('notify', calls.lua('ui.notify', { level, message }, z.unknown())),
    };
  }

  #announce(port: number, token: string): void {
    const { request, environment } = this.#options;
    const announcement = new Announcement({
      families: this.#registry.families,
      environment,
      advertisement: {
        port,
        token,
        editorPid: request.config.pid ?? request.editor_pid,
        workspaceFolders: this.#editor.workspace.folders,
      },
      logger: this.logger,
    });
    this.#announcement = announcement;
    announcement.publish();
    this.#owned.use(new AnnouncementWatch({ announcement, logger: this.logger }));
  }

  #wire(): void {
    const editor = this.#editor;
    const tell = coalesce(() => this.#run('state', this.#tellState()));
    this.#owned.use(editor.workspace.onChange((folders) => this.#updateFolders(folders)));
    this.#owned.use(editor.onDocuments((paths) => this.#watcher.watch(paths)));
    this.#owned.use(this.#hub.onChange(tell));
    this.#owned.use(editor.reviews.onChange(tell));
    this.#owned.use(this.#watcher);
    this.#owned.use(this.#reasons);
  }

  #updateFolders(folders: readonly string[]): void {
    try {
      this.#announcement?.updateFolders(folders);
    } catch (error) {
      this.logger.error('lock file not updated', { error: messageOf(error) });
      this.#editor.port.notify('warn', messageOf(error));
    }
  }

  async #publish(port: number, token: string): Promise<void> {
    const variables = this.#announcement?.variables ?? {};
    const blank = this.#registry.blank;
    const { calls } = this.#options;
    await calls.lua('environment.apply', { variables, blank }, z.unknown());
    const lock_files = this.#announcement?.paths ?? [];
    await calls.lua('session.ready', { port, token, lock_files }, z.unknown());
  }

  async #tellState(): Promise<void> {
    const clients = this.#hub.status().map(({ id, name, version, pid, state }) => ({
      id,
      state,
      ...(name === undefined ? {} : { name }),
      ...(version === undefined ? {} : { version }),
      ...(pid === undefined ? {} : { pid }),
    }));
    const reviews = this.#editor.reviews.pending().map(({ id, request }) => ({
      id,
      path: request.newPath,
      title: request.key,
    }));
    await this.#options.calls.lua('session.state', { clients, reviews }, z.unknown());
  }

  /** Live sessions are no clients and tell reasons in their own way. */
  async #tellReason({ owner, paths, reason }: RejectReason): Promise<void> {
    const client = this.#hub.status().find(({ id }) => id === owner);
    if (!client) return;
    const { pid, name = 'the agent' } = client;
    const edits = paths.length === 1 ? 'edit' : 'edits';
    const names = paths.map((path) => basename(path)).join(', ');
    const text = `I rejected your ${edits} of ${names}: ${reason}`;
    const purpose = `why you rejected the ${edits}`;
    const params = { ...(pid !== undefined && { pid }), name, text, purpose };
    await this.#options.calls.lua('terminal.tell', params, z.unknown());
  }

  async #showStatus(): Promise<void> {
    const lines = reportStatus({
      port: this.#server?.port,
      lockFiles: this.#announcement?.ensure() ?? [],
      folders: this.#editor.workspace.folders,
      isSharing: this.#editor.privacy.isSharing,
      waitingMentions: this.#editor.waitingMentions,
      rivals: this.#announcement?.rivals() ?? [],
      sessions: this.#hub.status(),
      reviews: this.#editor.reviews.pending(),
      kernels: this.#kernels.describe(),
      now: Date.now(),
    });
    await this.#options.calls.lua('ui.status', { lines }, z.unknown());
  }

  /** Lock files first: a client that loses the socket must not find the way back to nobody. */
  async #close(): Promise<void> {
    this.#announcement?.withdraw();
    this.#owned.dispose();
    try {
      const kernels = this.#kernels.dispose();
      await this.#live.dispose();
      await this.#hub.dispose();
      await this.#editor.dispose();
      await kernels;
    } finally {
      await this.#server?.dispose();
      this.logger.info('stopped');
    }
  }

  #run(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => this.logger.warn(`${what} failed`, { error: messageOf(error) }));
  }
}

function isFolder(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory();
  } catch {
    // Not there, or not for this user.
    return false;
  }
}

/** Of the plugin; set by the build. */
declare const VERSION: string;
