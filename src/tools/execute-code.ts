import { z } from 'zod';
import type { CodeOutput } from '../core/code-runner.ts';
import { BridgeError } from '../core/errors.ts';
import { defineTool } from './define-tool.ts';
import type { ContentBlock, ToolAnswer } from './tool.ts';

const DESCRIPTION = `Execute Python code in the Jupyter kernel of the current notebook file.

All code is executed in the current Jupyter kernel, and its effects persist across calls to this
tool until the kernel is restarted. Avoid declaring variables or modifying the state of the kernel
unless the user explicitly asks for it.`;

export const executeCode = defineTool({
  name: 'executeCode',
  description: DESCRIPTION,
  input: z.object({ code: z.string().describe('The code to be executed on the kernel.') }),
  async handle({ code }, { editor, sessionId, signal }): Promise<ToolAnswer> {
    if (!editor.code) throw new BridgeError('unavailable', 'This editor has no Jupyter kernel.');
    const { ok, output } = await editor.code.run({ code, session: sessionId, signal });
    const content = output.map(toBlock);
    return ok ? { content } : { content, isError: true };
  },
});

function toBlock(output: CodeOutput): ContentBlock {
  return output.kind === 'text'
    ? { type: 'text', text: output.text }
    : { type: 'image', data: output.data, mimeType: output.mimeType };
}
