/** Requests of the agent to the user: shown as prompts, answered with the id of the request. */
import { fieldsOf } from '../session/forms.ts';
import type { SessionSink } from '../session/ports.ts';
import type { DecisionOption, Prompt, PromptAnswer, QuestionPrompt } from '../session/prompts.ts';
import { bodyOf, diffOf, titleOf } from '../session/tool-texts.ts';
import type { AgentMessage } from './agent-messages.ts';
import type { EditorMessage } from './editor-messages.ts';

type Request = Extract<
  AgentMessage,
  {
    type: 'permission_request' | 'plan_approval_request' | 'question_request' | 'elicitation';
  }
>;

/** What the agent says when a request was decided in another place. */
type Response = Extract<
  AgentMessage,
  {
    type:
      | 'permission_response'
      | 'plan_approval_response'
      | 'question_response'
      | 'elicitation_response';
  }
>;

const ANSWERED_BY = {
  permission_response: 'permission_request',
  plan_approval_response: 'plan_approval_request',
  question_response: 'question_request',
  elicitation_response: 'elicitation',
} as const;

interface Pending {
  readonly type: Request['type'];
  readonly id: string | undefined;
  readonly over: AbortController;
}

export interface AsksOptions {
  readonly sink: SessionSink;
  send(message: EditorMessage): void;
}

export class Asks {
  readonly #pending = new Set<Pending>();

  constructor(private readonly options: AsksOptions) {}

  get size(): number {
    return this.#pending.size;
  }

  ask(request: Request): void {
    // A request that comes again, after a lost line, is the same one.
    const id = request.data.id ?? request.id;
    const known = [...this.#pending].some(
      (pending) => pending.type === request.type && id !== undefined && pending.id === id,
    );
    if (known) return;
    const pending = { type: request.type, id, over: new AbortController() };
    this.#pending.add(pending);
    void this.options.sink.ask(promptOf(request), pending.over.signal).then((answer) => {
      this.#pending.delete(pending);
      if (pending.over.signal.aborted) return;
      const message = answerTo(request, id, answer);
      if (message) this.options.send(message);
      const edit = editOf(request, answer);
      if (edit) this.options.send(edit);
    });
  }

  /** Without an id it is the oldest of its kind. */
  answeredElsewhere(response: Response): void {
    const type = ANSWERED_BY[response.type];
    const of = [...this.#pending].filter((pending) => pending.type === type);
    const { id } = response.data;
    const pending = id ? of.find((one) => one.id === id) : of[0];
    pending?.over.abort('elsewhere');
  }

  withdrawAll(): void {
    for (const { over } of this.#pending) over.abort();
  }
}

const DECISIONS: readonly DecisionOption[] = [
  { id: 'once', label: 'Allow once', kind: 'allow-once' },
  { id: 'always', label: 'Always allow', kind: 'allow-always' },
  { id: 'no', label: 'Reject', kind: 'reject-once' },
];

const PLAN_DECISIONS: readonly DecisionOption[] = [
  { id: 'approve', label: 'Approve', kind: 'allow-once' },
  { id: 'reject', label: 'Reject', kind: 'reject-once' },
];

function promptOf(request: Request): Prompt {
  switch (request.type) {
    case 'permission_request': {
      const { tool, input, reason } = request.data;
      return {
        kind: 'permission',
        title: titleOf(tool, input),
        tool,
        ...(reason && { reason }),
        body: bodyOf(tool, input),
        options: DECISIONS,
      };
    }
    case 'plan_approval_request': {
      const { plan, agent } = request.data;
      const text = typeof plan === 'string' ? plan : JSON.stringify(plan, null, 2);
      const title = agent ? `Plan of ${agent}` : 'Plan';
      return { kind: 'plan', title, text, options: PLAN_DECISIONS };
    }
    case 'question_request':
      return questionOf(request.data);
    case 'elicitation': {
      const title = request.data.message ?? 'The agent asks for details';
      return { kind: 'form', title, fields: fieldsOf(request.data.schema) ?? [] };
    }
  }
}

function questionOf(data: Extract<Request, { type: 'question_request' }>['data']): QuestionPrompt {
  const options = (data.options ?? []).map((option) => {
    if (typeof option === 'string') return { value: option, label: option };
    const label = option.label ?? option.value ?? '';
    return {
      value: option.value ?? label,
      label,
      ...(option.description && { description: option.description }),
    };
  });
  const choice = data.multiSelect ? 'multi' : 'single';
  return {
    kind: 'question',
    title: data.question,
    mode: options.length === 0 ? 'free' : choice,
    options,
  };
}

/** What the user made of the proposal: the decision has no room for it. */
function editOf(request: Request, answer: PromptAnswer): EditorMessage | undefined {
  if (request.type !== 'permission_request' || answer.kind !== 'decided') return undefined;
  const { tool, input } = request.data;
  const file = diffOf(tool, input)?.path;
  if (answer.edited === undefined || file === undefined) return undefined;
  return { type: 'apply_edit', data: { filePath: file, newContent: answer.edited } };
}

/** Nothing where the prompt ended without the user's word. */
function answerTo(
  request: Request,
  id: string | undefined,
  answer: PromptAnswer,
): EditorMessage | undefined {
  if (answer.kind === 'cancelled') return undefined;
  const to = id === undefined ? {} : { id };
  const allow = answer.kind === 'decided' && answer.option.kind.startsWith('allow');
  const reason =
    answer.kind === 'decided' && answer.reason !== undefined ? { reason: answer.reason } : {};
  switch (request.type) {
    case 'permission_request': {
      const remember = answer.kind === 'decided' && answer.option.kind.endsWith('always');
      const data = { ...to, allow, ...(remember && { remember }), ...reason };
      return { type: 'permission_decision', data };
    }
    case 'plan_approval_request':
      return { type: 'plan_decision', data: { ...to, approved: allow, ...reason } };
    case 'question_request': {
      const values = answer.kind === 'answered' ? [...answer.values] : null;
      const single = request.data.multiSelect ? values : (values?.[0] ?? null);
      return { type: 'question_answer', data: { ...to, answer: single } };
    }
    case 'elicitation': {
      const values = answer.kind === 'filled' ? { ...answer.values } : null;
      return { type: 'elicitation_response', data: { ...to, answer: values } };
    }
  }
}
