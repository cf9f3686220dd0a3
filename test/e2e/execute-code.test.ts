/** The model runs code in the kernel of the notebook that the user looks at. */
import { expect, test } from 'vitest';
import { hasKernel } from '../support/kernel.ts';
import { NEWEST, OLD } from './support/install.ts';
import type { Block } from './support/model.ts';
import { ask, decide, Scene } from './support/scene.ts';

const run = (code: string): Block[] => [
  { type: 'tool_use', name: 'mcp__ide__executeCode', input: { code } },
];

test.skipIf(!hasKernel).each([NEWEST, OLD])(
  '%s runs code, and its state stays',
  async (version) => {
    const scene = await Scene.create({
      files: { 'demo.py': '# %%\nx = 1\n' },
      version,
      script: () => [
        run('import os\nvalue = 6'),
        run('print("value is", value * 7)'),
        run('1 / 0'),
      ],
    });
    const nvim = await scene.startNvim();
    await nvim.startBridge();
    const cli = await scene.startCli({ ENABLE_TOOL_SEARCH: '0' });
    await nvim.isConnected();
    await ask(cli, 'compute');
    await decide(cli, 'Enter');
    await nvim.terminal.shows(/ClaudeKernelAllow/);
    await nvim.command('ClaudeKernelAllow');
    await cli.shows(/value \* 7/);
    await decide(cli, 'Enter');
    await scene.modelHears(/value is 42/);
    await cli.shows(/1 \/ 0/);
    await decide(cli, 'Enter');
    await scene.modelHears(/ZeroDivisionError: division by zero/);
    expect(await nvim.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
  },
);
