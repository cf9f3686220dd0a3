import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { selectionAnswer } from './selection-answer.ts';
import { json } from './tool.ts';

export const getLatestSelection = defineTool({
  name: 'getLatestSelection',
  description: 'Get the most recent text selection (even if not in the active editor)',
  input: z.object({}),
  async handle(_, { editor }) {
    const { latest } = editor.selection;
    if (latest) return selectionAnswer(latest);
    return json({ success: false, message: 'No selection available' });
  },
});
