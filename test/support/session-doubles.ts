/** Ends of a live session in memory: a view that applies what it is told, and a link that records. */
import type { Logger } from '../../src/core/logger.ts';
import type { Choices, Entry, SessionStatus, StoredSession } from '../../src/session/model.ts';
import type {
  AgentLink,
  Context,
  PromptPart,
  SessionView,
  ViewOp,
} from '../../src/session/ports.ts';
import type { ShownPrompt } from '../../src/session/prompts.ts';

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** What a view must do with operations, in its plainest form. */
export class ShownSession {
  readonly entries = new Map<string, Entry>();
  status: SessionStatus | undefined;
  choices: Choices | undefined;
  prompt: ShownPrompt | undefined;
  sessions: readonly StoredSession[] = [];
  readonly dismissed: string[] = [];
  input = '';

  apply(op: ViewOp): void {
    switch (op.op) {
      case 'put':
        this.entries.set(op.entry.id, op.entry);
        break;
      case 'append':
        this.#change(op.id, (entry) => ({
          ...entry,
          [op.field]: `${(entry as unknown as Record<string, string>)[op.field]}${op.text}`,
        }));
        break;
      case 'patch':
        this.#change(op.id, (entry) => ({ ...entry, ...op.fields }));
        break;
      case 'remove':
        this.entries.delete(op.id);
        break;
      case 'clear':
        this.entries.clear();
        break;
      case 'status':
        this.status = op.status;
        break;
      case 'choices':
        this.choices = op.choices;
        break;
      case 'ask':
        this.prompt = op.prompt;
        break;
      case 'dismiss':
        this.dismissed.push(`${op.id} ${op.reason}`);
        if (this.prompt?.id === op.id) this.prompt = undefined;
        break;
      case 'sessions':
        this.sessions = op.sessions;
        break;
      case 'input':
        this.input = this.input === '' ? op.text : `${op.text}\n${this.input}`;
    }
  }

  #change(id: string, change: (entry: Entry) => object): void {
    const entry = this.entries.get(id);
    if (entry) this.entries.set(id, change(entry) as Entry);
  }
}

export class MemoryView implements SessionView {
  readonly shown = new Map<string, ShownSession>();
  readonly batches: { session: string; batch: number; ops: readonly ViewOp[] }[] = [];
  readonly notices: string[] = [];
  readonly closed: string[] = [];
  opened = 0;
  /** Called before each batch; throws to make the view fail. */
  onApply: (batch: number) => void | Promise<void> = () => {};
  #last = new Map<string, number>();

  get(session: string): ShownSession {
    const shown = this.shown.get(session);
    if (!shown) throw new Error(`no view of ${session}`);
    return shown;
  }

  async open(session: string): Promise<void> {
    this.opened += 1;
    this.#last.set(session, 0);
    if (!this.shown.has(session)) this.shown.set(session, new ShownSession());
  }

  async apply(session: string, batch: number, ops: readonly ViewOp[]): Promise<undefined> {
    await this.onApply(batch);
    this.batches.push({ session, batch, ops });
    if (batch <= (this.#last.get(session) ?? 0)) return undefined;
    this.#last.set(session, batch);
    for (const op of ops) this.get(session).apply(op);
    return undefined;
  }

  async close(session: string): Promise<void> {
    this.closed.push(session);
  }

  notify(level: string, message: string): void {
    this.notices.push(`${level}: ${message}`);
  }
}

/** A link that does what it is told by the test. */
export class MemoryLink implements AgentLink {
  readonly calls: string[] = [];
  readonly prompts: (readonly PromptPart[])[] = [];
  readonly contexts: Context[] = [];
  onStart: () => Promise<void> = async () => {};
  onPrompt: () => Promise<void> = async () => {};

  async start(options: { readonly resume?: string }): Promise<void> {
    this.calls.push(options.resume === undefined ? 'start' : `start ${options.resume}`);
    await this.onStart();
  }
  async prompt(parts: readonly PromptPart[]): Promise<void> {
    await this.onPrompt();
    this.prompts.push(parts);
  }
  async cancel(): Promise<void> {
    this.calls.push('cancel');
  }
  async pause(): Promise<void> {
    this.calls.push('pause');
  }
  async resume(): Promise<void> {
    this.calls.push('resume');
  }
  async reset(): Promise<void> {
    this.calls.push('reset');
  }
  async list(): Promise<readonly StoredSession[]> {
    return [{ id: 'c1', title: 'First', current: true }];
  }
  async switchTo(conversation: string, options: { readonly history: boolean }): Promise<void> {
    this.calls.push(`${options.history ? 'load' : 'switch'} ${conversation}`);
  }
  async setModel(model: string): Promise<void> {
    this.calls.push(`model ${model}`);
  }
  async setMode(mode: string): Promise<void> {
    this.calls.push(`mode ${mode}`);
  }
  push(context: Context): void {
    this.contexts.push(context);
  }
  async applyEdit(path: string): Promise<void> {
    this.calls.push(`apply ${path}`);
  }
  async rejectEdit(path: string): Promise<void> {
    this.calls.push(`reject ${path}`);
  }
  async dispose(): Promise<void> {
    this.calls.push('dispose');
  }
}
