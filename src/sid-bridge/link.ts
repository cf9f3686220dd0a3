/** A session with sid-code by its `--bridge`: it calls this editor and is spoken to there. */
import { randomUUID } from 'node:crypto';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { AgentCommand, AgentProcess, PipeOpener, StartProcess } from '../core/pipe.ts';
import type { StoredSession } from '../session/model.ts';
import type { AgentLink, LinkContext, PromptPart } from '../session/ports.ts';
import { asText } from '../session/prompt-text.ts';
import type { DecisionOption, PermissionPrompt } from '../session/prompts.ts';
import { bodyOf, categoryOf, diffOf, inputOf, titleOf } from '../session/tool-texts.ts';
import { type InFrame, parseFrame } from './frames.ts';
import { Outbound } from './outbound.ts';

/** sid-code takes a permission without an answer for a no after this time. */
const PERMISSION_MS = 60_000;

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
}

const DECISIONS: readonly DecisionOption[] = [
  { id: 'yes', label: 'Allow', kind: 'allow-once' },
  { id: 'no', label: 'Reject', kind: 'reject-once' },
];

export class SidBridgeLink implements AgentLink {
  readonly #outbound = new Outbound();
  readonly #over = new AbortController();
  readonly #asks = new Set<AbortController>();
  /** Tool calls that run, oldest first: results name the tool and not the call. */
  readonly #running: { readonly name: string; readonly id: string }[] = [];
  #tools = 0;
  #process: AgentProcess | undefined;
  #serving: Promise<void> | undefined;
  #connected = false;
  #ready: (() => void) | undefined;

  constructor(private readonly options: SidBridgeLinkOptions) {}

  async start(): Promise<void> {
    const { sink } = this.options.context;
    if (this.#over.signal.aborted) throw new BridgeError('cancelled', 'the session is closed');
    sink.state('connecting', `waiting for sid-code at ${this.options.address.target}`);
    const url = await this.options.address.url().catch((error: unknown) => {
      sink.state('failed', messageOf(error));
      throw error;
    });
    const connected = new Promise<void>((resolve) => {
      this.#ready = resolve;
    });
    this.#serving ??= this.#serve().finally(() => {
      this.#serving = undefined;
    });
    if (!this.options.launch) {
      sink.update({
        kind: 'notice',
        level: 'info',
        text: `Start it with: sid-code --bridge '${url}'`,
      });
    }
    if (this.options.launch) await Promise.race([connected, this.#launch(url)]);
    await connected;
  }

  async prompt(parts: readonly PromptPart[]): Promise<void> {
    const data = { text: asText(parts) };
    await this.#outbound.send({ type: 'user_message', ...stamp(), data });
    this.options.context.sink.update({ kind: 'turn', running: true });
  }

  async cancel(): Promise<void> {
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
    this.#outbound.dispose();
    await this.#process?.stop();
    await this.options.address.dispose();
    await this.#serving;
  }

  /** Only fails; resolves never where sid-code goes on running. */
  async #launch(url: string): Promise<void> {
    const { launch, context } = this.options;
    if (!launch || this.#process) return new Promise(() => {});
    try {
      this.#process = await launch.start(launch.command(url), (line) =>
        context.logger.info('sid-code says', { line }),
      );
    } catch (error) {
      context.sink.state('failed', messageOf(error));
      throw error;
    }
    const reason = await this.#process.exited;
    this.#process = undefined;
    if (this.#over.signal.aborted) return;
    this.#withdraw();
    context.sink.state('failed', reason);
    throw new BridgeError('unavailable', reason);
  }

  /** Serves sid-code as often as it calls: it comes back by itself when its line breaks. */
  async #serve(): Promise<void> {
    const { address, context } = this.options;
    while (!this.#over.signal.aborted) {
      try {
        const reason = await this.#serveOnce();
        if (this.#over.signal.aborted) return;
        this.#connected = false;
        this.#withdraw();
        context.sink.state('disconnected', reason);
        context.sink.state('connecting', `waiting for sid-code at ${address.target}`);
      } catch (error) {
        if (!this.#over.signal.aborted) context.sink.state('failed', messageOf(error));
        return;
      }
    }
  }

  async #serveOnce(): Promise<string> {
    const { address, context } = this.options;
    let end = (_: string): void => {};
    const ended = new Promise<string>((resolve) => {
      end = resolve;
    });
    const closed = (): void => end('the session was closed');
    this.#over.signal.addEventListener('abort', closed, { once: true });
    const pipe = await address.open(
      {
        onMessage: (text) => this.#receive(text),
        onEnd: ({ reason }) => end(reason),
      },
      this.#over.signal,
    );
    context.sink.state('handshaking');
    this.#outbound.use(pipe);
    const reason = await ended;
    this.#outbound.use(undefined);
    pipe.close();
    this.#over.signal.removeEventListener('abort', closed);
    return reason;
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
    // It greets with a status; after a lost line its next frame may come first.
    if (!this.#connected) {
      this.#connected = true;
      sink.state('connected', this.options.address.target);
      this.#ready?.();
    }
    this.#handle(parsed.frame);
  }

  #handle(frame: InFrame): void {
    const { sink } = this.options.context;
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

  #endTurn(reason?: string): void {
    this.#running.splice(0);
    this.#withdraw();
    this.options.context.sink.update({ kind: 'turn', running: false, ...(reason && { reason }) });
  }

  #toolStarts(name: string, input: unknown): void {
    this.#tools += 1;
    const id = `tool ${this.#tools}`;
    this.#running.push({ name, id });
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
