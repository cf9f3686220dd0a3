import type { Tool } from '../../tools/tool.ts';
import type { Dialect, OutgoingNotification } from '../family.ts';
import { mentionParams, selectionParams } from '../ide-protocol.ts';
import { answers } from './answers.ts';
import { openDiffForSidCode } from './open-diff.ts';

/**
 * The client shows its model whatever is listed, and calls these itself without looking at the
 * list.
 */
const FOR_THE_CLIENT_ALONE = ['openDiff', 'close_tab', 'closeAllDiffTabs'];

/**
 * The later generation greets when it can hear. The first one never does: its handlers are there a
 * moment after its last request, and a second of silence tells it from the other.
 */
const HEARS_AFTER = [
  { method: 'ide_connected', delayMs: 0 },
  { method: 'prompts/list', delayMs: 1_000 },
];

/** @param spell the names under which the client hears of a notification */
export function sidCodeDialect(
  tools: readonly Tool[],
  spell: (method: string) => readonly string[],
): Dialect {
  const say = (method: string, params: OutgoingNotification['params']) =>
    spell(method).map((name) => ({ method: name, params }));
  return {
    tools: tools.map((tool) => (tool.name === 'openDiff' ? openDiffForSidCode(tool) : tool)),
    listed: tools.filter(({ name }) => !FOR_THE_CLIENT_ALONE.includes(name)),
    answers,
    selection: (selection) => say('selection_changed', { ...selectionParams(selection) }),
    mention: (mention) => say('at_mentioned', mentionParams(mention)),
    hearsAfter: HEARS_AFTER,
    greeting: 'ide_connected',
  };
}
