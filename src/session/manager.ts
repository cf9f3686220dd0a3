/** All live sessions of this editor, by name. */
import type { AsyncDisposable } from '../core/disposable.ts';
import { messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { AbsolutePath } from '../core/ports.ts';
import { ChatCommand } from './commands.ts';
import type {
  AgentLink,
  BufferPort,
  Context,
  LinkContext,
  ReviewPort,
  SessionEditor,
  SessionName,
  SessionView,
} from './ports.ts';
import { Session, type SessionConfig } from './session.ts';

/** The agents that the configuration knows. */
export interface AgentDirectory {
  /** For a session that names no agent. */
  readonly preferred: string;
  /** Makes the link to an agent; undefined where there is none of that name. */
  connector(agent: string): ((context: LinkContext) => AgentLink) | undefined;
  names(): readonly string[];
}

export interface SessionManagerOptions {
  readonly view: SessionView;
  readonly editor: SessionEditor;
  readonly reviews: ReviewPort;
  readonly buffers: BufferPort;
  readonly agents: AgentDirectory;
  readonly config: SessionConfig;
  readonly logger: Logger;
}

type SessionCommand = Exclude<ChatCommand, { kind: 'chat_open' | 'chat_context' }>;

export class SessionManager implements AsyncDisposable {
  readonly #sessions = new Map<SessionName, Session>();
  /** Names of sessions whose views still close. */
  readonly #closing = new Map<SessionName, Promise<void>>();

  constructor(private readonly options: SessionManagerOptions) {}

  /** Takes what Lua sends; anything that is no chat command is told and ignored. */
  handle(event: unknown): void {
    const command = ChatCommand.safeParse(event);
    if (!command.success) {
      this.options.logger.warn('a chat event does not parse', { reason: command.error.message });
      return;
    }
    this.#run(command.data);
  }

  get isEmpty(): boolean {
    return this.#sessions.size === 0;
  }

  /** To all sessions, as far as their agents can hear it. */
  push(context: Context): void {
    for (const session of this.#sessions.values()) session.push(context);
  }

  async dispose(): Promise<void> {
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of all) this.#close(session);
    await Promise.allSettled(this.#closing.values());
  }

  #run(command: ChatCommand): void {
    if (command.kind === 'chat_open') this.#open(command);
    else if (command.kind === 'chat_context') this.push(contextOf(command.context));
    else {
      const session = this.#sessions.get(command.session);
      if (session) this.#command(session, command);
      else this.options.view.notify('warn', `There is no session ${command.session}.`);
    }
  }

  #open(command: Extract<ChatCommand, { kind: 'chat_open' }>): void {
    const { agents, view } = this.options;
    const agent = command.agent ?? agents.preferred;
    const running = [...this.#sessions.values()].find((session) => session.agent === agent);
    if (running && !command.fresh) {
      running.show();
      return;
    }
    const connect = agents.connector(agent);
    if (!connect) {
      const known = agents.names().join(', ');
      view.notify('error', `There is no agent ${agent}. The configuration knows: ${known}.`);
      return;
    }
    const session = this.#make(agent, command.folder, connect);
    if (!session) return;
    this.#sessions.set(session.name, session);
    session.show();
    void session.start(command.conversation);
  }

  #make(
    agent: string,
    folder: AbsolutePath,
    connect: (context: LinkContext) => AgentLink,
  ): Session | undefined {
    const { view, editor, reviews, buffers, logger, config } = this.options;
    const name = this.#freeName(agent);
    const ports = { view, editor, reviews, buffers, logger, config };
    try {
      return new Session({ name, agent, folder, ...ports, connect });
    } catch (error) {
      view.notify('error', `${agent} cannot be started: ${messageOf(error)}`);
      return undefined;
    }
  }

  #freeName(agent: string): SessionName {
    let name = agent;
    const taken = (): boolean => this.#sessions.has(name) || this.#closing.has(name);
    for (let number = 2; taken(); number += 1) name = `${agent}-${number}`;
    return name;
  }

  #close(session: Session): void {
    this.#sessions.delete(session.name);
    const closed = session.dispose().finally(() => this.#closing.delete(session.name));
    this.#closing.set(session.name, closed);
  }

  #command(session: Session, command: SessionCommand): void {
    switch (command.kind) {
      case 'chat_show':
        session.show();
        break;
      case 'chat_send':
        session.send(command.text, command.attachments ?? []);
        break;
      case 'chat_decide':
        session.decide(command.id, command.option, command.reason);
        break;
      case 'chat_answer':
        session.answer(command.id, { answers: command.answers, values: command.values });
        break;
      case 'chat_cancel':
        session.cancel();
        break;
      case 'chat_list':
        session.list();
        break;
      case 'chat_close':
        this.#close(session);
        break;
      default:
        wishOf(session, command);
    }
  }
}

type Wish = Exclude<
  SessionCommand,
  {
    kind:
      | 'chat_show'
      | 'chat_send'
      | 'chat_decide'
      | 'chat_answer'
      | 'chat_cancel'
      | 'chat_list'
      | 'chat_close';
  }
>;

function wishOf(session: Session, command: Wish): void {
  switch (command.kind) {
    case 'chat_pause':
      session.wish('pause', (link) => link.pause());
      break;
    case 'chat_resume':
      session.wish('resume', (link) => link.resume());
      break;
    case 'chat_reset':
      session.wish('start anew', (link) => link.reset());
      break;
    case 'chat_switch':
      session.wish('switch the session', (link) =>
        link.switchTo(command.conversation, { history: false }),
      );
      break;
    case 'chat_load':
      session.wish('load the session', (link) =>
        link.switchTo(command.conversation, { history: true }),
      );
      break;
    case 'chat_set_model':
      session.wish('set the model', (link) => link.setModel(command.model));
      break;
    case 'chat_set_mode':
      session.wish('set the mode', (link) => link.setMode(command.mode));
      break;
  }
}

function contextOf(context: Extract<ChatCommand, { kind: 'chat_context' }>['context']): Context {
  return context.what === 'theme'
    ? { kind: 'theme', theme: context.theme }
    : { kind: context.what, path: context.path };
}
