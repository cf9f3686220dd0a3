/**
 * An agent family is data and small functions: where its clients look for an editor, how they
 * prove that they may come in, which tools they are shown and how they are told things.
 */

import type { Mention } from '../core/mentions.ts';
import type { AbsolutePath, Selection } from '../core/ports.ts';
import type { ReviewAnswers, Tool } from '../tools/tool.ts';

/** The environment in which the bridge runs; parsed once at the composition root. */
export interface Environment {
  readonly home: AbsolutePath;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The name that agents show for this editor. */
  readonly ideName: string;
  /** Where the user keeps the lock files of Claude Code, if not in its own folder. */
  readonly lockFolder?: AbsolutePath | undefined;
  /** How clients that can do both are to connect. Unset: by WebSocket. */
  readonly transport?: 'ws' | 'sse' | undefined;
}

/** What a lock file tells of this editor. */
export interface Advertisement {
  readonly port: number;
  readonly token: string;
  /** Neovim's own process. */
  readonly editorPid: number;
  readonly workspaceFolders: readonly AbsolutePath[];
}

export interface Discovery {
  /** The folder of the lock files, absolute. */
  folder(env: Environment): AbsolutePath;
  /**
   * A folder that is there where somebody uses the client. Without it the family is served only
   * where the user names it: nobody gets a folder of a client that he never heard of.
   */
  trace?(env: Environment): AbsolutePath;
  /**
   * The family whose clients look into this folder beside their own. Where that one has its lock
   * in another folder none is written here: of two locks that match, its clients take neither.
   */
  readonly alsoReadBy?: string;
  /** The JSON content of `<port>.lock`. */
  content(ad: Advertisement, env: Environment): Readonly<Record<string, unknown>>;
  /** Variables by which an agent started in a `:terminal` finds this editor. */
  variables(ad: Advertisement): Readonly<Record<string, string>>;
}

export interface OutgoingNotification {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** How one kind of client is spoken to. */
export interface Dialect {
  /** What it may call. */
  readonly tools: readonly Tool[];
  /** What it is shown. A client that shows all of it to its model sees nothing that is not for one. */
  readonly listed: readonly Tool[];
  readonly answers: ReviewAnswers;
  /** Undefined clears what the client knows. */
  selection(selection: Selection | undefined): readonly OutgoingNotification[];
  /** @param folders in which the client works, or may work where it has not told */
  mention(mention: Mention, folders: readonly AbsolutePath[]): readonly OutgoingNotification[];
  /** How a mention reads depends on the client's folder: it is asked for it. */
  readonly asksForFolders?: boolean;
  /**
   * After which request of the client was answered, or notification of it came, the client can hear
   * notifications, and how long after, ms. With several the earliest moment counts.
   */
  readonly hearsAfter: readonly { readonly method: string; readonly delayMs: number }[];
  /**
   * How long after that moment the selection is told once more, ms: a client on a busy machine may
   * have lost what came first, and says nothing of it.
   */
  readonly tellsAgainMs?: number;
  /** Which notification of the client tells its process id, as `pid`. */
  readonly greeting?: string;
}

/** What a client has shown of itself so far. */
export interface ClientHello {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Known after `initialize`. */
  readonly clientName?: string | undefined;
  readonly clientVersion?: string | undefined;
}

/** For an agent that the editor itself starts. */
export interface Launch {
  /** The name of its executable. */
  readonly program: string;
  /** Variables that would lead it astray; it gets them empty. */
  readonly blank: readonly string[];
}

export interface AgentFamily {
  readonly id: string;
  /** The names that its clients give in `initialize`; they decide before the headers do. */
  readonly clientNames: readonly string[];
  readonly discovery: Discovery;
  readonly launch?: Launch;
  /** The token that this family's clients send, or undefined where the headers are not its own. */
  tokenIn(headers: Readonly<Record<string, string | undefined>>): string | undefined;
  /** The way to speak to a client of this family. */
  dialectFor(hello: ClientHello): Dialect;
}
