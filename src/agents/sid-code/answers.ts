import type { ReviewAnswers, ToolAnswer } from '../../tools/tool.ts';
import { text as block, json } from '../../tools/tool.ts';

/**
 * The client joins the blocks of an answer to one text before it reads it, so each of these is one
 * block. Only `DIFF_REJECTED` keeps it from writing: what it does not understand, an error, and
 * `TAB_CLOSED` too, make it write what its model proposed. A review that ends without the user's
 * word is therefore told as a rejection.
 */
export const answers: ReviewAnswers = {
  accepted: (text, edited) => (edited ? saved(text) : block('FILE_SAVED')),
  rejected: () => block('DIFF_REJECTED'),
  closed: () => block('DIFF_REJECTED'),
};

/** The first generation of the client reads nothing but one JSON object. */
export const firstAnswers: ReviewAnswers = {
  accepted: saved,
  rejected: () => json({ status: 'DIFF_REJECTED' }),
  closed: () => json({ status: 'DIFF_REJECTED' }),
};

function saved(text: string): ToolAnswer {
  return json({ status: 'FILE_SAVED', content: text });
}
