/** One live session: the conversation between its view and its link. */
import { randomUUID } from 'node:crypto';
import type { AsyncDisposable } from '../core/disposable.ts';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { AbsolutePath } from '../core/ports.ts';
import type { ReviewOutcome } from '../core/reviews.ts';
import { type AttachmentRequest, describe, readAttachment } from './attachments.ts';
import { cut } from './bounded-text.ts';
import { Conversation } from './conversation.ts';
import { askWithReview, editOf } from './edit-permission.ts';
import { Opens, Reloads } from './editor-calls.ts';
import { oneLine } from './entry-texts.ts';
import { fitUpdate } from './fit-update.ts';
import { COUNT_LIMIT, INPUT_LIMIT } from './limits.ts';
import type { EntryId, LinkState } from './model.ts';
import { Notices } from './notices.ts';
import { Outbox } from './outbox.ts';
import type {
  AgentLink,
  BufferPort,
  Context,
  LinkContext,
  PromptPart,
  ReviewPort,
  SessionEditor,
  SessionName,
  SessionSink,
  SessionUpdate,
  SessionView,
  ViewOp,
} from './ports.ts';
import { PromptQueue } from './prompt-queue.ts';
import type { Prompt, PromptAnswer } from './prompts.ts';
import { Status } from './status.ts';
import { ViewFeed } from './view-feed.ts';

/** How long a view has to take the last changes of a session that ends. */
const LAST_WORDS_MS = 1_000;

export interface SessionConfig {
  /** Bytes of one attachment. */
  readonly attachmentLimit: number;
  /** Whether edits that need a permission are shown in the review view too. */
  readonly reviewEdits: boolean;
}

export interface SessionOptions {
  readonly name: SessionName;
  readonly agent: string;
  /** The agent's working directory. */
  readonly folder: AbsolutePath;
  readonly view: SessionView;
  readonly editor: SessionEditor;
  readonly reviews: ReviewPort;
  readonly buffers: BufferPort;
  readonly logger: Logger;
  readonly config: SessionConfig;
  connect(context: LinkContext): AgentLink;
}

export class Session implements SessionSink, AsyncDisposable {
  readonly #conversation = new Conversation();
  readonly #status: Status;
  readonly #feed: ViewFeed;
  readonly #prompts: PromptQueue;
  readonly #outbox: Outbox;
  readonly #notices: Notices;
  readonly #reloads: Reloads;
  readonly #opens: Opens;
  readonly #link: AgentLink;
  #lastSent: EntryId | undefined;
  /** Under way or done; undefined where the link was never started or has failed. */
  #started: Promise<void> | undefined;
  #isReady = false;
  #disposing: Promise<void> | undefined;

