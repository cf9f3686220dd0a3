/**
 * A line to an agent on which whole messages of text travel both ways: a socket, a child's
 * standard streams, or HTTP. What the messages mean is a dialect's matter.
 */
import type { AsyncDisposable } from './disposable.ts';

export interface PipeEnd {
  /** For a person: why it ended. */
  readonly reason: string;
  /**
   * `lost`: trying again may help. `refused`: it will not, the peer said no or broke the rules.
   * `closed`: the peer has ended the conversation in good order.
   */
  readonly kind: 'lost' | 'refused' | 'closed';
}

export interface PipeListener {
  onMessage(text: string): void;
  /** Once, after the last message; not after `close`. */
  onEnd(end: PipeEnd): void;
}

export interface MessagePipe {
  /** Resolves when the message has left this process; rejects where it has not and never will. */
  send(text: string): Promise<void>;
  /** In good order and for good. */
  close(): void;
  /** As a line breaks, that the peer may come again. */
  cut(): void;
}

/** A pipe that could not be opened. */
export class PipeError extends Error {
  override readonly name = 'PipeError';

  constructor(
    readonly end: PipeEnd,
    options?: ErrorOptions,
  ) {
    super(end.reason, options);
  }
}

export interface PipeOpener extends AsyncDisposable {
  /** Where it leads to, for people; never with a token. */
  readonly target: string;
  /** Each opening brings an agent of its own, which knows nothing of what the last one asked. */
  readonly startsAnew?: boolean;
  /** @throws PipeError */
  open(listener: PipeListener, signal: AbortSignal): Promise<MessagePipe>;
}

/** An agent's own process. */
export interface AgentProcess {
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: NodeJS.ReadableStream;
  /** Resolves when the process is gone: why, for a person. */
  readonly exited: Promise<string>;
  /** Asks it to end, and makes it end after a while. Idempotent. */
  stop(): Promise<void>;
}

export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** Added to the environment of this process; undefined takes a variable away. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type StartProcess = (
  command: AgentCommand,
  /** What it writes to its standard error, line by line. */
  onError: (line: string) => void,
) => Promise<AgentProcess>;
