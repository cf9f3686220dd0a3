import { z } from 'zod';
import { BridgeError } from '../core/errors.ts';
import type { OpenTarget } from '../core/ports.ts';
import { defineTool } from './define-tool.ts';
import { filePath, resolveFile } from './file-argument.ts';
import { json, text } from './tool.ts';

const lineNumber = z.int().min(1);

export const openFile = defineTool({
  name: 'openFile',
  description: 'Open a file in the editor and optionally select a range of text',
  input: z.object({
    filePath: filePath.describe('Path to the file to open'),
    preview: z.boolean().default(false).describe('Whether to open the file in preview mode'),
    startText: z
      .string()
      .optional()
      .describe('Text to find; the selection starts at its first occurrence'),
    endText: z
      .string()
      .optional()
      .describe('Text to find after startText; the selection ends behind it'),
    startLine: lineNumber.optional().describe('First line to select, counted from 1'),
    endLine: lineNumber.optional().describe('Last line to select, counted from 1'),
    selectToEndOfLine: z
      .boolean()
      .default(false)
      .describe('Whether the selection goes on to the end of its last line'),
    makeFrontmost: z
      .boolean()
      .default(true)
      .describe('Whether to make the file the active editor tab'),
  }),
  async handle(args, { editor }) {
    const path = resolveFile(args.filePath, editor);
    if (editor.privacy.excludes(path)) {
      throw new BridgeError('refused', `The user's settings keep this file back: ${path}`);
    }
    editor.reach.check(path);
    const { makeFrontmost, preview } = args;
    const opened = await editor.port.openFile({
      path,
      target: targetOf(args),
      makeFrontmost,
      preview,
    });
    if (makeFrontmost) return text(`Opened file: ${args.filePath}`);
    return json({
      success: true,
      filePath: opened.path,
      languageId: opened.languageId,
      lineCount: opened.lineCount,
    });
  },
});

function targetOf(args: {
  startText?: string | undefined;
  endText?: string | undefined;
  startLine?: number | undefined;
  endLine?: number | undefined;
  selectToEndOfLine: boolean;
}): OpenTarget {
  const { startText, startLine } = args;
  if (startText) {
    return {
      kind: 'text',
      startText,
      endText: args.endText || undefined,
      toEndOfLine: args.selectToEndOfLine,
    };
  }
  if (startLine === undefined) return { kind: 'none' };
  const [first, last] = [startLine, args.endLine ?? startLine].sort((a, b) => a - b);
  return { kind: 'lines', lines: { first: (first ?? 1) - 1, last: (last ?? 1) - 1 } };
}
