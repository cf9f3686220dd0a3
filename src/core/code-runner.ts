/** Code that an agent runs in the user's notebook: what tools ask, and what that asks of the editor. */
import type { AbsolutePath } from './ports.ts';

export type CodeOutput =
  | { readonly kind: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly kind: 'image'; readonly mimeType: string; readonly data: string };

export interface CodeRequest {
  readonly code: string;
  /** The agent's session; the user is asked once for each. */
  readonly session: string;
  readonly signal: AbortSignal;
}

export interface CodeResult {
  /** False where the code raised, was stopped, or could not be run to its end. */
  readonly ok: boolean;
  /** In the order in which it came; never empty. */
  readonly output: readonly CodeOutput[];
}

export interface CodeRunner {
  /**
   * Runs code in the kernel of the current notebook.
   * @throws BridgeError `unavailable` (no notebook, no kernel, no library), `refused` by the user
   * or an option, `cancelled` by the signal.
   */
  run(request: CodeRequest): Promise<CodeResult>;
}

export type NotebookKind = 'ipynb' | 'percent' | 'quarto';

export interface Notebook {
  readonly path: AbsolutePath;
  readonly kind: NotebookKind;
  /** The buffer's file type, where it tells the language of the cells. */
  readonly language?: string | undefined;
  /** The first lines of the buffer, which may name a kernel; empty for an `.ipynb`. */
  readonly header: readonly string[];
  /** The user wants to join this kernel instead of a new one: a path or a file name. */
  readonly connectionFile?: string | undefined;
}

export interface CodeQuestion {
  readonly id: string;
  readonly path: AbsolutePath;
  /** For the user's eyes. */
  readonly kernel: string;
  readonly code: string;
}

/** What running code asks of an editor. */
export interface NotebookPort {
  /** Of the current window, or else of another window in sight. */
  currentNotebook(): Promise<Notebook | undefined>;
  /** Shows the question and returns; the answer comes as a `code-answer` event. */
  ask(question: CodeQuestion): Promise<void>;
  /** Takes the question away. Unknown ids are no error. */
  withdraw(id: string): Promise<void>;
  notify(level: 'info' | 'warn' | 'error', message: string): void;
}

export type KernelAction = 'restart' | 'interrupt' | 'stop';

export type KernelEvent =
  | { readonly kind: 'code-answer'; readonly id: string; readonly allowed: boolean }
  | {
      readonly kind: 'kernel-command';
      readonly action: KernelAction;
      /** The one that the user looks at. */
      readonly notebook?: Notebook | undefined;
    };
