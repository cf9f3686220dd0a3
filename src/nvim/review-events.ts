/** What the Lua side tells of reviews, parsed. */
import { z } from 'zod';
import type { EditorEvent } from '../core/ports.ts';
import { FORMATS, fromView } from '../core/review-text.ts';

/**
 * The text of a proposal that the user has changed. Each line has a line break before it: the
 * decoder of the channel takes a byte order mark away from the start of a string.
 */
export const EditedText = z
  .object({ lines: z.string(), eol: z.boolean(), bom: z.boolean(), format: z.enum(FORMATS) })
  .transform(({ lines: joined, eol, bom, format }) => {
    const lines = joined.split('\n').slice(1);
    // Where CR ends a line an LF is text, and Neovim holds it as a CR.
    const held = format === 'mac' ? lines.map((line) => line.replaceAll('\r', '\n')) : lines;
    return fromView({ lines: held, eol, bom, ends: format });
  });

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
