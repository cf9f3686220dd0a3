/** What the Lua side tells of reviews, parsed. */
import { z } from 'zod';
import type { EditorEvent } from '../core/ports.ts';
import { fromView } from '../core/review-text.ts';

/**
 * The text of a proposal that the user has changed. Each line has a line break before it: the
 * decoder of the channel takes a byte order mark away from the start of a string.
 */
export const EditedText = z
  .object({ lines: z.string(), eol: z.boolean(), bom: z.boolean(), crlf: z.boolean() })
  .transform(({ lines, ...traits }) => fromView({ lines: lines.split('\n').slice(1), ...traits }));

export const reviewEvents: Readonly<Record<string, z.ZodType<EditorEvent>>> = {
  review_accepted: z
    .object({ id: z.string(), text: EditedText.optional() })
    .transform(({ id, text }): EditorEvent => {
      return { kind: 'review-decided', id, decision: { kind: 'accepted', text } };
    }),
  review_rejected: z
    .object({ id: z.string(), reason: z.string().optional() })
    .transform(({ id, reason }): EditorEvent => {
      return { kind: 'review-decided', id, decision: { kind: 'rejected', reason } };
    }),
};
