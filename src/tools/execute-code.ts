import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { text } from './tool.ts';

const DESCRIPTION = `Execute Python code in the Jupyter kernel of the current notebook file.

All code is executed in the current Jupyter kernel, and its effects persist across calls to this
tool until the kernel is restarted. Avoid declaring variables or modifying the state of the kernel
unless the user explicitly asks for it.`;

export const executeCode = defineTool({
  name: 'executeCode',
  description: DESCRIPTION,
  input: z.object({ code: z.string().describe('The code to be executed on the kernel.') }),
  async handle() {
    return {
      ...text('No code was run: this editor has no Jupyter kernel. Run it in a shell instead.'),
      isError: true,
    };
  },
});
