import { z } from 'zod';
import type { SaveResult } from '../core/ports.ts';
import { defineTool } from './define-tool.ts';
import { filePath, resolveFile } from './file-argument.ts';
import { json, type ToolAnswer } from './tool.ts';

export const saveDocument = defineTool({
  name: 'saveDocument',
  description: 'Save a document with unsaved changes',
  input: z.object({ filePath: filePath.describe('Path to the file to save') }),
  async handle(args, { editor }) {
    const path = resolveFile(args.filePath, editor);
    const isTold = editor.privacy.allows(path);
    if (isTold) editor.reach.check(path);
    const result = isTold ? await editor.port.saveDocument(path) : notOpen;
    return answer(args.filePath, result);
  },
});

const notOpen: SaveResult = { kind: 'not-open' };

function answer(filePath: string, result: SaveResult): ToolAnswer {
  switch (result.kind) {
    case 'saved':
      return json({
        success: true,
        filePath,
        saved: true,
        message: 'Document saved successfully',
      });
    case 'not-open':
      return json({ success: false, message: `Document not open: ${filePath}` });
    case 'failed':
      return json({
        success: false,
        filePath,
        saved: false,
        message: `Failed to save document: ${result.message}`,
      });
  }
}
