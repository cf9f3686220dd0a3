/** The editor as the agents see it: its state, its events, and the commands that it takes. */
import type { CodeRunner } from './code-runner.ts';
import { Diagnostics } from './diagnostics.ts';
import { Emitter } from './emitter.ts';
import type { Logger } from './logger.ts';
import { type Mention, MentionQueue } from './mentions.ts';
import type { AbsolutePath, EditorEvent, EditorPort, Selection } from './ports.ts';
import type { Privacy } from './privacy.ts';
import { Reach, type ReachOptions } from './reach.ts';
import { type ReviewRequest, Reviews } from './reviews.ts';
import { SelectionTracker } from './selection-tracker.ts';
import { UriSpellings } from './uri-spellings.ts';
import { Workspace } from './workspace.ts';

export interface EditorOptions {
  readonly port: EditorPort;
  readonly logger: Logger;
  readonly privacy: Privacy;
  /** Absent: agents reach every file. */
  readonly reach?: Omit<ReachOptions, 'workspace'>;
  /** False: reviews are refused. */
  readonly reviews?: boolean;
  /** Absent where this editor can run no code. */
  readonly code?: CodeRunner;
  /** A review of this file was accepted: the agent will write it soon. */
  readonly onAccepted?: (path: AbsolutePath) => void;
  /** The user has rejected an edit and said why. */
  readonly onReason?: (request: ReviewRequest, reason: string) => void;
  /** An agent has been told of a mention, the first of perhaps several. */
  readonly onMentioned?: (mention: Mention) => void;
  /** The mentions that are kept for an agent to come, each time they change. */
  readonly onWaitingMentions?: (mentions: readonly Mention[]) => void;
}

export class Editor {
  readonly port: EditorPort;
  readonly privacy: Privacy;
  readonly workspace = new Workspace();
  readonly reach: Reach;
  readonly selection: SelectionTracker;
  readonly diagnostics: Diagnostics;
  readonly uriSpellings = new UriSpellings();
  readonly reviews: Reviews;
  readonly code: CodeRunner | undefined;
  readonly #mentions: MentionQueue;
  readonly #mentioned = new WeakSet<Mention>();
  readonly #onMentioned: EditorOptions['onMentioned'];
  readonly #documents = new Emitter<readonly AbsolutePath[]>();

  constructor(options: EditorOptions) {
    this.port = options.port;
    this.privacy = options.privacy;
    const everywhere = { outside: true, realPath: (path: AbsolutePath) => path };
    this.reach = new Reach({ ...(options.reach ?? everywhere), workspace: this.workspace });
    this.code = options.code;
    this.#mentions = new MentionQueue(options.onWaitingMentions);
    this.#onMentioned = options.onMentioned;
    this.selection = new SelectionTracker(options.privacy);
    this.diagnostics = new Diagnostics(options);
    this.reviews = new Reviews({
      ...options,
      enabled: options.reviews ?? true,
      onAccepted: (path) => {
        this.diagnostics.expectWrite(path);
        options.onAccepted?.(path);
      },
    });
  }

  /** For an agent that can hear from now on: it is told at once what was mentioned before. */
  onMention(listener: (mention: Mention) => void) {
    return this.#mentions.attach(listener);
  }

  get waitingMentions(): number {
    return this.#mentions.waiting;
  }

  /** To be called by each agent that has been told of the mention. */
  mentioned(mention: Mention): void {
    if (this.#mentioned.has(mention)) return;
    this.#mentioned.add(mention);
    this.#onMentioned?.(mention);
  }

  onDiagnostics(listener: (paths: readonly AbsolutePath[]) => void) {
    return this.diagnostics.onChange(listener);
  }

  /** The files that the editor has loaded, each time the list changes. */
  onDocuments(listener: (paths: readonly AbsolutePath[]) => void) {
    return this.#documents.on(listener);
  }

  onSelection(listener: (selection: Selection | undefined) => void) {
    return this.selection.onChange(listener);
  }

  /** Shows what is on disk in the buffers of these files. */
  async reloadFiles(paths: readonly AbsolutePath[]): Promise<void> {
    await this.port.reloadFiles(paths);
    this.diagnostics.shown(paths);
  }

  handle(event: EditorEvent): void {
    switch (event.kind) {
      case 'selection':
        this.selection.update(event.selection);
        break;
      case 'document-closed':
        this.selection.forget(event.path);
        this.diagnostics.forget(event.path);
        break;
      case 'documents':
        this.#documents.emit(event.paths);
        break;
      case 'workspace':
        this.workspace.update(event.folders);
        break;
      case 'diagnostics-changed':
        this.diagnostics.changed(event.paths);
        break;
      case 'mention':
        this.#mention(event);
        break;
      case 'sharing':
        this.privacy.share(event.isOn);
        this.selection.recheck();
        break;
      case 'review-decided':
        this.reviews.decide(event.id, event.decision);
        break;
    }
  }

  #mention({ path, lines }: Mention): void {
    if (this.privacy.excludes(path)) {
      this.port.notify('warn', `Not mentioned: your settings keep ${path} from agents`);
      return;
    }
    const before = this.#mentions.waiting;
    this.#mentions.add({ path, lines });
    if (before === 0 && this.#mentions.waiting > 0) {
      this.port.notify('info', 'No agent is connected; the first that is gets your mention');
    }
  }

  async dispose(): Promise<void> {
    await this.reviews.dispose();
  }
}
