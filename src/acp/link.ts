/** A session with an agent that speaks the Agent Client Protocol. */
import { setImmediate } from 'node:timers/promises';
import {
  type LoadSessionRequest,
  methods,
  type NewSessionRequest,
  type SessionNotification,
} from '@agentclientprotocol/sdk';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { StartProcess } from '../core/pipe.ts';
import type { AbsolutePath } from '../core/ports.ts';
import type { StoredSession } from '../session/model.ts';
import type { AgentLink, BufferPort, Context, LinkContext, PromptPart } from '../session/ports.ts';
import { ChangedEdits } from './changed-edits.ts';
import { choicesOf, type Ways, waysOf } from './choices.ts';
import { AcpConnection } from './connection.ts';
import { elicit } from './elicitation.ts';
import { AgentFiles } from './files.ts';
import { Permissions } from './permission.ts';
import type { AcpRecipe } from './recipes.ts';
import { signIn } from './sign-in.ts';
import { type TurnPeer, Turns } from './turns.ts';
import { updatesOf } from './updates.ts';

export interface AcpLinkOptions {
  readonly context: LinkContext;
  readonly recipe: AcpRecipe;
  readonly start: StartProcess;
  readonly buffers: BufferPort;
  /** What counts as the workspace, besides the agent's working directory. */
  folders(): readonly AbsolutePath[];
  /** False for files that the user keeps from agents. */
  mayRead(path: AbsolutePath): boolean;
  readonly version: string;
  /** How long a turn may go on after it was cancelled, ms. */
  readonly cancelMs?: number;
}

const CANCEL_MS = 10_000;
/** Pages of sessions that are asked for. */
const LIST_PAGES = 5;

export class AcpLink implements AgentLink {
  readonly #edits: ChangedEdits;
  readonly #files: AgentFiles;
  readonly #permissions: Permissions;
  readonly #turns: Turns;
  #connection: AcpConnection | undefined;
  /** What was asked last. */
  #peer: TurnPeer | undefined;
  #starting: Promise<void> | undefined;
  #disposed = false;
  #conversation: string | undefined;
  #ways: Ways = {};
  /** While a session begins its id may not be known yet. */
  #entering = false;
  #muted = false;

