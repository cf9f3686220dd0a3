import { pathToFileURL } from 'node:url';
import type { Mention } from '../../core/mentions.ts';
import type { Selection } from '../../core/ports.ts';
import { isEmptyRange, type Position } from '../../core/positions.ts';
import type { ReviewAnswers, Tool, ToolAnswer } from '../../tools/tool.ts';
import type { Dialect, OutgoingNotification } from '../family.ts';

/**
 * The client loses what it is told before it has digested the answer to `tools/list`. It was seen
 * to need up to 60 ms, on a slow machine more.
 */
const HEARS_AFTER = { method: 'tools/list', delayMs: 250 };

export function claudeCodeDialect(tools: readonly Tool[]): Dialect {
  return {
    tools,
    answers,
    selection: (selection) => [{ method: 'selection_changed', params: selectionParams(selection) }],
    mention: (mention) => [mentioned(mention)],
    hearsAfter: HEARS_AFTER,
    greeting: 'ide_connected',
  };
}

/**
 * The client takes `TAB_CLOSED` for an acceptance, so a review that ends without the user's word
 * is told as a rejection. Where the user decided in the client's own terminal it ignores this.
 */
const answers: ReviewAnswers = {
  accepted: (text) => blocks('FILE_SAVED', text),
  rejected: (tabName) => blocks('DIFF_REJECTED', tabName),
  closed: (tabName) => blocks('DIFF_REJECTED', tabName),
};

function blocks(...texts: string[]): ToolAnswer {
  return { content: texts.map((text) => ({ type: 'text', text })) };
}

/** Each text field is always a string: a message with a null is dropped by the client. */
function selectionParams(selection: Selection | undefined): Readonly<Record<string, unknown>> {
  if (!selection) {
    // Only an empty path makes the client forget; it ignores a message without a selection.
    const zero = { line: 0, character: 0 };
    return { text: '', filePath: '', fileUrl: '', selection: span(zero, zero, true) };
  }
  const { path, text, range } = selection;
  return {
    text,
    filePath: path,
    fileUrl: pathToFileURL(path).href,
    selection: span(plain(range.start), plain(range.end), isEmptyRange(range)),
  };
}

interface PlainPosition {
  readonly line: number;
  readonly character: number;
}

const plain = ({ line, character }: Position): PlainPosition => ({ line, character });

const span = (start: PlainPosition, end: PlainPosition, isEmpty: boolean) => ({
  start,
  end,
  isEmpty,
});

/** The client drops a first line that comes without a last one: both or none. */
function mentioned({ path, lines }: Mention): OutgoingNotification {
  const range = lines && { lineStart: lines.first, lineEnd: lines.last };
  return { method: 'at_mentioned', params: { filePath: path, ...range } };
}
