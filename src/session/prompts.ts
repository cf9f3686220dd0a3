/** What an agent asks of the user, and how the user answers. */
import type { FileDiff, PromptId } from './model.ts';

export type DecisionKind = 'allow-once' | 'allow-always' | 'reject-once' | 'reject-always';

export interface DecisionOption {
  readonly id: string;
  readonly label: string;
  readonly kind: DecisionKind;
}

/** What is to be decided on, in full. */
export type PromptBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string; readonly syntax: string }
  | ({ readonly kind: 'diff' } & FileDiff);

export interface PermissionPrompt {
  readonly kind: 'permission';
  readonly title: string;
  readonly tool?: string;
  /** The agent's words on why, or how dangerous it is. */
  readonly reason?: string;
  readonly body: readonly PromptBlock[];
  readonly options: readonly DecisionOption[];
  /** The agent cannot be told of changes to its edit, so the review takes none. Not for a view. */
  readonly fixed?: boolean;
  /** The edit is also on show in the review view; either place may decide. */
  readonly review?: boolean;
}

export interface PlanPrompt {
  readonly kind: 'plan';
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  readonly options: readonly DecisionOption[];
}

export interface QuestionOption {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

export interface QuestionPrompt {
  readonly kind: 'question';
  readonly title: string;
  /** `free` takes any text and has no options. */
  readonly mode: 'single' | 'multi' | 'free';
  readonly options: readonly QuestionOption[];
}

export type FieldValue = string | number | boolean | readonly string[];

/** What an agent is told of a field: a choice among numbers is a number. */
export type FormValue =
  | string
  | number
  | boolean
  | null
  | readonly FormValue[]
  | { readonly [name: string]: FormValue };

/** What an answer must fit; not for a view, which is told what is wrong. */
export interface FieldLimits {
  readonly minimum?: number;
  readonly maximum?: number;
  /** Numbers that are not allowed themselves. */
  readonly above?: number;
  readonly below?: number;
  /** Characters of a text, or how many choices. */
  readonly shortest?: number;
  readonly longest?: number;
  readonly pattern?: string;
  /** The text is an object or a list in JSON. */
  readonly json?: boolean;
  /** The choices as the agent wrote them, where they are no texts. */
  readonly values?: readonly (string | number | boolean)[];
}

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly type: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
  readonly required: boolean;
  readonly default?: FieldValue;
  /** Of `choice` and `choices`. */
  readonly options?: readonly QuestionOption[];
  /** A hint on the right form of a text: 'email', 'uri', 'date', 'date-time'. */
  readonly format?: string;
  readonly limits?: FieldLimits;
}

export interface FormPrompt {
  readonly kind: 'form';
  readonly title: string;
  readonly fields: readonly FormField[];
  /** A page that the user is asked to visit instead of filling in fields. */
  readonly url?: string;
  /** After an answer that does not fit: what was given, and what is wrong with it, by field. */
  readonly values?: Readonly<Record<string, FieldValue>>;
  readonly errors?: Readonly<Record<string, string>>;
}

export type Prompt = PermissionPrompt | PlanPrompt | QuestionPrompt | FormPrompt;

/** A prompt as a view shows it; `waiting` counts those that come after it. */
export type ShownPrompt = Prompt & { readonly id: PromptId; readonly waiting: number };

export type PromptAnswer =
  | {
      readonly kind: 'decided';
      readonly option: DecisionOption;
      readonly reason?: string;
      /** The text of the edit as the user left it, where it differs from the proposal. */
      readonly edited?: string;
    }
  /** Of a question: one value unless several may be chosen. */
  | { readonly kind: 'answered'; readonly values: readonly string[] }
  | { readonly kind: 'filled'; readonly values: Readonly<Record<string, FormValue>> }
  | { readonly kind: 'declined' }
  /** No answer will come: withdrawn by the agent, or the session ended. */
  | { readonly kind: 'cancelled' };

/** Why a prompt goes from the view without an answer given there. */
export type DismissReason = 'elsewhere' | 'withdrawn' | 'ended';
