/** A session with sid-code by its `--bridge`: it calls this editor and is spoken to there. */
import { randomUUID } from 'node:crypto';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { AgentCommand, AgentProcess, PipeOpener, StartProcess } from '../core/pipe.ts';
import { RUNNING_LIMIT } from '../session/limits.ts';
import type { StoredSession } from '../session/model.ts';
import type { AgentLink, LinkContext, PromptPart } from '../session/ports.ts';
import { asText } from '../session/prompt-text.ts';
import type { DecisionOption, PermissionPrompt } from '../session/prompts.ts';
import { bodyOf, categoryOf, diffOf, inputOf, titleOf } from '../session/tool-texts.ts';
import { type InFrame, parseFrame } from './frames.ts';
import { Line } from './line.ts';
import { Outbound } from './outbound.ts';

/** sid-code takes a permission without an answer for a no after this time. */
const PERMISSION_MS = 60_000;
/** As often as sid-code itself. */
const PING_MS = 30_000;
/** After which the user is told that sid-code was started and has not called. */
const SLOW_MS = 20_000;

/** Where sid-code is to call. */
export interface BridgeAddress extends PipeOpener {
  /** With the token, for sid-code's eyes only. */
  url(): Promise<string>;
}

export interface SidBridgeLinkOptions {
  readonly context: LinkContext;
  readonly address: BridgeAddress;
  /** Starts sid-code; absent where the user does it. */
  readonly launch?: {
    readonly start: StartProcess;
    command(url: string): AgentCommand;
  };
  readonly permissionMs?: number;
  readonly pingMs?: number;
  readonly slowMs?: number;
}

const UNHEARD = 'sid-code has not answered for a while.';

const DECISIONS: readonly DecisionOption[] = [
  { id: 'yes', label: 'Allow', kind: 'allow-once' },
  { id: 'no', label: 'Reject', kind: 'reject-once' },
];

/** Where the turn stands; `unknown` after a lost line: sid-code may be at work, or have ended it. */
type Turn = 'over' | 'running' | 'unknown';

export class SidBridgeLink implements AgentLink {
  readonly #outbound = new Outbound();
  readonly #line: Line;
  readonly #over = new AbortController();
  readonly #asks = new Set<AbortController>();
  /** Tool calls that run, oldest first: results name the tool and not the call. */
  readonly #running: { readonly name: string; readonly id: string }[] = [];
  #tools = 0;
  #process: AgentProcess | undefined;
  #connected = false;
  #ready: (() => void) | undefined;
  #turn: Turn = 'over';
  /** The user does not want to wait for it any more. */
  #givenUp = false;

