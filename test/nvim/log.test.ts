import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startNvim, type TestNvim } from '../support/nvim.ts';

let nvim: TestNvim;
beforeEach(async () => {
  nvim = await startNvim({ args: ['--cmd', 'runtime plugin/claude_bridge.lua'] });
  await nvim.lua(`require('claude_bridge').setup({ log = { path = '~/my logs/n.log' } })`);
});
afterEach(() => nvim.dispose());

test('the log opens at its end, as no file of the project', async () => {
  const file = path.join(nvim.home, 'my logs/n.log');
  fs.mkdirSync(path.dirname(file));
  fs.writeFileSync(file, 'one\ntwo\n');
  await nvim.command('ClaudeBridgeLog');
  expect(await nvim.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')).toEqual([
    'one',
    'two',
  ]);
  expect(await nvim.lua('return vim.fn.line(".")')).toBe(2);
  expect(await nvim.lua('return { vim.bo.buftype, vim.bo.buflisted, vim.bo.modifiable }')).toEqual([
    'nowrite',
    false,
    false,
  ]);

  fs.appendFileSync(file, 'three\n');
  await nvim.command('edit');
  expect(await nvim.lua('return vim.fn.line("$")')).toBe(3);
  await nvim.command('quit');
  await nvim.command('ClaudeBridgeLog');
  expect(await nvim.lua('return vim.fn.line("$")')).toBe(3);
});

test('without a log yet, its place is told', async () => {
  await nvim.command('ClaudeBridgeLog');
  expect(await nvim.messages()).toMatch(/no log yet; it will be .*\/my logs\/n\.log$/);
  expect(await nvim.lua('return #vim.api.nvim_list_wins()')).toBe(1);
});
