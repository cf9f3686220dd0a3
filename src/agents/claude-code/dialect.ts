import type { Mention } from '../../core/mentions.ts';
import type { AbsolutePath } from '../../core/ports.ts';
import { isInside } from '../../core/workspace.ts';
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
    mention: (mention, folders) => [
      { method: 'at_mentioned', params: mentionParams(spelled(mention, folders)) },
    ],
    asksForFolders: true,
    hearsAfter: HEARS_AFTER,
    tellsAgainMs: TELLS_AGAIN_MS,
    greeting: 'ide_connected',
  };
}

/**
 * The client writes a path as it is seen from its own folder, and that folder is then nothing: a
 * bare `@`; one above it becomes `@..`, which not every version looks up. A path in quotes it
 * leaves as it is, and looks it up.
 */
function spelled(mention: Mention, folders: readonly AbsolutePath[]): Mention {
  const { path } = mention;
  const isAround = path.endsWith('/') && folders.some((folder) => isInside(`${folder}/`, path));
  return isAround && !path.includes('"') ? { ...mention, path: `"${path}"` } : mention;
}
