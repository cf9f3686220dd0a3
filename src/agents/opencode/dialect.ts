import type { Mention } from '../../core/mentions.ts';
import type { Selection } from '../../core/ports.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Dialect } from '../family.ts';
import {
  blockAnswers,
  mentionParams,
  type PlainPosition,
  type SelectionParams,
  selectionParams,
} from '../ide-protocol.ts';

/**
 * It hears from the moment at which its socket is open, calls no tool, and uses the numbers of
 * lines as they are: it shows them and reads files by them, so they count from 1 here.
 */
export function opencodeDialect(tools: readonly Tool[]): Dialect {
  return {
    tools,
    listed: tools,
    answers: blockAnswers,
    selection: (selection) => [
      { method: 'selection_changed', params: { ...fromLineOne(selection) } },
    ],
    mention: (mention) => [{ method: 'at_mentioned', params: mentioned(mention) }],
    hearsAfter: [{ method: 'notifications/initialized', delayMs: 0 }],
  };
}

function fromLineOne(selection: Selection | undefined): SelectionParams {
  const params = selectionParams(selection);
  const { start, end, isEmpty } = params.selection;
  const last = selection ? lastIncluded(selection, end) : end;
  return { ...params, selection: { start: next(start), end: next(last), isEmpty } };
}

const next = ({ line, character }: PlainPosition): PlainPosition => ({ line: line + 1, character });

/** The client counts the last line in, also one of which no character is selected. */
function lastIncluded({ text, range }: Selection, end: PlainPosition): PlainPosition {
  if (end.character > 0 || end.line === range.start.line) return end;
  const line = text.split('\n').at(-2) ?? '';
  const offset = end.line - 1 === range.start.line ? range.start.character : 0;
  return { line: end.line - 1, character: offset + line.length };
}

/**
 * Without both lines the client drops a mention. One line without more is read as "from here to the
 * end", so the first line stands for the whole file.
 */
function mentioned(mention: Mention): Readonly<Record<string, unknown>> {
  const { first, last } = mention.lines ?? { first: 0, last: 0 };
  return mentionParams({ path: mention.path, lines: { first: first + 1, last: last + 1 } });
}
