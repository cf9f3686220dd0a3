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
  readonly tools: readonly Tool[];
  readonly answers: ReviewAnswers;
  /** Undefined clears what the client knows. */
  selection(selection: Selection | undefined): readonly OutgoingNotification[];
  mention(mention: Mention): readonly OutgoingNotification[];
  /**
   * After which request of the client was answered, or notification of it came, the client can hear
   * notifications, and how long after, ms.
   */
  readonly hearsAfter: { readonly method: string; readonly delayMs: number };
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

export interface AgentFamily {
  readonly id: string;
  readonly discovery: Discovery;
  /** The token that this family's clients send, or undefined where the headers are not its own. */
  tokenIn(headers: Readonly<Record<string, string | undefined>>): string | undefined;
  /** The way to speak to this client; undefined where it belongs to another family. */
  dialectFor(hello: ClientHello): Dialect | undefined;
}
