import { z } from 'zod';
import { BridgeError, messageOf } from '../../core/errors.ts';
import type { Tool } from '../../tools/tool.ts';
import { answers, firstAnswers } from './answers.ts';

/** What the first generation of the client sends; the old text is that of the file. */
const FirstArguments = z.object({
  filePath: z.string(),
  newContent: z.string(),
  tabId: z.string(),
});

/**
 * `openDiff` as sid-code calls it. The client writes what it proposed when the call fails, without
 * the user's consent; so a review that cannot be shown is a rejection, and the user is told why.
 */
export function openDiffForSidCode(openDiff: Tool): Tool {
  return {
    ...openDiff,
    async call(args, context) {
      const first = FirstArguments.safeParse(args);
      const told = first.success ? firstAnswers : answers;
      try {
        const given = first.success ? namedAsNow(first.data) : args;
        return await openDiff.call(given, { ...context, answers: told });
      } catch (error) {
        if (error instanceof BridgeError && error.code === 'invalid-argument') throw error;
        const why = messageOf(error);
        context.editor.port.notify('warn', `An edit of sid-code was rejected unseen: ${why}`);
        return told.rejected('', why);
      }
    },
  };
}

function namedAsNow({ filePath, newContent, tabId }: z.output<typeof FirstArguments>) {
  return {
    old_file_path: filePath,
    new_file_path: filePath,
    new_file_contents: newContent,
    tab_name: tabId,
  };
}
