import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { filePath, resolveFile } from './file-argument.ts';

export const openDiff = defineTool({
  name: 'openDiff',
  description: 'Shows a proposed change of a file and waits until the user accepts or rejects it',
  input: z.object({
    old_file_path: filePath.describe('Path to the file that the proposal is for'),
    new_file_path: filePath.describe('Path to the file that will be written'),
    new_file_contents: z.string().describe('The proposed text of the file, whole'),
    tab_name: z.string().describe('Name of the review, by which it can be closed'),
  }),
  async handle(args, { editor, sessionId, requestId, signal, answers }) {
    const review = await editor.reviews.open(
      {
        owner: sessionId,
        key: args.tab_name,
        requestId,
        oldPath: resolveFile(args.old_file_path, editor),
        newPath: resolveFile(args.new_file_path, editor),
        proposal: args.new_file_contents,
        editable: true,
        keepsLineEnds: answers.keepsLineEnds === true,
      },
      signal,
    );
    const withdraw = (): void => void review.close('withdrawn');
    signal.addEventListener('abort', withdraw, { once: true });
    if (signal.aborted) withdraw();
    const outcome = await review.outcome;
    signal.removeEventListener('abort', withdraw);
    switch (outcome.kind) {
      case 'accepted':
        return answers.accepted(outcome.text, outcome.edited);
      case 'rejected':
        return answers.rejected(args.tab_name, outcome.reason);
      case 'closed':
        return answers.closed(args.tab_name, outcome.end);
    }
  },
});
