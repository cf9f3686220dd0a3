/** Prompts to an agent, one at a time, and what the user said while it could not hear. */
import { setImmediate } from 'node:timers/promises';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { Disposable } from '../core/disposable.ts';
import { messageOf } from '../core/errors.ts';
import type { AbsolutePath, Diagnostic, Selection } from '../core/ports.ts';
import type { PromptPart, SessionSink } from '../session/ports.ts';
import { blockOf, type Takes } from './content.ts';
import { turnEnd } from './turn-end.ts';

/** One agent that runs. */
export interface TurnPeer {
  readonly takes: Takes;
  prompt(blocks: ContentBlock[]): Promise<{ readonly stopReason: string }>;
  cancel(): Promise<void>;
}

export interface TurnsOptions {
  readonly sink: SessionSink;
  /** How long a turn may go on after it was cancelled, ms. */
  readonly cancelMs: number;
  /** @throws BridgeError where no agent runs. */
  peer(): TurnPeer;
  /** The agent that was asked still runs. */
  isAlive(peer: TurnPeer): boolean;
  /** The turn was cancelled and goes on all the same. */
  onStubborn(peer: TurnPeer): void;
  onEnd(): void;
}

/** Files whose diagnostics are kept for a prompt. */
const DIAGNOSED_FILES = 100;

export class Turns implements Disposable {
  /** Settles when the last prompt is answered; never rejects. */
  #turn: Promise<void> = Promise.resolve();
  #peer: TurnPeer | undefined;
  #cancelling: NodeJS.Timeout | undefined;
  #disposed = false;
  /** The text of a prompt that the agent may not have got. */
  #unheard: string | undefined;
  readonly #words: string[] = [];
  readonly #notes: string[] = [];
  #selection: Selection | undefined;
  readonly #diagnostics = new Map<AbsolutePath, readonly Diagnostic[]>();
  #made = 0;

  constructor(private readonly options: TurnsOptions) {}

  /** The turn was cancelled and has not ended yet. */
  get isCancelling(): boolean {
    return this.#cancelling !== undefined;
  }

  /** The agent has said something, so it has got the prompt. */
  heard(): void {
    this.#unheard = undefined;
  }

  get isRunning(): boolean {
    return this.#peer !== undefined;
  }

  /** Resolves when the prompt is on its way; the protocol knows no queue, so earlier ones go first. */
  async prompt(parts: readonly PromptPart[]): Promise<void> {
    while (this.isRunning) await this.#turn;
    this.#turn = this.#run(this.options.peer(), parts);
  }

  async cancel(): Promise<void> {
    const peer = this.#peer;
    if (!peer) return;
    // First, for an agent that reads no more takes no cancel either.
    this.#cancelling ??= setTimeout(() => this.options.onStubborn(peer), this.options.cancelMs);
    await peer.cancel();
  }

  /** Cancels, and waits for the end. */
  async stop(): Promise<void> {
    await this.cancel().catch(() => {
      // An agent that is gone needs none.
    });
    await this.#turn;
  }

  /** What the user said with a no: the agent is told as soon as the turn is over. */
  say(words: string): void {
    this.#words.push(words);
  }

  /** What the agent should know with the next prompt. */
  note(text: string): void {
    this.#notes.push(text);
  }

  /** What is selected goes with the next prompt; the protocol has no message for context. */
  select(selection: Selection | undefined): void {
    this.#selection = selection && selection.text.trim() !== '' ? selection : undefined;
  }

