/**
 * The two borders of a live session. A view shows it and knows no dialect; a link speaks a dialect
 * and knows no view. Between them stands the session (`session.ts`) with the conversation.
 */
import type { AsyncDisposable } from '../core/disposable.ts';
import type { Logger } from '../core/logger.ts';
import type { AbsolutePath, Diagnostic, ReviewEnd, Selection } from '../core/ports.ts';
import type { Review, ReviewOutcome, ReviewOwner, ReviewRequest } from '../core/reviews.ts';
import type {
  Abilities,
  Attachment,
  Choices,
  Entry,
  EntryId,
  EntryPatch,
  LinkState,
  MessageEntry,
  PlanItem,
  Progress,
  PromptId,
  SessionStatus,
  StoredSession,
  ToolEntry,
} from './model.ts';
import type { DismissReason, Prompt, PromptAnswer, ShownPrompt } from './prompts.ts';

/** Chosen by the session manager, unique in this editor: 'gemini', 'gemini-2'. */
export type SessionName = string;

/**
 * The closed set of changes to a view. Each makes sense by itself: it names its entry, and an
 * operation on an entry that the view does not have changes nothing.
 */
export type ViewOp =
  /** Adds the entry at the end, or replaces the one of the same id where it stands. */
  | { readonly op: 'put'; readonly entry: Entry }
  | {
      readonly op: 'append';
      readonly id: EntryId;
      readonly field: 'text' | 'output';
      readonly text: string;
    }
  | { readonly op: 'patch'; readonly id: EntryId; readonly fields: EntryPatch }
  | { readonly op: 'remove'; readonly id: EntryId }
  /** Empties the conversation: another begins, or all of it follows again. */
  | { readonly op: 'clear' }
  /** Whole, replaces the last one. */
  | { readonly op: 'status'; readonly status: SessionStatus }
  /** Whole, replaces the last ones. */
  | { readonly op: 'choices'; readonly choices: Choices }
  /** Shows a prompt; one of the same id is replaced. At most one is on show in a session. */
  | { readonly op: 'ask'; readonly prompt: ShownPrompt }
  | { readonly op: 'dismiss'; readonly id: PromptId; readonly reason: DismissReason }
  /** The answer to a wish to see them. */
  | { readonly op: 'sessions'; readonly sessions: readonly StoredSession[] }
  /** Gives back what the user typed and the agent will not get. */
  | { readonly op: 'input'; readonly text: string };

/**
 * Shows sessions. Calls may fail with `editor-busy`; the caller tries the same batch again, and a
 * batch whose number was already applied does nothing.
 */
export interface SessionView {
  /** Makes the place of a session, or brings it to the front; what it shows comes by `apply`. */
  open(session: SessionName, agent: string): Promise<void>;
  /**
   * @returns the processor time that it took, ms, where that is known.
   * @throws BridgeError `not-found` where the user has closed the view.
   */
  apply(session: SessionName, batch: number, ops: readonly ViewOp[]): Promise<number | undefined>;
  /** The session is over. What was said stays readable. */
  close(session: SessionName, message?: string): Promise<void>;
  notify(level: 'info' | 'warn' | 'error', message: string): void;
}

/** Text of open files, unsaved changes included. Paths are real and inside the workspace. */
export interface BufferPort {
  /** Undefined where no buffer holds the file. */
  read(path: AbsolutePath): Promise<string | undefined>;
  /** Changes the buffer as one undo step and saves it; loads it where it is not open. */
  write(path: AbsolutePath, text: string): Promise<void>;
}

/** The reviews of the core, as far as a session needs them. */
export interface ReviewPort {
  open(request: ReviewRequest, signal: AbortSignal): Promise<Review>;
  closeOwnedBy(owner: ReviewOwner, end: ReviewEnd): Promise<number>;
}

/** What a session asks of the editor besides its view. */
export interface SessionEditor {
  openFile(path: AbsolutePath, line?: number): Promise<void>;
  /** The files that the user has open. */
  openFiles(): Promise<readonly AbsolutePath[]>;
  /** Shows what is on disk; unsaved text stays. */
  reloadFiles(paths: readonly AbsolutePath[]): Promise<void>;
  /** False for files that the user keeps from agents altogether. */
  mayRead(path: AbsolutePath): boolean;
  /** False for files of which agents are told nothing unasked. */
  mayTell(path: AbsolutePath): boolean;
}

/** What a link is made with. */
export interface LinkContext {
  readonly session: SessionName;
  /** The agent's working directory. */
  readonly folder: AbsolutePath;
  readonly sink: SessionSink;
  readonly logger: Logger;
}

