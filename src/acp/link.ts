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
import { untilAborted } from '../core/until-aborted.ts';
import type { StoredSession } from '../session/model.ts';
import type { AgentLink, BufferPort, Context, LinkContext, PromptPart } from '../session/ports.ts';
import { ChangedEdits } from './changed-edits.ts';
import { abilitiesOf, choicesOf, type Ways, waysOf } from './choices.ts';
import { AcpConnection } from './connection.ts';
import { AgentFiles } from './files.ts';
import { Permissions } from './permission.ts';
import { stumblesOverMissingFiles } from './quirks.ts';
import type { AcpRecipe } from './recipes.ts';
import { Served } from './served.ts';
import { signIn } from './sign-in.ts';
import { storedSessions } from './stored-sessions.ts';
import { turnPeer } from './turn-peer.ts';
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
  /** How long the agent may take to begin before the user is told that it does, ms. */
  readonly slowMs?: number;
}

const CANCEL_MS = 10_000;
const SLOW_MS = 20_000;
/** Characters of what an agent writes besides the protocol. */
const LINE = 500;

export class AcpLink implements AgentLink {
  readonly #edits: ChangedEdits;
  readonly #served: Served;
  readonly #permissions: Permissions;
  readonly #turns: Turns;
  #connection: AcpConnection | undefined;
  /** What was asked last. */
  #peer: TurnPeer | undefined;
  #starting: Promise<void> | undefined;
  /** Gives up the start that is under way. */
  #givingUp: AbortController | undefined;
  /** Agents that are not used any more, and still end. */
  readonly #leaving: (Promise<void> | undefined)[] = [];
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
    const files = new AgentFiles({
      buffers,
      folders: () => [context.folder, ...options.folders()],
      mayRead: options.mayRead,
      edits: this.#edits,
      needsText: () => stumblesOverMissingFiles(this.#connection?.about.agentInfo),
    });
    this.#permissions = new Permissions({
      sink,
      files,
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
        this.#served.endTurn();
        this.#edits.endTurn();
      },
    });
    this.#served = new Served({ sink, files, permissions: this.#permissions, turns: this.#turns });
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
    if (this.#givingUp) {
      this.#givingUp.abort(new BridgeError('cancelled', 'cancelled before the agent was ready'));
      return;
    }
    this.#served.withdraw();
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
    return storedSessions(this.#need(), this.options.context.folder, this.#conversation);
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
    this.#givingUp?.abort(new BridgeError('cancelled', 'the session is closed'));
    this.#turns.dispose();
    this.#served.withdraw();
    this.#edits.dispose();
    await this.#starting?.catch(() => {
      // It has told of its failure.
    });
    await this.#connection?.close();
    await Promise.allSettled(this.#leaving);
    await this.#turns.stop();
  }

  async #start(resume: string | undefined): Promise<void> {
    const { context, recipe } = this.options;
    const { sink } = context;
    if (this.#disposed) throw new BridgeError('cancelled', 'the session is closed');
    sink.state('connecting', recipe.command);
    const givingUp = new AbortController();
    this.#givingUp = givingUp;
    const slow = setTimeout(() => this.#tellSlow(), this.options.slowMs ?? SLOW_MS);
    const established = this.#establish(resume, givingUp.signal);
    try {
      await untilAborted(established, givingUp.signal);
    } catch (error) {
      const connection = this.#connection;
      const reason = (await connection?.reason()) ?? this.#explain(error);
      this.#connection = undefined;
      // In its own time: the user need not wait for it to try again.
      this.#leaving.push(
        established.catch(() => {}),
        connection?.close(),
      );
      sink.state('failed', reason);
      throw error;
    } finally {
      clearTimeout(slow);
      this.#givingUp = undefined;
    }
    sink.state('connected', this.#connection?.about.agentInfo?.title ?? recipe.command);
  }

  async #establish(resume: string | undefined, signal: AbortSignal): Promise<void> {
    const connection = await this.#open(signal);
    if (signal.aborted) {
      await connection.close();
      throw signal.reason;
    }
    this.#connection = connection;
    this.options.context.sink.update(abilitiesOf(connection.about));
    const known = resume ?? this.#conversation;
    if (known === undefined) await this.#new();
    else await this.#goOn(known);
  }

  #tellSlow(): void {
    const text = 'The agent takes long to begin. To give it up, cancel.';
    this.options.context.sink.update({ kind: 'notice', level: 'warn', text });
  }

  #open(signal: AbortSignal): Promise<AcpConnection> {
    const { context, recipe, start, version } = this.options;
    const { logger } = context;
    const { command, args, env = {} } = recipe;
    return AcpConnection.open({
      command: { command, args, env, folder: context.folder },
      start,
      version,
      signal,
      calls: {
        update: (notification) => this.#update(notification),
        ...this.#served.calls(),
      },
      onErrorLine: (line) => logger.info('the agent writes', { line }),
      onOtherLine: (line) => logger.info('the agent writes', { line: line.slice(0, LINE) }),
      onTooLong: () => logger.warn('a message is too long and was left out'),
      onGreeting: () => context.sink.state('handshaking'),
      onEnd: (reason) => this.#gone(reason),
    });
  }

  /** After the agent was lost: with what was said, as far as it can. */
  async #goOn(conversation: string): Promise<void> {
    const { sink } = this.options.context;
    const { over } = this.#need();
    try {
      await this.#enter(conversation, this.#conversation !== conversation);
    } catch (error) {
      if (over.aborted) throw error;
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

  #update({ sessionId, update }: SessionNotification): void {
    const { sink } = this.options.context;
    this.#turns.heard();
    if (this.#muted || (sessionId !== this.#conversation && !this.#entering)) return;
    // What the user typed here is shown already; only the past is told again.
    if (update.sessionUpdate === 'user_message_chunk' && this.#turns.isRunning) return;
    for (const meant of updatesOf(this.#permissions.judge(update))) sink.update(meant);
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
    const { context, recipe } = this.options;
    this.#peer = turnPeer(connection, this.#session(), context.sink, recipe.login);
    return this.#peer;
  }

  async #giveUp(reason: string): Promise<void> {
    const connection = this.#connection;
    const closed = connection?.close();
    this.#leaving.push(closed);
    this.#gone(reason);
    await closed;
  }

  #gone(reason: string): void {
    this.#connection = undefined;
    this.#starting = undefined;
    this.#served.withdraw();
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
