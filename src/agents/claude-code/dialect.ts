import type { Tool } from '../../tools/tool.ts';
import type { Dialect } from '../family.ts';
import { blockAnswers, mentionParams, selectionParams } from '../ide-protocol.ts';
import { openDiffForClaudeCode } from './open-diff.ts';

/**
 * The client loses what it is told before it has digested the answer to `tools/list`. It was seen
 * to need up to 60 ms, on a slow machine more.
 */
const HEARS_AFTER = [{ method: 'tools/list', delayMs: 250 }];

const TELLS_AGAIN_MS = 2_000;

/** It shows its model two of the tools only, whatever is listed. */
export function claudeCodeDialect(tools: readonly Tool[]): Dialect {
  return {
    tools: tools.map((tool) => (tool.name === 'openDiff' ? openDiffForClaudeCode(tool) : tool)),
    listed: tools,
    answers: blockAnswers,
    selection: (selection) => [
      { method: 'selection_changed', params: { ...selectionParams(selection) } },
    ],
    mention: (mention) => [{ method: 'at_mentioned', params: mentionParams(mention) }],
    hearsAfter: HEARS_AFTER,
    tellsAgainMs: TELLS_AGAIN_MS,
    greeting: 'ide_connected',
  };
}
