/** An agent's process with the protocol on its standard streams, from its start to its end. */
import { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import {
  type ClientConnection,
  type ClientContext,
  type CreateElicitationResponse,
  client,
  type InitializeResponse,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ReadTextFileRequest,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type WriteTextFileRequest,
} from '@agentclientprotocol/sdk';
import { BridgeError } from '../core/errors.ts';
import { LastWords } from '../core/last-words.ts';
import type { AgentCommand, AgentProcess, StartProcess } from '../core/pipe.ts';
import { untilAborted } from '../core/until-aborted.ts';
import { messageLines } from './message-lines.ts';

/** An agent that does not greet within this time is not one. */
const GREETING_MS = 60_000;

export interface AgentCalls {
  update(notification: SessionNotification): void;
  permission(
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse>;
  read(request: ReadTextFileRequest, signal: AbortSignal): Promise<{ content: string }>;
  write(request: WriteTextFileRequest, signal: AbortSignal): Promise<Record<string, never>>;
  elicit(params: unknown, signal: AbortSignal): Promise<CreateElicitationResponse>;
}

export interface AcpConnectionOptions {
  readonly command: AgentCommand;
  readonly start: StartProcess;
  readonly calls: AgentCalls;
  readonly version: string;
  /** Gives up before the agent has greeted. */
  readonly signal: AbortSignal;
  /** Its standard error, which is its log and no part of the protocol. */
  onErrorLine(line: string): void;
  onGreeting(): void;
  /** A line of its standard output that is no message. */
  onOtherLine(line: string): void;
  onTooLong(): void;
  /** Once, unless it was closed from here. */
  onEnd(reason: string): void;
}

export class AcpConnection {
  #closed = false;

  private constructor(
    private readonly process: AgentProcess,
    private readonly connection: ClientConnection,
    readonly about: InitializeResponse,
  ) {}

  /** @throws BridgeError where the agent does not start, or is none. */
  static async open(options: AcpConnectionOptions): Promise<AcpConnection> {
    const lastWords = new LastWords();
    const process = await options.start(options.command, (line) => {
      lastWords.hear(line);
      options.onErrorLine(line);
    });
    options.onGreeting();
    const stream = ndJsonStream(
      Writable.toWeb(asWritable(process.stdin)),
      asBytes(Readable.toWeb(asReadable(process.stdout).pipe(messageLines(options)))),
    );
    const connection = appOf(options.calls).connect(stream);
    try {
      const about = await greet(connection.agent, process, options, lastWords);
      const opened = new AcpConnection(process, connection, about);
      void process.exited.then((reason) => {
        connection.close();
        if (!opened.#closed) options.onEnd(reason);
      });
      // An agent that has hung up is of no use, even where its process goes on.
      void connection.closed.then(() => process.stop());
      return opened;
    } catch (error) {
      const hungUp = connection.signal.aborted && !options.signal.aborted;
      connection.close();
      await process.stop();
      // Its last words say more than the stream that it left.
      throw hungUp ? new BridgeError('unavailable', await process.exited) : error;
    }
  }

  /** Aborts with the end of the connection. */
  get over(): AbortSignal {
    return this.connection.signal;
  }

  get agent(): ClientContext {
    return this.connection.agent;
  }

  /** Why the agent has ended; undefined where it has not, or was ended from here. */
  async reason(): Promise<string | undefined> {
    if (this.#closed || !this.connection.signal.aborted) return undefined;
    return this.process.exited;
  }

  /** A request has failed: gives the end of the agent, which may be why, a moment to be told. */
  async settle(): Promise<void> {
    if (this.#closed || !this.connection.signal.aborted) return;
    await this.process.exited;
    await setImmediate();
  }

  /** Ends the agent; `onEnd` is not called. */
  async close(): Promise<void> {
    this.#closed = true;
    this.connection.close();
    await this.process.stop();
  }
}

function appOf(calls: AgentCalls) {
  const { session, fs, elicitation } = methods.client;
  return client({ name: 'claude-bridge.nvim' })
    .onNotification(session.update, ({ params }) => calls.update(params))
    .onRequest(session.requestPermission, ({ params, signal }) => calls.permission(params, signal))
    .onRequest(fs.readTextFile, ({ params, signal }) => calls.read(params, signal))
    .onRequest(fs.writeTextFile, ({ params, signal }) => calls.write(params, signal))
    .onRequest(elicitation.create, ({ params, signal }) => calls.elicit(params, signal))
    .onNotification(elicitation.complete, () => {
      // The user has answered the prompt, or will; it does not go away by itself.
    });
}

async function greet(
  agent: ClientContext,
  process: AgentProcess,
  { version, signal }: AcpConnectionOptions,
  lastWords: LastWords,
): Promise<InitializeResponse> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new BridgeError('unavailable', lastWords.after('the agent does not answer'))),
      GREETING_MS,
    );
  });
  const gone = process.exited.then((reason) => {
    throw new BridgeError('unavailable', reason);
  });
  const asked = agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'claude-bridge.nvim', title: 'Neovim', version },
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: false,
      elicitation: { form: {}, url: {} },
      session: { notices: {}, compaction: {} },
    },
  });
  // Those that lose the race are no failures of their own.
  for (const lost of [asked, gone]) lost.catch(() => {});
  try {
    // The exit says more than the broken stream that it leaves, so it gets a moment.
    const answer = Promise.race([asked.catch((error) => orExit(error, gone)), gone, late]);
    const about = await untilAborted(answer, signal);
    if (about.protocolVersion === PROTOCOL_VERSION) return about;
    const spoken = `the agent speaks version ${about.protocolVersion} of the protocol`;
    throw new BridgeError('unavailable', `${spoken}, and this plugin ${PROTOCOL_VERSION}`);
  } finally {
    clearTimeout(timer);
  }
}

async function orExit(error: unknown, gone: Promise<never>): Promise<never> {
  const moment = new Promise<never>((_, reject) => setTimeout(() => reject(error), 200));
  return Promise.race([gone, moment]);
}

function asWritable(stream: NodeJS.WritableStream): Writable {
  if (stream instanceof Writable) return stream;
  throw new BridgeError('unavailable', 'the agent has no standard input');
}

function asReadable(stream: NodeJS.ReadableStream): Readable {
  if (stream instanceof Readable) return stream;
  throw new BridgeError('unavailable', 'the agent has no standard output');
}

/** A child's output without an encoding is bytes. */
function asBytes(stream: unknown): ReadableStream<Uint8Array> {
  return stream as ReadableStream<Uint8Array>;
}
