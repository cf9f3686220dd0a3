/** A real session with a link of the test's choice and all else in memory. */
import type { Review, ReviewOutcome, ReviewRequest } from '../../src/core/reviews.ts';
import { SessionManager } from '../../src/session/manager.ts';
import type { Entry } from '../../src/session/model.ts';
import type { AgentLink, BufferPort, LinkContext, SessionEditor } from '../../src/session/ports.ts';
import type { ShownPrompt } from '../../src/session/prompts.ts';
import { MemoryView, type ShownSession, silentLogger } from './session-doubles.ts';
import { waitFor } from './wait-for.ts';

export interface LiveReview {
  readonly request: ReviewRequest;
  decide(outcome: ReviewOutcome): void;
}

export interface LiveOptions {
  readonly folder: string;
  readonly buffers?: BufferPort;
  readonly reviewEdits?: boolean;
  readonly editor?: Partial<SessionEditor>;
  connect(context: LinkContext): AgentLink;
}

export class LiveSession {
  readonly view = new MemoryView();
  readonly manager: SessionManager;
  readonly reviews: LiveReview[] = [];
  readonly reloaded: string[] = [];
  readonly opened: string[] = [];

  constructor(private readonly options: LiveOptions) {
    this.manager = new SessionManager({
      view: this.view,
      logger: silentLogger,
      config: { attachmentLimit: 100_000, reviewEdits: options.reviewEdits ?? true },
      editor: {
        openFile: async (path, line) => void this.opened.push(`${path}:${line}`),
        openFiles: async () => [],
        reloadFiles: async (paths) => void this.reloaded.push(...paths),
        mayRead: (path) => !path.endsWith('.env'),
        mayTell: (path) => !path.endsWith('.env'),
        ...options.editor,
      },
      buffers: options.buffers ?? { read: async () => undefined, write: async () => {} },
      reviews: { open: async (request) => this.#review(request), closeOwnedBy: async () => 0 },
      agents: { preferred: 'it', names: () => ['it'], connector: () => options.connect },
    });
  }

  open(fields: object = {}): void {
    this.tell({ kind: 'chat_open', folder: this.options.folder, ...fields });
  }

  /** What Lua would send. */
  tell(event: object): void {
    this.manager.handle({ session: 'it', ...event });
  }

  send(text: string, attachments: readonly object[] = []): void {
    this.tell({ kind: 'chat_send', text, attachments });
  }

  get shown(): ShownSession {
    return this.view.get('it');
  }

  get entries(): readonly Entry[] {
    return [...this.shown.entries.values()];
  }

  async state(state: string): Promise<void> {
    await this.eventually(() => {
      if (this.shown.status?.state !== state) {
        throw new Error(`it is ${this.shown.status?.state}: ${this.shown.status?.detail}`);
      }
    });
  }

  async prompted(kind: string, timeout?: number): Promise<ShownPrompt> {
    await this.eventually(() => {
      if (this.shown.prompt?.kind !== kind) throw new Error(`no ${kind} is on show`);
    }, timeout);
    return this.shown.prompt as ShownPrompt;
  }

  /** Answers the prompt on show. */
  answer(fields: object): void {
    const { prompt } = this.shown;
    this.shown.prompt = undefined;
    this.tell({ id: prompt?.id, ...fields });
  }

  async eventually(check: () => void, timeout = 10_000): Promise<void> {
    await waitFor(check, { timeout, interval: 10 });
  }

  async dispose(): Promise<void> {
    await this.manager.dispose();
  }

  async #review(request: ReviewRequest): Promise<Review> {
    let decide = (_: ReviewOutcome): void => {};
    const outcome = new Promise<ReviewOutcome>((resolve) => {
      decide = resolve;
    });
    this.reviews.push({ request, decide });
    return {
      id: String(this.reviews.length),
      request,
      openedAt: 0,
      outcome,
      text: async () => request.proposal,
      close: async (end) => decide({ kind: 'closed', end }),
    };
  }
}
