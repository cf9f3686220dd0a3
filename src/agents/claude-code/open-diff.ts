import path from 'node:path';
import { z } from 'zod';
import { BridgeError, messageOf } from '../../core/errors.ts';
import type { Tool } from '../../tools/tool.ts';

const TURNED_OFF =
  'Claude Code asks in its terminal; "Diff tool: terminal" in its /config shows the edits there';

/**
 * `openDiff` as Claude Code calls it. After an error its own question stays open, but the newest
 * client shows it without the text of the edit: so the user is told where to look, and how to see
 * the text; of reviews that are turned off once.
 */
export function openDiffForClaudeCode(openDiff: Tool): Tool {
  let isTold = false;
  return {
    ...openDiff,
    async call(args, context) {
      try {
        return await openDiff.call(args, context);
      } catch (error) {
        const { port } = context.editor;
        const code = error instanceof BridgeError ? error.code : undefined;
        if (code === 'turned-off') {
          if (!isTold) port.notify('info', TURNED_OFF);
          isTold = true;
        } else if (code !== 'invalid-argument' && code !== 'cancelled') {
          const name = nameIn(args);
          port.notify(
            'warn',
            `Claude Code asks about ${name} in its terminal: ${messageOf(error)}`,
          );
        }
        throw error;
      }
    },
  };
}

/** The arguments may be anything. */
function nameIn(args: unknown): string {
  const named = z.object({ new_file_path: z.string() }).safeParse(args);
  return named.success ? path.basename(named.data.new_file_path) : 'an edit';
}