  constructor(private readonly options: SessionOptions) {
    const { name, agent, view, logger, folder } = options;
    this.#status = new Status(agent);
    this.#feed = new ViewFeed({
      session: name,
      agent,
      view,
      logger,
      snapshot: () => [
        ...this.#conversation.snapshot(),
        ...this.#status.snapshot(),
        ...this.#prompts.snapshot(),
      ],
    });
    const push = (ops: readonly ViewOp[]): void => this.#feed.push(ops);
    this.#prompts = new PromptQueue({
      push,
      onCount: (waiting) => push(this.#status.set({ waiting })),
      onFull: () => this.#tellTooMany(),
    });
    this.#notices = new Notices({
      agent,
      conversation: this.#conversation,
      notify: (level, message) => view.notify(level, message),
    });
    this.#reloads = new Reloads(options.editor, (error) =>
      logger.warn('files were not reloaded', { reason: messageOf(error) }),
    );
    this.#opens = new Opens(options.editor);
    this.#outbox = new Outbox((queued) => push(this.#status.set({ queued })));
    this.#link = options.connect({ session: name, folder, sink: this, logger });
  }

  get name(): SessionName {
    return this.options.name;
  }

  get agent(): string {
    return this.options.agent;
  }

  show(): void {
    this.#feed.show();
  }

  /** Starts the agent, or again after a failure. Never rejects: the state tells. */
  async start(resume?: string): Promise<void> {
    await this.#ready(resume).catch(() => {
      // The link has said so by its state.
    });
  }

  send(text: string, attachments: readonly AttachmentRequest[]): void {
    const { folder } = this.options;
    const labels = attachments.map((request) => describe(request, folder));
    const { id, ops } = this.#conversation.say(text, labels);
    this.#feed.push(ops);
    this.#outbox.add({
      text,
      send: async () => {
        // What the agent takes is known when it runs.
        await this.#ready();
        await this.#link.prompt(await this.#parts(text, attachments));
      },
      onSent: () => {
        this.#lastSent = id;
        this.#feed.push(this.#conversation.delivered(id, 'sent'));
      },
      onFailed: (error) => this.#feed.push(this.#giveBack(id, text, firstLine(messageOf(error)))),
    });
  }

  #giveBack(id: EntryId | undefined, text: string, why: string): ViewOp[] {
    const said = `Not sent: ${why}. The text is back in the prompt.`;
    return [
      ...(id === undefined ? [] : this.#conversation.delivered(id, 'failed')),
      { op: 'input', text },
      ...this.#conversation.notice({ level: 'error', text: said }),
    ];
  }

  decide(id: string, option: string, reason: string | undefined): void {
    this.#answered(this.#prompts.decide(id, option, reason));
  }

  answer(id: string, given: Parameters<PromptQueue['answer']>[1]): void {
    this.#answered(this.#prompts.answer(id, given));
  }

  /** Runs a wish of the user; a failure is told. */
  wish(what: string, run: (link: AgentLink) => Promise<void>): void {
    this.#run(
      what,
      this.#ready().then(() => run(this.#link)),
    );
  }

  #run(what: string, wish: Promise<void>): void {
    wish.catch((error: unknown) => {
      this.options.logger.warn('a wish failed', { what, reason: messageOf(error) });
      this.options.view.notify('error', `${this.agent}: cannot ${what}: ${messageOf(error)}`);
    });
  }

  cancel(): void {
    if (this.#started === undefined) return;
    // Not behind the start, which it may be there to give up.
    if (this.#isReady) this.wish('cancel', (link) => link.cancel());
    else this.#run('cancel', this.#link.cancel());
  }

  list(): void {
    this.wish('list its sessions', async (link) => {
      const sessions = (await link.list()).slice(0, COUNT_LIMIT);
      this.#feed.push([{ op: 'sessions', sessions }]);
    });
  }

  push(context: Context): void {
    if ('path' in context && !this.options.editor.mayTell(context.path)) return;
    if (this.#started !== undefined) this.#link.push(context);
  }

  update(update: SessionUpdate): void {
    const fitted = fitUpdate(update);
    this.#feed.push(this.#apply(fitted));
    const changed = this.#changedFiles(fitted);
    if (changed.length > 0) this.#reloads.add(changed);
  }

  state(state: LinkState, detail?: string): void {
    if (state === 'failed') {
      this.#started = undefined;
      this.#isReady = false;
    }
    const ops = this.#status.state(state, detail && oneLine(detail));
    if (state === 'failed' || state === 'disconnected') {
      ops.push(...this.#status.set({ busy: false }), ...this.#conversation.endTurn('cancelled'));
    }
    if (state === 'failed' && detail !== undefined) {
      ops.push(...this.#conversation.notice({ level: 'error', text: cut(detail, INPUT_LIMIT) }));
    }
    this.#feed.push(ops);
    this.options.logger.info('session state', { session: this.name, state, detail });
  }

  ask(prompt: Prompt, signal: AbortSignal): Promise<PromptAnswer> {
    const edit = prompt.kind === 'permission' ? editOf(prompt) : undefined;
    if (prompt.kind !== 'permission' || !edit || !this.options.config.reviewEdits) {
      return this.#prompts.ask(prompt, signal);
    }
    const { reviews, logger } = this.options;
    const prompts = this.#prompts;
    const owner = this.#owner;
    return askWithReview(prompt, edit, signal, { owner, reviews, prompts, logger });
  }

  async review(
    edit: Parameters<SessionSink['review']>[0],
    signal: AbortSignal,
  ): Promise<ReviewOutcome> {
    const review = await this.options.reviews.open(
      {
        owner: this.#owner,
        key: edit.path,
        // Every edit is one of its own, however alike.
        requestId: randomUUID(),
        oldPath: edit.path,
        newPath: edit.path,
        proposal: edit.after,
        editable: true,
      },
      signal,
    );
    return review.outcome;
  }

  async openFile(path: AbsolutePath, line?: number): Promise<void> {
    await this.#opens.open(path, line);
  }

  /** Ends the agent. Idempotent. */
  dispose(message?: string): Promise<void> {
    this.#disposing ??= this.#dispose(message);
    return this.#disposing;
  }

  async #dispose(message: string | undefined): Promise<void> {
    this.#outbox.giveBack(new Error('the session was closed'));
    this.#prompts.end();
    this.#reloads.dispose();
    await this.options.reviews.closeOwnedBy(this.#owner, 'stopped');
    await this.#link.dispose().catch((error: unknown) => {
      this.options.logger.warn('an agent did not end well', { reason: messageOf(error) });
    });
    // A busy editor must not keep the process from ending.
    const late = setTimeout(() => this.#feed.dispose(), LAST_WORDS_MS);
    await this.#feed.settled();
    clearTimeout(late);
    this.#feed.dispose();
    try {
      await this.options.view.close(this.name, message);
    } catch (error) {
      // The editor may be gone first.
      this.options.logger.debug('a view was not closed', { reason: messageOf(error) });
    }
  }

  /** Apart from the clients of the editor's own server. */
  get #owner(): string {
    return `session ${this.name}`;
  }

  #ready(resume?: string): Promise<void> {
    const conversation = resume ?? this.#status.current.conversation;
    this.#started ??= this.#link
      .start(conversation === undefined ? {} : { resume: conversation })
      .then(() => {
        this.#isReady = true;
      })
      .catch((error: unknown) => {
        this.#started = undefined;
        throw error;
      });
    return this.#started;
  }

  async #parts(text: string, attachments: readonly AttachmentRequest[]): Promise<PromptPart[]> {
    const { buffers, config, editor, folder } = this.options;
    const { images } = this.#status.current.abilities;
    const limit = config.attachmentLimit;
    const files: PromptPart[] = [];
    for (const request of attachments) {
      if (!editor.mayRead(request.path)) {
        throw new BridgeError('refused', `your settings keep ${request.path} from agents`);
      }
      files.push(await readAttachment(request, { buffers, limit, folder, images }));
    }
    return [{ kind: 'text', text }, ...files];
  }

  #apply(update: SessionUpdate): ViewOp[] {
    switch (update.kind) {
      case 'unheard':
        this.#outbox.giveBack(new Error('the agent is gone'));
        return this.#giveBack(this.#lastSent, update.text, 'the agent is gone');
      case 'removed':
        return this.#conversation.remove(update.id);
      case 'cleared':
        return this.#conversation.clear();
      case 'turn': {
        const ops = this.#status.set({ busy: update.running, progress: [] });
        const tools = update.reason === 'cancelled' ? 'cancelled' : 'done';
        return update.running ? ops : [...this.#conversation.endTurn(tools), ...ops];
      }
      case 'progress':
        return this.#status.progress(update.progress);
      case 'usage':
        return this.#status.set(update.usage);
      case 'about':
        return this.#status.set(update.about);
      case 'choices':
        return this.#status.choose(update.choices);
      case 'abilities':
        return this.#status.abilities(update.abilities);
      case 'files-changed':
        return [];
      case 'notice':
        return this.#notices.tell(update);
      default:
        return this.#conversation.apply(update);
    }
  }

  #answered(problem: string | undefined): void {
    if (problem) this.options.logger.info('an answer came too late', { reason: problem });
  }

  #tellTooMany(): void {
    const text = `More wait for an answer than a person could give; further ones are declined.`;
    this.#feed.push(this.#conversation.notice({ level: 'warn', text }));
  }

  /** Files that the agent may have written by itself. */
  #changedFiles(update: SessionUpdate): readonly AbsolutePath[] {
    if (update.kind === 'files-changed') return update.paths;
    if (update.kind !== 'tool' || update.fields.state !== 'done') return [];
    return this.#conversation.diffsOf(update.id).map((diff) => diff.path);
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0]?.replace(/:$/u, '') ?? '';
