/** A session over the message bus. */
import path from 'node:path';
import { z } from 'zod';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { PipeOpener } from '../core/pipe.ts';
import type { AbsolutePath } from '../core/ports.ts';
import { COUNT_LIMIT } from '../session/limits.ts';
import type { LinkState, StoredSession } from '../session/model.ts';
import type { AgentLink, Context, LinkContext, PromptPart } from '../session/ports.ts';
import { asText } from '../session/prompt-text.ts';
import {
  type AgentMessage,
  isAgentMessageType,
  parseAgentMessage,
  StoredInStatus,
} from './agent-messages.ts';
import { Asks } from './asks.ts';
import { BusConnection, TIMING, type Timing } from './connection.ts';
import type { EditorMessage } from './editor-messages.ts';
import type { Envelope } from './envelope.ts';
import { Inbound } from './inbound.ts';
import { TurnWatch } from './turn-watch.ts';

export interface BusLinkOptions {
  readonly context: LinkContext;
  readonly opener: PipeOpener;
  readonly debug: boolean;
  readonly timing?: Timing;
  /** How long the agent must be quiet for its turn to be over, ms. */
  readonly quietMs?: number;
}

const QUIET_MS = 3_000;
/** Edits that wait for review at a time: no person could look through more. */
const REVIEWS = 50;

export class BusLink implements AgentLink {
  readonly #connection: BusConnection;
  readonly #asks: Asks;
  readonly #inbound: Inbound;
  readonly #turn: TurnWatch;
  #sessions: readonly StoredSession[] = [];
  /** Edits on show that no permission hangs on. */
  #reviews = 0;
  #hasRefused = false;
  #conversation: string | undefined;
  /** The agent is another than the one that the conversation began with. */
  #anew = false;

