/** Permission requests: shown with the edit or command in full, answered by one of their options. */
import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { RUNNING_LIMIT } from '../session/limits.ts';
import type { FileDiff } from '../session/model.ts';
import type { SessionSink } from '../session/ports.ts';
import type {
  DecisionKind,
  DecisionOption,
  PermissionPrompt,
  PlanPrompt,
  PromptAnswer,
  PromptBlock,
} from '../session/prompts.ts';
import { bodyOf } from '../session/tool-texts.ts';
import { diffsOf, outputOf } from './content.ts';
import { type EditedProposals, wholeEdit } from './edits.ts';
import type { AgentFiles } from './files.ts';
import { tool } from './updates.ts';

export interface PermissionsOptions {
  readonly sink: SessionSink;
  readonly files: AgentFiles;
  readonly edits: EditedProposals;
  /** The user said no and why, or changed an edit: the answer has no room for that. */
  onWords(words: string): void;
  onEdited(path: string): void;
}

export class Permissions {
  readonly #asks = new Set<AbortController>();
  /** What is known of the calls of this turn; a request may name its call only. */
  readonly #calls = new Map<string, ToolCallUpdate>();
  /** Calls that the user has rejected in this turn. */
  readonly #rejected = new Set<string>();

  constructor(private readonly options: PermissionsOptions) {}

  learn(update: ToolCallUpdate): void {
    const known = this.#calls.get(update.toolCallId);
    this.#calls.set(update.toolCallId, { ...known, ...given(update) });
    const [oldest] = this.#calls.size > RUNNING_LIMIT ? this.#calls.keys() : [];
    if (oldest !== undefined) this.#calls.delete(oldest);
  }

  /** Some agents call a tool done that the user has rejected. */
  judge(update: SessionUpdate): SessionUpdate {
    if (update.sessionUpdate !== 'tool_call_update' || update.status !== 'completed') return update;
    return this.#rejected.has(update.toolCallId) ? { ...update, status: 'failed' } : update;
  }

  async ask(
    { toolCall, options }: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    const { sink } = this.options;
    this.learn(toolCall);
    sink.update(tool({ status: 'pending', ...toolCall }));
    const call = this.#calls.get(toolCall.toolCallId) ?? toolCall;
    const over = new AbortController();
    this.#asks.add(over);
    try {
      const diffs = await this.#wholeDiffs(call);
      const prompt = promptOf(call, options.map(decisionOf), diffs);
      const answer = await sink.ask(prompt, AbortSignal.any([signal, over.signal]));
      return this.#outcome(call, diffs, answer);
    } finally {
      this.#asks.delete(over);
    }
  }

  withdrawAll(): void {
    for (const ask of this.#asks) ask.abort();
  }

  endTurn(): void {
    this.withdrawAll();
    this.#calls.clear();
    this.#rejected.clear();
  }

  /** A diff of which only a part was shown, and that is not found in the file, cannot be reviewed. */
  async #wholeDiffs(call: ToolCallUpdate): Promise<readonly (FileDiff & { whole: boolean })[]> {
    return Promise.all(
      diffsOf(call.content ?? []).map(async (diff) => {
        const whole = await this.#whole(diff);
        return whole ? { ...whole, whole: true } : { ...diff, whole: false };
      }),
    );
  }

  async #whole(diff: FileDiff): Promise<FileDiff | undefined> {
    const { files } = this.options;
    // A file elsewhere is shown as the agent shows it.
    const path = await files.inside(diff.path).catch(() => undefined);
    if (path === undefined) return undefined;
    const current = await files.current(path).catch(() => undefined);
    return wholeEdit({ ...diff, path }, current);
  }

  /** Not every agent says that the tool runs now, or that it does not. */
  #tell(toolCallId: string, { kind }: DecisionOption): void {
    const { sink } = this.options;
    if (kind.startsWith('allow')) {
      sink.update(tool({ toolCallId, status: 'in_progress' }));
      return;
    }
    this.#rejected.add(toolCallId);
    const { id, fields } = tool({ toolCallId, status: 'failed' });
    sink.update({ kind: 'tool', id, fields: { ...fields, error: 'you said no' } });
  }

  #outcome(
    call: ToolCallUpdate,
    diffs: readonly FileDiff[],
    answer: PromptAnswer,
  ): RequestPermissionResponse {
    if (answer.kind !== 'decided') return { outcome: { outcome: 'cancelled' } };
    const { option, reason, edited } = answer;
    this.#tell(call.toolCallId, option);
    const [diff] = diffs;
    if (edited !== undefined && diff) {
      const { path, after } = diff;
      this.options.edits.remember({ tool: call.toolCallId, path, proposed: after, edited });
      this.options.onEdited(path);
    }
    if (reason !== undefined) {
      this.options.onWords(`I rejected “${call.title ?? call.toolCallId}”: ${reason}`);
    }
    return { outcome: { outcome: 'selected', optionId: option.id } };
  }
}

/** The fields that say something. */
function given(update: ToolCallUpdate): ToolCallUpdate {
  const entries = Object.entries(update).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return { toolCallId: update.toolCallId, ...Object.fromEntries(entries) };
}

const KINDS: Readonly<Record<PermissionOption['kind'], DecisionKind>> = {
  allow_once: 'allow-once',
  allow_always: 'allow-always',
  reject_once: 'reject-once',
  reject_always: 'reject-always',
};

function decisionOf({ optionId, name, kind }: PermissionOption): DecisionOption {
  return { id: optionId, label: name, kind: KINDS[kind] };
}

function promptOf(
  call: ToolCallUpdate,
  options: readonly DecisionOption[],
  diffs: readonly (FileDiff & { whole: boolean })[],
): PermissionPrompt | PlanPrompt {
  const title = call.title ?? 'The agent asks for permission';
  const text = outputOf(call.content ?? []);
  // Leaving the planning mode is how agents ask whether a plan is good.
  if (call.kind === 'switch_mode' && text !== '') return { kind: 'plan', title, text, options };
  return {
    kind: 'permission',
    title,
    ...(call.name && { tool: call.name }),
    body: bodyOfCall(call, text, diffs),
    options,
  };
}

function bodyOfCall(
  call: ToolCallUpdate,
  text: string,
  diffs: readonly (FileDiff & { whole: boolean })[],
): readonly PromptBlock[] {
  const shown = diffs.map(
    ({ whole, ...diff }): PromptBlock => ({
      kind: 'diff',
      ...diff,
      ...(!whole && { part: true }),
    }),
  );
  const said: PromptBlock[] = text === '' ? [] : [{ kind: 'text', text }];
  if (shown.length > 0) return [...said, ...shown];
  return [...said, ...bodyOf(call.kind ?? '', call.rawInput)];
}
