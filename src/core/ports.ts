/**
 * What the core asks of an editor. The one implementation drives Neovim (`src/nvim`); tests bring
 * an editor in memory. Every call ends within its own time limit: where the editor waits at a
 * prompt it fails with `editor-busy`, and what it asked for is not done later.
 */
import type { LineRange, Range } from './positions.ts';

/** Paths in the core are absolute, of real files on this machine. */
export type AbsolutePath = string;

export interface Selection {
  readonly path: AbsolutePath;
  /** Where nothing is selected: '' with a range of no width at the cursor. */
  readonly text: string;
  readonly range: Range;
}

export interface OpenEditor {
  readonly path: AbsolutePath;
  readonly languageId: string;
  readonly isActive: boolean;
  readonly isDirty: boolean;
  readonly lineCount: number;
}

export type Severity = 'error' | 'warning' | 'information' | 'hint';

export interface Diagnostic {
  readonly message: string;
  readonly severity: Severity;
  readonly range: Range;
  readonly source?: string | undefined;
  readonly code?: string | undefined;
}

export interface FileDiagnostics {
  readonly path: AbsolutePath;
  readonly diagnostics: readonly Diagnostic[];
}

export interface DocumentState {
  readonly path: AbsolutePath;
  readonly isDirty: boolean;
  readonly isUntitled: boolean;
  /** A language server looks at the file and will publish diagnostics after a change. */
  readonly hasLanguageServer: boolean;
}

/** What to select in an opened file: a span found by its text, or whole lines. */
export type OpenTarget =
  | { readonly kind: 'none' }
  | { readonly kind: 'lines'; readonly lines: LineRange }
  | {
      readonly kind: 'text';
      readonly startText: string;
      readonly endText?: string | undefined;
      readonly toEndOfLine: boolean;
    };

export interface OpenFileRequest {
  readonly path: AbsolutePath;
  readonly target: OpenTarget;
  /** False loads the file without showing it. */
  readonly makeFrontmost: boolean;
  readonly preview: boolean;
}

export interface OpenedFile {
  readonly path: AbsolutePath;
  readonly languageId: string;
  readonly lineCount: number;
}

export type SaveResult =
  | { readonly kind: 'saved' }
  | { readonly kind: 'not-open' }
  | { readonly kind: 'failed'; readonly message: string };

/** A proposed edit to show beside the file. */
export interface ReviewView {
  /** Chosen by the core, unique for the life of the process. */
  readonly id: string;
  /** The file as it stands on disk or in its buffer; it need not exist. */
  readonly oldPath: AbsolutePath;
  readonly newPath: AbsolutePath;
  readonly proposal: string;
  /** For the user's eyes: the name that the agent gave the review. */
  readonly title: string;
  readonly editable: boolean;
  /** The agent gives a file with CR LF its line ends again, whatever the proposal has. */
  readonly keepsLineEnds?: boolean | undefined;
}

/** Why a view is closed, so that it can say the right word to the user, or none. */
export type ReviewEnd = 'accepted' | 'rejected' | 'decided-elsewhere' | 'withdrawn' | 'stopped';

export interface EditorPort {
  /** The selection of the active window, its text whole. Undefined where no file is shown there. */
  currentSelection(): Promise<Selection | undefined>;
  openEditors(): Promise<readonly OpenEditor[]>;
  /** All files with diagnostics, or the one file (an entry without any where it has none). */
  diagnostics(path?: AbsolutePath, limitMs?: number): Promise<readonly FileDiagnostics[]>;
  /** Undefined where no buffer holds the file. */
  document(path: AbsolutePath): Promise<DocumentState | undefined>;
  openFile(request: OpenFileRequest): Promise<OpenedFile>;
  saveDocument(path: AbsolutePath): Promise<SaveResult>;
  /** Shows what is on disk in the buffers of these files, without a prompt; unsaved text stays. */
  reloadFiles(paths: readonly AbsolutePath[]): Promise<void>;
  /**
   * Resolves when the user sees the review. Its outcome comes as a `review-decided` event.
   * @param signal gives up; the caller closes the review then, and it is not shown later
   */
  openReview(view: ReviewView, signal: AbortSignal): Promise<void>;
  /** The proposal as it stands now, byte for byte; undefined where the user changed nothing. */
  reviewText(id: string): Promise<string | undefined>;
  /** Takes the view away and restores what was there. Unknown ids are no error. */
  closeReview(id: string, end: ReviewEnd): Promise<void>;
  notify(level: 'info' | 'warn' | 'error', message: string): void;
}

export type ReviewDecision =
  | { readonly kind: 'accepted' /** Absent: as proposed. */; readonly text?: string | undefined }
  | { readonly kind: 'rejected'; readonly reason?: string | undefined };

/** What the editor tells the core. */
export type EditorEvent =
  | { readonly kind: 'selection'; readonly selection: Selection }
  /** The active window shows no file; the last selection stays valid. */
  | { readonly kind: 'document-closed'; readonly path: AbsolutePath }
  | { readonly kind: 'documents'; readonly paths: readonly AbsolutePath[] }
  | { readonly kind: 'workspace'; readonly folders: readonly AbsolutePath[] }
  | { readonly kind: 'diagnostics-changed'; readonly paths: readonly AbsolutePath[] }
  | {
      readonly kind: 'mention';
      readonly path: AbsolutePath;
      readonly lines?: LineRange | undefined;
    }
  /** The user has switched whether agents are told of open files and the selection. */
  | { readonly kind: 'sharing'; readonly isOn: boolean }
  | { readonly kind: 'review-decided'; readonly id: string; readonly decision: ReviewDecision };