  constructor(private readonly options: SidBridgeLinkOptions) {
    const { address, context, pingMs = PING_MS } = options;
    this.#line = new Line({
      address,
      outbound: this.#outbound,
      pingMs,
      onFrame: (text) => this.#receive(text),
      onCall: () => context.sink.state('handshaking'),
      onLost: (reason, isSilent) => this.#lost(reason, isSilent),
      onFailed: (reason) => context.sink.state('failed', reason),
    });
  }

  async start(): Promise<void> {
    const { sink } = this.options.context;
    const { address, launch } = this.options;
    if (this.#over.signal.aborted) throw new BridgeError('cancelled', 'the session is closed');
    sink.state('connecting', `waiting for sid-code at ${address.target}`);
    const url = await address.url().catch((error: unknown) => {
      sink.state('failed', messageOf(error));
      throw error;
    });
    const connected = new Promise<void>((resolve) => {
      this.#ready = resolve;
    });
    this.#line.serve();
    if (!launch) {
      this.#tell('info', `Start it with: sid-code --bridge '${url}'`);
      return connected;
    }
    const slow = setTimeout(() => this.#tellSlow(), this.options.slowMs ?? SLOW_MS);
    try {
      await Promise.race([connected, this.#launch(url)]);
    } finally {
      clearTimeout(slow);
    }
  }

  async prompt(parts: readonly PromptPart[]): Promise<void> {
    const data = { text: asText(parts) };
    let isAgain = false;
    await this.#outbound.send({ type: 'user_message', ...stamp(), data }, () => {
      // sid-code may have had it on the line before, and be done with it.
      if (isAgain) this.#turn = 'unknown';
      else this.#turnRuns();
      isAgain = true;
    });
  }

  /** A sid-code that this editor has started, and that cannot be reached, is ended. */
  async cancel(): Promise<void> {
    if (this.#process && !this.#connected) {
      this.#givenUp = true;
      await this.#process.stop();
      return;
    }
    await this.#outbound.send({ type: 'control', ...stamp(), data: { command: 'abort' } });
  }

  pause = (): Promise<void> => unavailable('pause');
  resume = (): Promise<void> => unavailable('resume');
  reset = (): Promise<void> => unavailable('start anew');
  list = (): Promise<readonly StoredSession[]> => unavailable('list sessions');
  switchTo = (): Promise<void> => unavailable('switch sessions');
  setModel = (): Promise<void> => unavailable('set the model');
  setMode = (): Promise<void> => unavailable('set the mode');
  applyEdit = (): Promise<void> => unavailable('take edits');
  rejectEdit = (): Promise<void> => unavailable('take edits');

  push(): void {
    // The bridge has no frame for context; sid-code gets it over its IDE connection.
  }

  async dispose(): Promise<void> {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#withdraw();
    this.#outbound.giveBack(new Error('the session was closed'));
    await this.#process?.stop();
    await this.#line.dispose();
  }

  /** Only fails; resolves never where sid-code goes on running. */
  async #launch(url: string): Promise<void> {
    const { launch, context } = this.options;
    if (!launch || this.#process) return new Promise(() => {});
    this.#givenUp = false;
    try {
      this.#process = await launch.start(launch.command(url), (line) =>
        context.logger.info('sid-code says', { line }),
      );
    } catch (error) {
      context.sink.state('failed', messageOf(error));
      throw error;
    }
    const ended = await this.#process.exited;
    this.#process = undefined;
    if (this.#over.signal.aborted) return;
    const reason = this.#givenUp ? 'sid-code could not be reached and was ended' : ended;
    const error = new BridgeError('unavailable', reason);
    this.#connected = false;
    this.#turn = 'over';
    this.#withdraw();
    // Another one must not get what this one was told.
    this.#outbound.giveBack(error);
    context.sink.state('failed', reason);
    throw error;
  }

  #lost(reason: string, isSilent: boolean): void {
    const { address, context, launch } = this.options;
    this.#connected = false;
    this.#withdraw();
    if (this.#turn === 'running') this.#turn = 'unknown';
    // The end of its process says more than that of its line.
    if (launch && !this.#process) return;
    context.sink.state('disconnected', reason);
    context.sink.state('connecting', `waiting for sid-code at ${address.target}`);
    if (!isSilent) return;
    const end = launch ? ' To end it, cancel.' : '';
    this.#tell('warn', `${UNHEARD} What you say waits until it calls again.${end}`);
  }

  #tellSlow(): void {
    this.#tell('warn', 'sid-code was started and has not called yet. To give it up, cancel.');
  }

  #tell(level: 'info' | 'warn', text: string): void {
    this.options.context.sink.update({ kind: 'notice', level, text });
  }

  #receive(raw: string): void {
    const { logger, sink } = this.options.context;
    const parsed = parseFrame(raw);
    if ('unknown' in parsed) {
      logger.info('a frame of unknown type is ignored', { type: parsed.unknown });
      return;
    }
    if ('problem' in parsed) {
      logger.warn('a frame is not understood', { reason: parsed.problem });
      return;
    }
    const { frame } = parsed;
    this.#outbound.heard(frame.type === 'status' && frame.data.status === 'pong');
    // It greets with a status; after a lost line its next frame may come first.
    if (!this.#connected) {
      this.#connected = true;
      sink.state('connected', this.options.address.target);
      this.#ready?.();
    }
    this.#handle(frame);
  }

  #handle(frame: InFrame): void {
    const { sink } = this.options.context;
    // It was at work all the time.
    if (frame.type !== 'status' && this.#turn === 'unknown') this.#turnRuns();
    switch (frame.type) {
      case 'status':
        this.#status(frame.data);
        break;
      case 'text':
        sink.update({ kind: 'text', role: 'agent', text: frame.data.text });
        break;
      case 'tool_use':
        this.#toolStarts(frame.data.toolName, frame.data.input);
        break;
      case 'tool_result':
        this.#toolEnds(frame.data);
        break;
      case 'permission_request':
        void this.#ask(frame);
        break;
    }
  }

  #status(data: Extract<InFrame, { type: 'status' }>['data']): void {
    const { sink } = this.options.context;
    const text = data.message ?? data.text ?? 'no reason given';
    switch (data.status) {
      case 'turn_complete':
        this.#endTurn();
        break;
      case 'aborted':
        this.#endTurn('cancelled');
        break;
      case 'error':
        sink.update({ kind: 'notice', level: 'error', text, alert: true });
        // A turn that fails has no other end.
        this.#endTurn();
        break;
      case 'warning':
        sink.update({ kind: 'notice', level: 'warn', text });
        break;
      default:
        // 'ready', 'pong' and the heartbeat say that it is there.
        break;
    }
  }

  #turnRuns(): void {
    this.#turn = 'running';
    this.options.context.sink.update({ kind: 'turn', running: true });
  }

  #endTurn(reason?: string): void {
    this.#turn = 'over';
    this.#running.splice(0);
    this.#withdraw();
    this.options.context.sink.update({ kind: 'turn', running: false, ...(reason && { reason }) });
  }

  #toolStarts(name: string, input: unknown): void {
    this.#tools += 1;
    const id = `tool ${this.#tools}`;
    this.#running.push({ name, id });
    if (this.#running.length > RUNNING_LIMIT) this.#running.shift();
    const diff = diffOf(name, input, this.options.context.folder);
    this.options.context.sink.update({
      kind: 'tool',
      id,
      fields: {
        title: titleOf(name, input),
        name,
        category: categoryOf(name),
        state: 'running',
        ...(input !== undefined && inputOf(input)),
        ...(diff && { diffs: [diff] }),
      },
    });
  }

  #toolEnds({
    toolName,
    output,
    isError,
  }: Extract<InFrame, { type: 'tool_result' }>['data']): void {
    const at = this.#running.findIndex((running) => running.name === toolName);
    const [ended] = at < 0 ? [] : this.#running.splice(at, 1);
    if (!ended) return;
    const fields = {
      state: isError ? ('failed' as const) : ('done' as const),
      ...(output && { output }),
    };
    this.options.context.sink.update({ kind: 'tool', id: ended.id, fields });
  }

  async #ask({ id, data }: Extract<InFrame, { type: 'permission_request' }>): Promise<void> {
    const { sink, folder } = this.options.context;
    const over = new AbortController();
    this.#asks.add(over);
    const timer = setTimeout(() => {
      over.abort();
      sink.update({
        kind: 'notice',
        level: 'warn',
        text: 'sid-code waits one minute for an answer and has taken the silence for a no.',
      });
    }, this.options.permissionMs ?? PERMISSION_MS);
    const answer = await sink.ask(promptOf(data, folder), over.signal);
    clearTimeout(timer);
    this.#asks.delete(over);
    if (answer.kind === 'cancelled') return;
    const allowed = answer.kind === 'decided' && answer.option.kind === 'allow-once';
    const frame = { type: 'permission_response', id, timestamp: Date.now(), data: { allowed } };
    await this.#outbound.send({ ...frame, type: 'permission_response' }).catch(() => {
      // The session has ended.
    });
  }

  /** sid-code forgets what it has asked when its line breaks or its turn ends. */
  #withdraw(): void {
    for (const ask of this.#asks) ask.abort();
  }
}

function promptOf(
  data: Extract<InFrame, { type: 'permission_request' }>['data'],
  folder: string,
): PermissionPrompt {
  const danger = data.dangerLevel ? `danger: ${data.dangerLevel}` : undefined;
  const reason = [data.description ?? undefined, danger].filter(Boolean).join('; ');
  return {
    kind: 'permission',
    title: titleOf(data.toolName, data.toolInput),
    tool: data.toolName,
    ...(reason !== '' && { reason }),
    body: bodyOf(data.toolName, data.toolInput, folder),
    options: DECISIONS,
    // The answer is yes or no; sid-code writes what it has proposed.
    fixed: true,
  };
}

function stamp(): { readonly id: string; readonly timestamp: number } {
  return { id: randomUUID(), timestamp: Date.now() };
}

function unavailable(what: string): Promise<never> {
  const message = `sid-code's bridge cannot ${what}`;
  return Promise.reject(new BridgeError('unavailable', message));
}
