import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { text } from './tool.ts';

export const closeTab = defineTool({
  name: 'close_tab',
  description: 'Closes the review of this name. It closes nothing else, whatever the name',
  input: z.object({ tab_name: z.string().describe('The name under which openDiff showed it') }),
  async handle({ tab_name }, { editor, sessionId }) {
    await editor.reviews.find(sessionId, tab_name)?.close('decided-elsewhere');
    return text('TAB_CLOSED');
  },
});
