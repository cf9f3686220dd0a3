/** A permission that hangs on one edit: the review view may decide it as well as the prompt. */
import { randomUUID } from 'node:crypto';
import { messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Review, ReviewOutcome, ReviewOwner } from '../core/reviews.ts';
import type { ReviewPort } from './ports.ts';
import type { PromptQueue } from './prompt-queue.ts';
import type {
  DecisionKind,
  DecisionOption,
  PermissionPrompt,
  PromptAnswer,
  PromptBlock,
} from './prompts.ts';

export interface EditPermissionOptions {
  readonly owner: ReviewOwner;
  readonly reviews: ReviewPort;
  readonly prompts: PromptQueue;
  readonly logger: Logger;
}

type DiffBlock = Extract<PromptBlock, { kind: 'diff' }>;

/** The edit that a permission hangs on; undefined where there is none, or more than one. */
export function editOf(prompt: PermissionPrompt): DiffBlock | undefined {
  const diffs = prompt.body.filter((block) => block.kind === 'diff');
  const [diff] = diffs;
  return diffs.length === 1 && diff && !diff.omitted && !diff.part ? diff : undefined;
}

/** Asks in both places; the first word counts and takes the other away. */
export async function askWithReview(
  prompt: PermissionPrompt,
  edit: DiffBlock,
  signal: AbortSignal,
  options: EditPermissionOptions,
): Promise<PromptAnswer> {
  const decidedInReview = new AbortController();
  const over = new AbortController();
  let inReview: PromptAnswer | undefined;
  let review: Review | undefined;
  const openReview = async (): Promise<void> => {
    review = await open(edit, !prompt.fixed, over.signal, options);
    const outcome = await review?.outcome;
    if (!outcome || over.signal.aborted) return;
    inReview = answerOf(outcome, prompt.options);
    if (inReview) decidedInReview.abort('elsewhere');
  };
  const answer = await options.prompts.ask(
    { ...prompt, review: true },
    AbortSignal.any([signal, decidedInReview.signal]),
    () => void openReview(),
  );
  if (inReview) return inReview;
  const decided = await afterPrompt(answer, review, edit);
  // A view that still opens is taken away again.
  over.abort();
  return decided;
}

async function open(
  edit: DiffBlock,
  editable: boolean,
  signal: AbortSignal,
  { owner, reviews, logger }: EditPermissionOptions,
): Promise<Review | undefined> {
  try {
    return await reviews.open(
      {
        owner,
        key: edit.path,
        // Every request is one of its own, however alike.
        requestId: randomUUID(),
        oldPath: edit.path,
        newPath: edit.path,
        proposal: edit.after,
        editable,
      },
      signal,
    );
  } catch (error) {
    // The prompt shows the edit too, and still stands.
    if (!signal.aborted) {
      logger.warn('an edit could not be shown for review', { owner, reason: messageOf(error) });
    }
    return undefined;
  }
}

/** The prompt decided: what was typed into the proposal meanwhile belongs to the decision. */
async function afterPrompt(
  answer: PromptAnswer,
  review: Review | undefined,
  edit: DiffBlock,
): Promise<PromptAnswer> {
  if (!review) return answer;
  const allowed = answer.kind === 'decided' && answer.option.kind.startsWith('allow');
  const text = allowed ? await review.text() : edit.after;
  await review.close(answer.kind === 'cancelled' ? 'withdrawn' : 'decided-elsewhere');
  return allowed && text !== edit.after ? { ...answer, edited: text } : answer;
}

function answerOf(
  outcome: ReviewOutcome,
  options: readonly DecisionOption[],
): PromptAnswer | undefined {
  switch (outcome.kind) {
    case 'accepted': {
      const option = pick(options, 'allow-once', 'allow-always');
      if (!option) return undefined;
      return { kind: 'decided', option, ...(outcome.edited && { edited: outcome.text }) };
    }
    case 'rejected': {
      const option = pick(options, 'reject-once', 'reject-always');
      const { reason } = outcome;
      return option
        ? { kind: 'decided', option, ...(reason !== undefined && { reason }) }
        : { kind: 'declined' };
    }
    case 'closed':
      return undefined;
  }
}

function pick(
  options: readonly DecisionOption[],
  ...kinds: readonly DecisionKind[]
): DecisionOption | undefined {
  for (const kind of kinds) {
    const found = options.find((option) => option.kind === kind);
    if (found) return found;
  }
  return undefined;
}