export type PromptPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'file';
      readonly path: AbsolutePath;
      /** 0-based, both included. */
      readonly lines?: { readonly first: number; readonly last: number };
      /** Absent where the file is over the limit: it is then only named. */
      readonly text?: string;
    }
  | {
      readonly kind: 'image';
      readonly path: AbsolutePath;
      readonly mime: string;
      readonly base64: string;
    };

/** What the editor tells of itself while a session runs. */
export type Context =
  | { readonly kind: 'selection'; readonly selection: Selection | undefined }
  | { readonly kind: 'file-selected'; readonly path: AbsolutePath }
  | { readonly kind: 'file-saved'; readonly path: AbsolutePath }
  | {
      readonly kind: 'diagnostics';
      readonly path: AbsolutePath;
      readonly diagnostics: readonly Diagnostic[];
    }
  | { readonly kind: 'theme'; readonly theme: 'dark' | 'light' };

/** What a dialect must offer. A wish that its protocol lacks fails with `unavailable`. */
export interface AgentLink extends AsyncDisposable {
  /**
   * Connects, also after a failure; resolves when the agent can take a prompt. Reconnecting is the
   * link's own matter.
   */
  start(options: { readonly resume?: string }): Promise<void>;
  /**
   * Hands over what the user typed; resolves when it cannot be lost any more. What the agent does
   * about it comes by the sink.
   */
  prompt(parts: readonly PromptPart[]): Promise<void>;
  cancel(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Begins a new conversation. */
  reset(): Promise<void>;
  list(): Promise<readonly StoredSession[]>;
  /** Goes on with another conversation; `history` asks for what was said. */
  switchTo(conversation: string, options: { readonly history: boolean }): Promise<void>;
  setModel(model: string): Promise<void>;
  setMode(mode: string): Promise<void>;
  /** Never fails and may be dropped: context is only of use while it is fresh. */
  push(context: Context): void;
  applyEdit(path: AbsolutePath, text: string): Promise<void>;
  rejectEdit(path: AbsolutePath, reason: string): Promise<void>;
}

/** Fields of a message or tool call as a dialect learns them; the rest keeps its value. */
export type MessageUpdate = Partial<Omit<MessageEntry, 'id' | 'kind'>>;
export type ToolUpdate = Partial<Omit<ToolEntry, 'id' | 'kind'>>;

export type SessionUpdate =
  /** Text at the end of a message; without an id, of the last message if it is of the same role. */
  | {
      readonly kind: 'text';
      readonly role: MessageEntry['kind'];
      readonly id?: EntryId;
      readonly text: string;
    }
  /** The message as a whole, in place of what was there. */
  | {
      readonly kind: 'message';
      readonly role: MessageEntry['kind'];
      readonly id: EntryId;
      readonly fields: MessageUpdate;
    }
  | { readonly kind: 'tool'; readonly id: EntryId; readonly fields: ToolUpdate }
  | { readonly kind: 'tool-output'; readonly id: EntryId; readonly text: string }
  | { readonly kind: 'plan'; readonly items: readonly PlanItem[] }
  | {
      readonly kind: 'notice';
      readonly level: 'info' | 'warn' | 'error';
      readonly text: string;
      /** Also shown outside the conversation. */
      readonly alert?: boolean;
    }
  | { readonly kind: 'attachment'; readonly attachment: Attachment }
  /** The agent has gone without having got the text that it was sent last. */
  | { readonly kind: 'unheard'; readonly text: string }
  | { readonly kind: 'removed'; readonly id: EntryId }
  | { readonly kind: 'cleared' }
  /** Whether the agent works on a prompt; the end of a turn ends all streaming. */
  | { readonly kind: 'turn'; readonly running: boolean; readonly reason?: string }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'usage'; readonly usage: Pick<SessionStatus, 'cost' | 'tokens'> }
  | {
      readonly kind: 'about';
      readonly about: Partial<Pick<SessionStatus, 'title' | 'conversation' | 'model' | 'mode'>>;
    }
  | { readonly kind: 'choices'; readonly choices: Partial<Choices> }
  | { readonly kind: 'abilities'; readonly abilities: Partial<Abilities> }
  | { readonly kind: 'files-changed'; readonly paths: readonly AbsolutePath[] };

/** What a dialect is given: the one way back into the product. */
export interface SessionSink {
  update(update: SessionUpdate): void;
  state(state: LinkState, detail?: string): void;
  /**
   * Asks the user. Settles once and never rejects; `cancelled` after the signal aborts (say with
   * the reason 'elsewhere' where it was decided in another place).
   */
  ask(prompt: Prompt, signal: AbortSignal): Promise<PromptAnswer>;
  /** Shows a proposed edit that no permission hangs on. */
  review(
    edit: { readonly path: AbsolutePath; readonly before?: string; readonly after: string },
    signal: AbortSignal,
  ): Promise<ReviewOutcome>;
  openFile(path: AbsolutePath, line?: number): Promise<void>;
}