  /** What is wrong in a file goes along when the file does. */
  diagnose(path: AbsolutePath, diagnostics: readonly Diagnostic[]): void {
    this.#diagnostics.delete(path);
    if (diagnostics.length > 0) this.#diagnostics.set(path, diagnostics);
    const [oldest] = this.#diagnostics.keys();
    if (this.#diagnostics.size > DIAGNOSED_FILES && oldest) this.#diagnostics.delete(oldest);
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#cancelling);
  }

  async #run(peer: TurnPeer, parts: readonly PromptPart[]): Promise<void> {
    const { sink } = this.options;
    this.#peer = peer;
    sink.update({ kind: 'turn', running: true });
    let reason: string | undefined;
    try {
      this.#unheard = textOf(parts);
      const answer = await peer.prompt(this.#blocks(peer, parts));
      this.heard();
      // The last updates of the turn are still on their way through the event loop.
      await setImmediate();
      reason = answer.stopReason;
      for (const update of turnEnd(answer)) sink.update(update);
    } catch (error) {
      // Where the agent is gone, its end says why.
      if (!this.options.isAlive(peer)) this.#giveBack();
      else if (!this.#disposed) {
        sink.update({ kind: 'notice', level: 'error', text: messageOf(error), alert: true });
      }
      sink.update({ kind: 'turn', running: false });
    }
    clearTimeout(this.#cancelling);
    this.#cancelling = undefined;
    this.#peer = undefined;
    this.options.onEnd();
    this.#passOnWords(reason !== 'cancelled' && this.options.isAlive(peer));
  }

  /** The agent is gone, and what was said last with it: the user has it again. */
  #giveBack(): void {
    const text = this.#unheard;
    this.#unheard = undefined;
    if (text !== undefined && !this.#disposed) this.options.sink.update({ kind: 'unheard', text });
  }

  #passOnWords(now: boolean): void {
    const text = this.#words.splice(0).join('\n');
    if (text === '') return;
    if (!now || this.#disposed) {
      this.#notes.push(text);
      return;
    }
    const { sink } = this.options;
    this.#made += 1;
    const id = `words ${this.#made}`;
    sink.update({ kind: 'message', role: 'user', id, fields: { text, delivery: 'sent' } });
    this.prompt([{ kind: 'text', text }]).catch((error: unknown) => {
      this.#notes.push(text);
      sink.update({ kind: 'notice', level: 'error', text: messageOf(error) });
    });
  }

  #blocks({ takes }: TurnPeer, parts: readonly PromptPart[]): ContentBlock[] {
    const notes = this.#notes
      .splice(0)
      .map((text): PromptPart => ({ kind: 'text', text: `(${text})` }));
    const files = [...parts, ...this.#selected()];
    return [...notes, ...files, ...this.#wrong(files)].map((part) => blockOf(part, takes));
  }

  #wrong(parts: readonly PromptPart[]): readonly PromptPart[] {
    const paths = new Set(parts.flatMap((part) => (part.kind === 'file' ? [part.path] : [])));
    return [...paths].flatMap((path): readonly PromptPart[] => {
      const found = this.#diagnostics.get(path);
      return found ? [{ kind: 'text', text: asList(path, found) }] : [];
    });
  }

  /** Once, and in the sight of the user. */
  #selected(): readonly PromptPart[] {
    const selection = this.#selection;
    this.#selection = undefined;
    if (!selection) return [];
    const { path, text, range } = selection;
    const endsBefore = range.end.character === 0 && range.end.line > range.start.line;
    const lines = { first: range.start.line, last: range.end.line - (endsBefore ? 1 : 0) };
    const label = `${path}:${lines.first + 1}-${lines.last + 1}`;
    this.options.sink.update({ kind: 'attachment', attachment: { label, path } });
    return [{ kind: 'file', path, lines, text }];
  }
}

function asList(path: AbsolutePath, diagnostics: readonly Diagnostic[]): string {
  const lines = diagnostics.map(({ severity, message, range, source }) => {
    const from = source === undefined ? '' : ` (${source})`;
    return `- line ${range.start.line + 1}, ${severity}: ${message}${from}`;
  });
  return `Diagnostics in ${path}:\n${lines.join('\n')}`;
}

/** What the user has typed. */
function textOf(parts: readonly PromptPart[]): string | undefined {
  const [first] = parts;
  return first?.kind === 'text' ? first.text : undefined;
}
