/**
 * A conversation with an agent, in the product's own words: no dialect's and no editor's. Names
 * are single words, because this is also the shape in which a view is told of it.
 */

/** The life of a link to an agent. */
export type LinkState =
  | 'disconnected'
  | 'connecting'
  | 'handshaking'
  | 'connected'
  | 'paused'
  | 'failed';

export type EntryId = string;
export type PromptId = string;

export interface Attachment {
  /** For the user's eyes: a path relative to the workspace, with lines where not whole. */
  readonly label: string;
  readonly path?: string;
  readonly mime?: string;
  /** Bytes. */
  readonly size?: number;
}

export interface MessageEntry {
  readonly id: EntryId;
  readonly kind: 'user' | 'agent' | 'thought';
  /** Markdown. */
  readonly text: string;
  /** More is to come. */
  readonly streaming?: boolean;
  /** Of what the user sent: whether the agent has it. */
  readonly delivery?: 'queued' | 'sent' | 'failed';
  readonly attachments?: readonly Attachment[];
}

export type ToolCategory =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'fetch'
  | 'other';

export type ToolState = 'pending' | 'running' | 'done' | 'failed' | 'cancelled';

export interface FileDiff {
  readonly path: string;
  /** Absent where the file is new. */
  readonly before?: string;
  readonly after: string;
  /** Both texts are parts of the file, not the whole of it. */
  readonly part?: boolean;
  /** The texts are too long to show here and are left out; the review view has them whole. */
  readonly omitted?: boolean;
}

export interface FileLocation {
  readonly path: string;
  /** 0-based. */
  readonly line?: number;
}

export interface ToolEntry {
  readonly id: EntryId;
  readonly kind: 'tool';
  /** One line: what the call does. */
  readonly title: string;
  /** The tool's own name. */
  readonly name?: string;
  readonly category: ToolCategory;
  readonly state: ToolState;
  /** The command, or the arguments as JSON. */
  readonly input?: string;
  /** A file type for highlighting the input: 'json' or 'sh'. */
  readonly syntax?: string;
  readonly output: string;
  readonly error?: string;
  /** Milliseconds. */
  readonly duration?: number;
  readonly diffs?: readonly FileDiff[];
  readonly locations?: readonly FileLocation[];
  /** The sub-agent that made the call. */
  readonly agent?: string;
}

export interface PlanItem {
  readonly text: string;
  readonly state: 'pending' | 'running' | 'done';
  readonly priority?: 'high' | 'medium' | 'low';
}

export interface PlanEntry {
  readonly id: EntryId;
  readonly kind: 'plan';
  readonly items: readonly PlanItem[];
}

export interface NoticeEntry {
  readonly id: EntryId;
  readonly kind: 'notice';
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
}

export interface AttachmentEntry {
  readonly id: EntryId;
  readonly kind: 'attachment';
  readonly attachment: Attachment;
}

export type Entry = MessageEntry | ToolEntry | PlanEntry | NoticeEntry | AttachmentEntry;

/** The fields of an entry that may change after it was added, other than by appending. */
export type EntryPatch = Partial<
  Omit<MessageEntry, 'id' | 'kind'> &
    Omit<ToolEntry, 'id' | 'kind'> &
    Omit<PlanEntry, 'id' | 'kind'>
>;

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
}

/** A slash command of the agent. */
export interface AgentCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  /** What may follow the name. */
  readonly hint?: string;
}

export interface Progress {
  readonly id: string;
  readonly stage: string;
  /** 0 to 100. */
  readonly percent?: number;
  readonly message?: string;
}

/** What this agent can do besides taking prompts. */
export interface Abilities {
  readonly pause: boolean;
  readonly reset: boolean;
  readonly list: boolean;
  readonly load: boolean;
  readonly images: boolean;
}

export interface SessionStatus {
  /** The name that the configuration gives the agent. */
  readonly agent: string;
  readonly state: LinkState;
  /** One line for a person: why the state is what it is. */
  readonly detail?: string;
  /** The agent works on a prompt. */
  readonly busy: boolean;
  readonly title?: string;
  /** The agent's own id of the conversation. */
  readonly conversation?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly cost?: { readonly amount: number; readonly currency: string };
  readonly tokens?: { readonly used: number; readonly size?: number };
  readonly progress: readonly Progress[];
  /** Prompts that wait for the user's answer, the one on show included. */
  readonly waiting: number;
  /** Texts of the user that the agent does not have yet. */
  readonly queued: number;
  readonly abilities: Abilities;
}

/** What a model, a mode or a command may be set to. */
export interface Choices {
  readonly models: readonly Choice[];
  readonly modes: readonly Choice[];
  readonly commands: readonly AgentCommand[];
}

/** One conversation that the agent remembers. */
export interface StoredSession {
  readonly id: string;
  readonly title: string;
  readonly folder?: string;
  /** ISO 8601. */
  readonly updated?: string;
  readonly current: boolean;
}
