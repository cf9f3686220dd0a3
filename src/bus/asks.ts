/** Requests of the agent to the user: shown as prompts, answered with the id of the request. */
import { fieldsOf } from '../session/forms.ts';
import type { SessionSink } from '../session/ports.ts';
import type { DecisionOption, Prompt, PromptAnswer, QuestionPrompt } from '../session/prompts.ts';
import { bodyOf, diffOf, titleOf } from '../session/tool-texts.ts';
import type { AgentMessage, RequestId } from './agent-messages.ts';
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
  readonly id: RequestId | undefined;
  /** What is asked, to tell it from another request that has come under the same id. */
  readonly content: string;
  readonly over: AbortController;
}

/** An answer that the agent may not have yet. */
interface Given {
  readonly to: Pending;
  readonly message: EditorMessage;
}

export interface AsksOptions {
  readonly sink: SessionSink;
  /** For paths that are not absolute. */
  readonly folder: string;
  send(message: EditorMessage): void;
  /** Whether the agent may yet get this message. */
  holds(message: EditorMessage): boolean;
  retract(message: EditorMessage): void;
}

export class Asks {
  readonly #pending = new Set<Pending>();
  #given: Given[] = [];

  constructor(private readonly options: AsksOptions) {}

  ask(request: Request): void {
    const { sink, folder, send } = this.options;
    const id = request.data.id ?? request.id;
    const pending: Pending = {
      type: request.type,
      id,
      content: JSON.stringify(request.data),
      over: new AbortController(),
    };
    if (this.#isKnown(pending)) return;
    this.#pending.add(pending);
    void sink.ask(promptOf(request, folder), pending.over.signal).then((answer) => {
      this.#pending.delete(pending);
      if (pending.over.signal.aborted) return;
      const message = answerTo(request, id, answer);
      if (message) {
        this.#given.push({ to: pending, message });
        send(message);
      }
      const edit = editOf(request, answer);
      if (edit) send(edit);
    });
  }

  /** Without an id it is the oldest of its kind. */
  answeredElsewhere(response: Response): void {
    const type = ANSWERED_BY[response.type];
    const of = [...this.#pending].filter((pending) => pending.type === type);
    const { id } = response.data;
    const pending = id ? of.find((one) => String(one.id) === id) : of[0];
    pending?.over.abort('elsewhere');
  }

  withdrawAll(): void {
    for (const { over } of this.#pending) over.abort();
  }

  /** The agent is gone: nobody waits for the answers any more, and another must not get them. */
  forget(): void {
    this.withdrawAll();
    for (const { message } of this.#given.splice(0)) this.options.retract(message);
  }

  /**
   * A request that comes again, after a lost line, is the same one. An agent that was started anew
   * may count from one again: what the user said to the first must not let the second go ahead.
   */
  #isKnown({ type, id, content }: Pending): boolean {
    if (id === undefined) return false;
    const { holds, retract } = this.options;
    const isOf = (other: Pending): boolean => other.type === type && other.id === id;
    this.#given = this.#given.filter(({ message }) => holds(message));
    for (const { to, message } of this.#given.filter((given) => isOf(given.to))) {
      if (to.content === content) return true;
      retract(message);
    }
    for (const pending of [...this.#pending].filter(isOf)) {
      if (pending.content === content) return true;
      pending.over.abort();
    }
    return false;
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

function promptOf(request: Request, folder: string): Prompt {
  switch (request.type) {
    case 'permission_request': {
      const { tool, input, reason } = request.data;
      return {
        kind: 'permission',
        title: titleOf(tool, input),
        tool,
        ...(reason && { reason }),
        body: bodyOf(tool, input, folder),
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
  id: RequestId | undefined,
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
