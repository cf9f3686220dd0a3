/** The model runs code in the kernel of the notebook that the user looks at. */
import { expect, test } from 'vitest';
import { hasKernel } from '../support/kernel.ts';
import { VERSIONS } from './support/install.ts';
import type { Block } from './support/model.ts';
import { ask, decide, QUESTION, Scene } from './support/scene.ts';

const run = (code: string): Block[] => [
  { type: 'tool_use', name: 'mcp__ide__executeCode', input: { code } },
];

test.skipIf(!hasKernel).each(VERSIONS)('%s runs code, and its state stays', async (version) => {
  const scene = await Scene.create({
    files: { 'demo.py': '# %%\nx = 1\n' },
    version,
    script: () => [run('import os\nvalue = 6'), run('print("value is", value * 7)'), run('1 / 0')],
  });
  const nvim = await scene.startNvim();
  await nvim.startBridge();
  const cli = await scene.startCli({ ENABLE_TOOL_SEARCH: '0' });
  await nvim.isConnected();
  await ask(cli, 'compute');
  await cli.shows(QUESTION);
  await decide(cli, 'Enter');
  await nvim.terminal.shows(/ClaudeKernelAllow/);
  await nvim.command('ClaudeKernelAllow');
  const told = async (): Promise<string> => {
    // The CLI asks for each call.
    await decide(cli, 'Enter');
    return scene.model.told();
  };
  await expect
    .poll(told, { timeout: 30_000, interval: 200 })
    .toMatch(/value is 42[\s\S]*ZeroDivisionError: division by zero/);
  expect(await nvim.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
});
