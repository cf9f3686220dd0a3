import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { selectionAnswer } from './selection-answer.ts';
import { json } from './tool.ts';

export const getCurrentSelection = defineTool({
  name: 'getCurrentSelection',
  description: 'Get the current text selection in the active editor',
  input: z.object({}),
  async handle(_, { editor }) {
    const selection = await editor.port.currentSelection();
    if (selection && editor.privacy.allows(selection.path)) return selectionAnswer(selection);
    return json({ success: false, message: 'No active editor found' });
  },
});
