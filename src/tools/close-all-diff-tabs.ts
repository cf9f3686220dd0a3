import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { text } from './tool.ts';

export const closeAllDiffTabs = defineTool({
  name: 'closeAllDiffTabs',
  description: 'Closes the reviews that this session has opened, and no other view',
  input: z.object({}),
  async handle(_, { editor, sessionId }) {
    const count = await editor.reviews.closeOwnedBy(sessionId, 'withdrawn');
    return text(`CLOSED_${count}_DIFF_TABS`);
  },
});