  constructor(private readonly options: AcpLinkOptions) {
    const { buffers, context } = options;
    const { sink, logger } = context;
    this.#edits = new ChangedEdits({ buffers, sink, logger });
    this.#files = new AgentFiles({
      buffers,
      folders: () => [context.folder, ...options.folders()],
      mayRead: options.mayRead,
      edits: this.#edits,
    });
    this.#permissions = new Permissions({
      sink,
      files: this.#files,
      edits: this.#edits,
      onWords: (words) => this.#turns.say(words),
      onEdited: (path) =>
        this.#turns.note(
          `I changed your edit of ${path} before I accepted it; read the file before you edit it again.`,
        ),
    });
    this.#turns = new Turns({
      sink,
      cancelMs: options.cancelMs ?? CANCEL_MS,
      peer: () => this.#peerOf(this.#need()),
      isAlive: (peer) => this.#connection !== undefined && this.#peer === peer,
      onStubborn: () => void this.#giveUp('it did not stop when it was cancelled'),
      onEnd: () => {
        this.#permissions.endTurn();
        this.#edits.endTurn();
      },
    });
  }

  start(options: { readonly resume?: string }): Promise<void> {
    this.#starting ??= this.#start(options.resume).catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async prompt(parts: readonly PromptPart[]): Promise<void> {
    await this.#turns.prompt(parts);
  }

  async cancel(): Promise<void> {
    this.#permissions.withdrawAll();
    await this.#turns.cancel();
  }

  async pause(): Promise<void> {
    throw new BridgeError('unavailable', 'the protocol has no pause; cancel instead');
  }

  async resume(): Promise<void> {
    // Whoever resumes has started it again by now.
  }

  async reset(): Promise<void> {
    const { agent, about } = this.#need();
    const old = this.#conversation;
    await this.#turns.stop();
    await this.#new();
    this.options.context.sink.update({ kind: 'cleared' });
    if (old !== undefined && about.agentCapabilities?.sessionCapabilities?.close) {
      await agent.request(methods.agent.session.close, { sessionId: old });
    }
  }

  async list(): Promise<readonly StoredSession[]> {
    const { agent, about } = this.#need();
    if (!about.agentCapabilities?.sessionCapabilities?.list) {
      throw new BridgeError('unavailable', 'it keeps no list of its sessions');
    }
    const sessions: StoredSession[] = [];
    let cursor: string | null | undefined;
    for (let page = 0; page < LIST_PAGES && (page === 0 || cursor); page += 1) {
      const answer = await agent.request(methods.agent.session.list, {
        cwd: this.options.context.folder,
        ...(cursor && { cursor }),
      });
      cursor = answer.nextCursor;
      for (const { sessionId, title, cwd, updatedAt } of answer.sessions) {
        sessions.push({
          id: sessionId,
          title: title ?? sessionId,
          folder: cwd,
          ...(updatedAt && { updated: updatedAt }),
          current: sessionId === this.#conversation,
        });
      }
    }
    return sessions;
  }

  async switchTo(conversation: string, options: { readonly history: boolean }): Promise<void> {
    this.#need();
    await this.#turns.stop();
    await this.#enter(conversation, options.history);
  }

  async setModel(model: string): Promise<void> {
    const way = this.#ways.model;
    if (!way) throw new BridgeError('unavailable', 'it does not say which models it has');
    if (way.by === 'option') await this.#setOption(way.id, model);
    else {
      const params = { sessionId: this.#conversation, modelId: model };
      await this.#need().agent.request('session/set_model', params);
    }
    this.options.context.sink.update({ kind: 'about', about: { model } });
  }

  async setMode(mode: string): Promise<void> {
    const way = this.#ways.mode;
    if (!way) throw new BridgeError('unavailable', 'it does not say which modes it has');
    if (way.by === 'option') await this.#setOption(way.id, mode);
    else {
      const params = { sessionId: this.#session(), modeId: mode };
      await this.#need().agent.request(methods.agent.session.setMode, params);
    }
    this.options.context.sink.update({ kind: 'about', about: { mode } });
  }

  push(context: Context): void {
    if (context.kind === 'selection') this.#turns.select(context.selection);
    if (context.kind === 'diagnostics') this.#turns.diagnose(context.path, context.diagnostics);
  }

  async applyEdit(): Promise<void> {
    throw new BridgeError('unavailable', 'it asks for permission instead');
  }

  async rejectEdit(): Promise<void> {
    throw new BridgeError('unavailable', 'it asks for permission instead');
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#turns.dispose();
    this.#permissions.withdrawAll();
    this.#edits.dispose();
    await this.#starting?.catch(() => {
      // It has told of its failure.
    });
    await this.#connection?.close();
    await this.#turns.stop();
  }

  async #start(resume: string | undefined): Promise<void> {
    const { context, recipe } = this.options;
    const { sink } = context;
    if (this.#disposed) throw new BridgeError('cancelled', 'the session is closed');
    sink.state('connecting', recipe.command);
    try {
      this.#connection = await this.#open();
      this.#tellAbilities(this.#connection);
      const known = resume ?? this.#conversation;
      if (known === undefined) await this.#new();
      else await this.#goOn(known);
    } catch (error) {
      const connection = this.#connection;
      this.#connection = undefined;
      sink.state('failed', this.#explain(error));
      await connection?.close();
      throw error;
    }
    sink.state('connected', this.#connection.about.agentInfo?.title ?? recipe.command);
  }

  #open(): Promise<AcpConnection> {
    const { context, recipe, start, version } = this.options;
    const { command, args, env = {} } = recipe;
    return AcpConnection.open({
      command: { command, args, env, folder: context.folder },
      start,
      version,
      calls: {
        update: (notification) => this.#update(notification),
        permission: (request, signal) => this.#permissions.ask(request, signal),
        read: (request) => this.#files.read(request),
        write: (request) => this.#files.write(request),
        elicit: (params, signal) => elicit(params, context.sink, signal),
      },
      onErrorLine: (line) => context.logger.info('the agent writes', { line }),
      onGreeting: () => context.sink.state('handshaking'),
      onEnd: (reason) => this.#gone(reason),
    });
  }

  /** After the agent was lost: with what was said, as far as it can. */
  async #goOn(conversation: string): Promise<void> {
    const { sink } = this.options.context;
    try {
      await this.#enter(conversation, this.#conversation !== conversation);
    } catch (error) {
      this.options.context.logger.warn('a session was not resumed', { reason: messageOf(error) });
      await this.#new();
      const text = 'The agent could not go on with the conversation; it begins a new one.';
      sink.update({ kind: 'notice', level: 'warn', text });
    }
  }

  async #new(): Promise<void> {
    const { context, recipe } = this.options;
    const connection = this.#need();
    const params: NewSessionRequest = { cwd: context.folder, mcpServers: [] };
    this.#entering = true;
    try {
      const step = () => connection.agent.request(methods.agent.session.new, params);
      const answer = await signIn(step, connection, context.sink, recipe.login);
      this.#settle(answer.sessionId, answer);
    } finally {
      this.#entering = false;
    }
    if (recipe.mode !== undefined && this.#ways.mode) await this.setMode(recipe.mode);
  }

  async #enter(conversation: string, history: boolean): Promise<void> {
    const { agent, about } = this.#need();
    const { sink, folder } = this.options.context;
    const load = about.agentCapabilities?.loadSession === true;
    const resume = Boolean(about.agentCapabilities?.sessionCapabilities?.resume);
    if (!load && !resume) throw new BridgeError('unavailable', 'it cannot go on with a session');
    const params: LoadSessionRequest = { sessionId: conversation, cwd: folder, mcpServers: [] };
    const replays = load && (history || !resume);
    if (history || this.#conversation !== conversation) sink.update({ kind: 'cleared' });
    this.#conversation = conversation;
    this.#muted = replays && !history;
    try {
      const answer = replays
        ? await agent.request(methods.agent.session.load, params)
        : await agent.request(methods.agent.session.resume, params);
      // The last of the history is still on its way through the event loop.
      await setImmediate();
      this.#settle(conversation, answer);
    } finally {
      this.#muted = false;
      sink.update({ kind: 'turn', running: false });
    }
  }

  #settle(conversation: string, answer: unknown): void {
    const { sink } = this.options.context;
    this.#conversation = conversation;
    this.#ways = waysOf(answer);
    sink.update({ kind: 'about', about: { conversation } });
    for (const update of choicesOf(answer)) sink.update(update);
  }

  #tellAbilities({ about }: AcpConnection): void {
    const can = about.agentCapabilities;
    const resume = Boolean(can?.sessionCapabilities?.resume);
    const abilities = {
      reset: true,
      list: Boolean(can?.sessionCapabilities?.list),
      load: can?.loadSession === true || resume,
      images: can?.promptCapabilities?.image === true,
    };
    this.options.context.sink.update({ kind: 'abilities', abilities });
  }

  #update({ sessionId, update }: SessionNotification): void {
    const { sink } = this.options.context;
    if (this.#muted || (sessionId !== this.#conversation && !this.#entering)) return;
    // What the user typed here is shown already; only the past is told again.
    if (update.sessionUpdate === 'user_message_chunk' && this.#turns.isRunning) return;
    for (const meant of updatesOf(update)) sink.update(meant);
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return;
    this.#permissions.learn(update);
    if (update.status === 'completed') this.#edits.toolEnds(update.toolCallId);
  }

  async #setOption(configId: string, value: string): Promise<void> {
    const params = { sessionId: this.#session(), configId, value };
    const { agent } = this.#need();
    const answer = await agent.request(methods.agent.session.setConfigOption, params);
    for (const update of choicesOf(answer)) this.options.context.sink.update(update);
  }

  #peerOf(connection: AcpConnection): TurnPeer {
    const { agent, about } = connection;
    const can = about.agentCapabilities?.promptCapabilities;
    const sessionId = this.#session();
    const peer: TurnPeer = {
      takes: { images: can?.image === true, resources: can?.embeddedContext === true },
      prompt: async (prompt) => {
        try {
          return await agent.request(methods.agent.session.prompt, { sessionId, prompt });
        } catch (error) {
          await connection.settle();
          throw error;
        }
      },
      cancel: () => agent.notify(methods.agent.session.cancel, { sessionId }),
    };
    this.#peer = peer;
    return peer;
  }

  async #giveUp(reason: string): Promise<void> {
    const connection = this.#connection;
    this.#gone(reason);
    await connection?.close();
  }

  #gone(reason: string): void {
    this.#connection = undefined;
    this.#starting = undefined;
    this.#permissions.withdrawAll();
    if (!this.#disposed) this.options.context.sink.state('failed', reason);
  }

  #need(): AcpConnection {
    if (this.#connection) return this.#connection;
    throw new BridgeError('unavailable', 'the agent is not running');
  }

  #session(): string {
    if (this.#conversation !== undefined) return this.#conversation;
    throw new BridgeError('unavailable', 'the agent has no session');
  }

  #explain(error: unknown): string {
    const { command, install } = this.options.recipe;
    const why = messageOf(error);
    return why.includes('not installed') ? `${why} (${command}: ${install})` : why;
  }
}
