/** Questions to the user that wait for an answer. One is on show, none is ever lost. */
import { fitPrompt } from './entry-texts.ts';
import { checkForm } from './form-check.ts';
import { PROMPT_COUNT_LIMIT, PROMPTS_LIMIT } from './limits.ts';
import type { PromptId } from './model.ts';
import type { ViewOp } from './ports.ts';
import type {
  DismissReason,
  FieldValue,
  Prompt,
  PromptAnswer,
  PromptBlock,
  ShownPrompt,
} from './prompts.ts';

interface Pending {
  readonly id: PromptId;
  prompt: Prompt;
  readonly onShow: (() => void) | undefined;
  readonly settle: (answer: PromptAnswer) => void;
  /** In characters. */
  readonly weight: number;
}

export interface PromptQueueOptions {
  /** Tells the view. */
  push(ops: readonly ViewOp[]): void;
  /** How many prompts wait has changed. */
  onCount(waiting: number): void;
  /** More wait than may: from now on further ones are declined. Told once, until there is room. */
  onFull(): void;
}

export class PromptQueue {
  readonly #pending: Pending[] = [];
  #made = 0;
  #weight = 0;
  #isFull = false;

  constructor(private readonly options: PromptQueueOptions) {}

  get size(): number {
    return this.#pending.length;
  }

  /**
   * @param onShow called when it is this prompt's turn.
   * @returns the answer; `cancelled` when the signal aborts or the queue ends, `declined` where more
   * wait than a person could answer.
   */
  ask(prompt: Prompt, signal: AbortSignal, onShow?: () => void): Promise<PromptAnswer> {
    if (signal.aborted) return Promise.resolve({ kind: 'cancelled' });
    const weight = weightOf(prompt);
    if (!this.#hasRoom(weight)) {
      if (!this.#isFull) this.options.onFull();
      this.#isFull = true;
      return Promise.resolve({ kind: 'declined' });
    }
    this.#made += 1;
    const id = `p${this.#made}`;
    return new Promise((resolve) => {
      const withdraw = (): void =>
        this.#end(
          id,
          { kind: 'cancelled' },
          signal.reason === 'elsewhere' ? 'elsewhere' : 'withdrawn',
        );
      const settle = (answer: PromptAnswer): void => {
        signal.removeEventListener('abort', withdraw);
        resolve(answer);
      };
      signal.addEventListener('abort', withdraw);
      this.#pending.push({ id, prompt, onShow, settle, weight });
      this.#weight += weight;
      this.options.onCount(this.#pending.length);
      if (this.#pending.length === 1) this.#show();
    });
  }

  /** @returns why the decision cannot be taken, where it cannot. */
  decide(id: PromptId, option: string, reason?: string): string | undefined {
    const pending = this.#find(id);
    if (!pending) return 'the prompt is no longer pending';
    const { prompt } = pending;
    const chosen =
      prompt.kind === 'permission' || prompt.kind === 'plan'
        ? prompt.options.find((offered) => offered.id === option)
        : undefined;
    if (!chosen) return `the prompt does not offer ${JSON.stringify(option)}`;
    this.#end(id, {
      kind: 'decided',
      option: chosen,
      ...(reason !== undefined && reason !== '' && { reason }),
    });
    return undefined;
  }

  /** Answers a question, or a form; neither declines. A form that is filled in wrong is asked again. */
  answer(
    id: PromptId,
    given: {
      readonly answers?: readonly string[] | undefined;
      readonly values?: Readonly<Record<string, FieldValue>> | undefined;
    },
  ): string | undefined {
    const pending = this.#find(id);
    if (!pending) return 'the prompt is no longer pending';
    const { prompt } = pending;
    if (prompt.kind === 'question' && given.answers) {
      this.#end(id, { kind: 'answered', values: given.answers });
    } else if (prompt.kind === 'form' && given.values) {
      const { values, errors } = checkForm(prompt.fields, given.values);
      if (errors) {
        pending.prompt = { ...prompt, values: given.values, errors };
        this.#show();
        return undefined;
      }
      this.#end(id, { kind: 'filled', values });
    } else this.#end(id, { kind: 'declined' });
    return undefined;
  }

  /** The prompt on show, for a view that has nothing. */
  snapshot(): ViewOp[] {
    const head = this.#pending[0];
    return head ? [{ op: 'ask', prompt: this.#shown(head) }] : [];
  }

  /** No more answers will be taken: the session is over. */
  end(): void {
    for (const { id } of [...this.#pending]) this.#end(id, { kind: 'cancelled' }, 'ended');
  }

  #hasRoom(weight: number): boolean {
    const count = this.#pending.length;
    // However long, one alone is asked.
    return count === 0 || (count < PROMPT_COUNT_LIMIT && this.#weight + weight <= PROMPTS_LIMIT);
  }

  #end(id: PromptId, answer: PromptAnswer, dismissed?: DismissReason): void {
    const at = this.#pending.findIndex((pending) => pending.id === id);
    const [pending] = at < 0 ? [] : this.#pending.splice(at, 1);
    if (!pending) return;
    this.#weight -= pending.weight;
    if (this.#pending.length < PROMPT_COUNT_LIMIT / 2) this.#isFull = false;
    pending.settle(answer);
    if (at === 0 && dismissed) this.options.push([{ op: 'dismiss', id, reason: dismissed }]);
    this.options.onCount(this.#pending.length);
    if (at === 0 && this.#pending.length > 0 && dismissed !== 'ended') this.#show();
  }

  #show(): void {
    const head = this.#pending[0];
    if (!head) return;
    this.options.push([{ op: 'ask', prompt: this.#shown(head) }]);
    head.onShow?.();
  }

  #shown({ id, prompt }: Pending): ShownPrompt {
    return { ...fitPrompt(prompt), id, waiting: this.#pending.length - 1 };
  }

  #find(id: PromptId): Pending | undefined {
    return this.#pending.find((pending) => pending.id === id);
  }
}

/** About: what is long in a prompt. */
function weightOf(prompt: Prompt): number {
  switch (prompt.kind) {
    case 'permission':
      return prompt.body.reduce((sum, block) => sum + blockWeight(block), prompt.title.length);
    case 'plan':
      return prompt.title.length + prompt.text.length;
    case 'question':
    case 'form':
      return JSON.stringify(prompt).length;
  }
}

function blockWeight(block: PromptBlock): number {
  return block.kind === 'diff'
    ? (block.before?.length ?? 0) + block.after.length
    : block.text.length;
}