  constructor(private readonly options: BusLinkOptions) {
    const { context, opener, debug, timing = TIMING, quietMs = QUIET_MS } = options;
    const { sink, logger, folder } = context;
    this.#connection = new BusConnection({
      opener,
      logger,
      debug,
      timing,
      onMessage: (message) => this.#receive(message),
      onState: (state, detail) => this.#state(state, detail),
      onGone: () => this.#gone(),
      greeting: () => this.#greeting(),
    });
    this.#asks = new Asks({
      sink,
      folder,
      send: (message) => this.#say(message),
      holds: (message) => this.#connection.holds(message),
      retract: (message) => this.#connection.retract((one) => one === message),
    });
    this.#inbound = new Inbound({ sink, logger, folder });
    this.#turn = new TurnWatch(quietMs, (running, reason) => {
      if (!running) this.#inbound.endTurn();
      sink.update({ kind: 'turn', running, ...(reason && { reason }) });
    });
  }

  async start(options: { readonly resume?: string }): Promise<void> {
    const { sink } = this.options.context;
    sink.update({ kind: 'abilities', abilities: { pause: true, reset: true, load: true } });
    await this.#connection.start();
    if (options.resume !== undefined) {
      await this.#send({ type: 'switch_session', data: { sessionId: options.resume } });
    }
    this.#tell({ type: 'get_status' });
  }

  async prompt(parts: readonly PromptPart[]): Promise<void> {
    // After a good end the agent is called again only for what the user has to say.
    await this.#connection.start();
    await this.#send({ type: 'user_input', data: { text: asText(parts) } });
    this.#turn.active();
  }

  async cancel(): Promise<void> {
    this.#asks.withdrawAll();
    await this.#send({ type: 'cancel_request', data: {} });
    this.#turn.end('cancelled');
  }

  async pause(): Promise<void> {
    await this.#send({ type: 'pause_session' });
    this.#connection.pause(true);
  }

  async resume(): Promise<void> {
    await this.#send({ type: 'resume_session' });
    this.#connection.pause(false);
  }

  async reset(): Promise<void> {
    await this.#send({ type: 'reset_session', data: {} });
    this.#begin();
  }

  async list(): Promise<readonly StoredSession[]> {
    if (this.#sessions.length > 0) return this.#sessions;
    throw new BridgeError('unavailable', 'the agent has not told of any');
  }

  async switchTo(conversation: string): Promise<void> {
    await this.#send({ type: 'switch_session', data: { sessionId: conversation } });
    this.#begin();
    this.options.context.sink.update({ kind: 'about', about: { conversation } });
  }

  async setModel(model: string): Promise<void> {
    await this.#send({ type: 'set_model', data: { model } });
    this.options.context.sink.update({ kind: 'about', about: { model } });
  }

  async setMode(mode: string): Promise<void> {
    await this.#send({ type: 'set_permission_mode', data: { mode } });
    this.options.context.sink.update({ kind: 'about', about: { mode } });
  }

  push(context: Context): void {
    const message = contextMessage(context);
    if (message) this.#tell(message);
  }

  async applyEdit(file: AbsolutePath, text: string): Promise<void> {
    await this.#send({ type: 'apply_edit', data: { filePath: file, newContent: text } });
  }

  async rejectEdit(file: AbsolutePath, reason: string): Promise<void> {
    await this.#send({ type: 'reject_edit', data: { filePath: file, reason } });
  }

  async dispose(): Promise<void> {
    this.#turn.dispose();
    this.#asks.withdrawAll();
    await this.#connection.dispose();
  }

  #gone(): void {
    this.#anew = true;
    this.#asks.forget();
    this.#connection.retract(({ type }) => type === 'cancel_request');
  }

  #greeting(): EditorMessage | undefined {
    const { opener } = this.options;
    if (!this.#anew || !opener.startsAnew || this.#conversation === undefined) return undefined;
    return { type: 'switch_session', data: { sessionId: this.#conversation } };
  }

  /** Another conversation: nothing that was asked in the last one counts any more. */
  #begin(): void {
    this.#asks.withdrawAll();
    this.#turn.end();
    this.options.context.sink.update({ kind: 'cleared' });
  }

  #state(state: LinkState, detail: string | undefined): void {
    if (state === 'disconnected' || state === 'failed') this.#turn.reset();
    this.options.context.sink.state(state, detail);
  }

  #receive({ type, data, id }: Envelope): void {
    const { logger } = this.options.context;
    if (!isAgentMessageType(type)) {
      logger.info('a message of unknown type is ignored', { type });
      return;
    }
    const parsed = parseAgentMessage(type, data, id ?? undefined);
    if ('problem' in parsed) {
      logger.warn('a message is not understood', { type, reason: parsed.problem });
      return;
    }
    this.#handle(parsed.message);
  }

  #handle(message: AgentMessage): void {
    switch (message.type) {
      case 'ping':
      case 'pong':
        // Answered where the connection is kept.
        return;
      case 'permission_request':
      case 'plan_approval_request':
      case 'question_request':
      case 'elicitation':
        this.#turn.active();
        this.#asks.ask(message);
        return;
      case 'permission_response':
      case 'plan_approval_response':
      case 'question_response':
      case 'elicitation_response':
        this.#asks.answeredElsewhere(message);
        return;
      case 'show_diff':
        void this.#review(message.data);
        return;
      case 'open_file':
        void this.#open(message.data);
        return;
      case 'status':
        this.#remember(message.data.sessions);
        this.#conversation = message.data.sessionId ?? this.#conversation;
        break;
      case 'tool_use_start':
        this.#turn.toolStarts(message.data.id);
        break;
      case 'tool_use_result':
        this.#turn.toolEnds(message.data.id);
        break;
      case 'message_added':
      case 'message_updated':
      case 'tool_use_delta':
      case 'command_output':
        this.#turn.active();
    }
    this.#inbound.tell(message);
  }

  async #review(data: Extract<AgentMessage, { type: 'show_diff' }>['data']): Promise<void> {
    const { sink, folder, logger } = this.options.context;
    const file = path.resolve(folder, data.filePath);
    const before = typeof data.oldContent === 'string' ? { before: data.oldContent } : {};
    if (this.#reviews >= REVIEWS) {
      this.#refuseReview(data.filePath);
      return;
    }
    this.#reviews += 1;
    try {
      const edit = { path: file, ...before, after: data.newContent };
      const outcome = await sink.review(edit, new AbortController().signal);
      if (outcome.kind === 'accepted') {
        // The name as the agent gave it, so that it knows its own request again.
        await this.applyEdit(data.filePath, outcome.text);
      } else if (outcome.kind === 'rejected') {
        await this.rejectEdit(data.filePath, outcome.reason ?? '');
      }
    } catch (error) {
      logger.warn('a diff was not shown', { reason: messageOf(error) });
      await this.rejectEdit(data.filePath, messageOf(error)).catch(() => {
        // The session has ended: nobody is there to be told.
      });
    } finally {
      this.#reviews -= 1;
      if (this.#reviews === 0) this.#hasRefused = false;
    }
  }

  #refuseReview(filePath: string): void {
    const reason = `${REVIEWS} edits wait for review`;
    this.#say({ type: 'reject_edit', data: { filePath, reason } });
    if (this.#hasRefused) return;
    this.#hasRefused = true;
    const text = `${reason}; further ones are rejected.`;
    this.options.context.sink.update({ kind: 'notice', level: 'warn', text });
  }

  async #open(data: Extract<AgentMessage, { type: 'open_file' }>['data']): Promise<void> {
    const { sink, folder, logger } = this.options.context;
    const line = typeof data.line === 'number' ? Math.max(0, data.line - 1) : undefined;
    try {
      await sink.openFile(path.resolve(folder, data.path), line);
    } catch (error) {
      logger.warn('a file was not opened', { reason: messageOf(error) });
    }
  }

  #remember(sessions: unknown): void {
    const parsed = z.array(StoredInStatus).safeParse(sessions);
    if (!parsed.success) return;
    this.#sessions = parsed.data.slice(0, COUNT_LIMIT).map(({ id, title, current }) => ({
      id,
      title: title ?? id,
      current: current ?? false,
    }));
    const list = this.#sessions.length > 0;
    this.options.context.sink.update({ kind: 'abilities', abilities: { list } });
  }

  /** What the user wants brings back an agent that is away. */
  async #send(message: EditorMessage): Promise<void> {
    this.#connection.start().catch(() => {
      // The state says why.
    });
    await this.#connection.send(message);
  }

  #say(message: EditorMessage): void {
    this.#send(message).catch((error: unknown) => this.#notSent(message, error));
  }

  /** What may be dropped, or is sent on behalf of nobody who waits. */
  #tell(message: EditorMessage): void {
    this.#connection.send(message).catch((error: unknown) => this.#notSent(message, error));
  }

  #notSent({ type }: EditorMessage, error: unknown): void {
    this.options.context.logger.debug('a message was not sent', { type, reason: messageOf(error) });
  }
}

function contextMessage(context: Context): EditorMessage | undefined {
  switch (context.kind) {
    case 'selection': {
      if (!context.selection) return undefined;
      const { text, path: file, range } = context.selection;
      const { start, end } = range;
      return { type: 'selection_changed', data: { text, path: file, range: { start, end } } };
    }
    case 'file-selected':
      return { type: 'file_selected', data: { path: context.path } };
    case 'file-saved':
      return { type: 'file_saved', data: { path: context.path } };
    case 'theme':
      return { type: 'set_ide_theme', data: { theme: context.theme } };
    case 'diagnostics':
      // The protocol has no message for them in this direction.
      return undefined;
  }
}
