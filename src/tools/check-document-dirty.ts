import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { filePath, resolveFile } from './file-argument.ts';
import { json } from './tool.ts';

export const checkDocumentDirty = defineTool({
  name: 'checkDocumentDirty',
  description: 'Check if a document has unsaved changes (is dirty)',
  input: z.object({ filePath: filePath.describe('Path to the file to check') }),
  async handle(args, { editor }) {
    const path = resolveFile(args.filePath, editor);
    const state = editor.privacy.allows(path) ? await editor.port.document(path) : undefined;
    if (!state) {
      return json({ success: false, message: `Document not open: ${args.filePath}` });
    }
    const { isDirty, isUntitled } = state;
    return json({ success: true, filePath: args.filePath, isDirty, isUntitled });
  },
});
