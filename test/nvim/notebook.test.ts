import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RpcCalls } from '../../src/nvim/calls.ts';
import { kernelPort, parseKernelEvent } from '../../src/nvim/kernel-port.ts';
import { startNvim, type TestNvim } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

let nvim: TestNvim;
beforeEach(async () => {
  nvim = await startNvim({ ui: true, args: ['--cmd', 'filetype on'] });
  await nvim.command('runtime plugin/claude_bridge.lua');
});
afterEach(() => nvim.dispose());

const port = () => kernelPort(new RpcCalls(nvim.client), () => {});
const current = () => port().currentNotebook();

/** Writes a file and edits it. */
async function edit(name: string, content: string): Promise<string> {
  const file = path.join(nvim.home, name);
  fs.writeFileSync(file, content);
  await nvim.lua('vim.cmd.edit(vim.fn.fnameescape(...))', [file]);
  return file;
}

test.each([
  ['n.ipynb', '{"cells": []}', { kind: 'ipynb', header: [] }],
  ['a.py', '# %%\nx = 1', { kind: 'percent', language: 'python', header: ['# %%', 'x = 1'] }],
  ['a.jl', 'using X\n#%% [markdown]', { kind: 'percent', language: 'julia' }],
  ['a.js', '// %% title', { kind: 'percent', language: 'javascript' }],
  ['a.lua', '-- %%', { kind: 'percent', language: 'lua' }],
  [
    'd.qmd',
    '---\njupyter: python3\n---',
    { kind: 'quarto', header: ['---', 'jupyter: python3', '---'] },
  ],
])('%s is a notebook', async (name, content, expected) => {
  const file = await edit(name, content);
  expect(await current()).toMatchObject({ path: file, ...expected });
});

test.each([
  ['a.py', 'x = 1 # %%'],
  ['b.py', '# %%time\nx = 10 %% 3'],
  ['a.md', '100 %% sure'],
  ['a.tex', '%% chapter\n%%%%%%%%'],
])('%s with %j is none', async (name, content) => {
  await edit(name, content);
  expect(await current()).toBeUndefined();
});

test('a buffer without a file is none, even where it has cells', async () => {
  await nvim.lua(`vim.api.nvim_buf_set_lines(0, 0, -1, false, { '# %%' })`);
  expect(await current()).toBeUndefined();
});

test('the notebook is known while a terminal or another file has the focus', async () => {
  const file = await edit('a.py', '# %%');
  await nvim.command('split | terminal cat');
  expect(await current()).toMatchObject({ path: file });
  await nvim.command('bdelete!');
  await nvim.command('vsplit');
  await edit('b.txt', 'plain');
  expect(await current()).toMatchObject({ path: file });
});

test('of two notebooks the one of the current window counts', async () => {
  await edit('a.py', '# %%');
  await nvim.command('vsplit');
  const file = await edit('b.py', '# %%');
  expect(await current()).toMatchObject({ path: file });
});

test('a notebook joins a kernel by its file, and leaves it again', async () => {
  await edit('a.py', '# %%');
  await nvim.command('ClaudeKernelJoin kernel-12.json');
  expect(await current()).toMatchObject({ connectionFile: 'kernel-12.json' });
  await nvim.command('ClaudeKernelJoin ~/k.json');
  expect(await current()).toMatchObject({ connectionFile: path.join(nvim.home, 'k.json') });
  await nvim.command('ClaudeKernelJoin');
  expect(await current()).not.toHaveProperty('connectionFile', expect.anything());
});

test('running kernels are completed', async () => {
  const runtime = path.join(nvim.home, '.local/share/jupyter/runtime');
  fs.mkdirSync(runtime, { recursive: true });
  for (const name of ['kernel-1.json', 'kernel-2.json', 'nbserver-3.json']) {
    fs.writeFileSync(path.join(runtime, name), '{}');
  }
  expect(await nvim.lua(`return vim.fn.getcompletion('ClaudeKernelJoin k', 'cmdline')`)).toEqual([
    'kernel-1.json',
    'kernel-2.json',
  ]);
});

const QUESTION = { id: 'q1', path: '/w/a.py', kernel: 'python3 of a.py', code: 'print(1)\nx = 2' };
const floats = () =>
  nvim.lua<{ lines: string[]; focused: boolean; title: string }[]>(`
    local found = {}
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      local config = vim.api.nvim_win_get_config(win)
      if config.relative ~= '' then
        found[#found + 1] = {
          lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false),
          focused = win == vim.api.nvim_get_current_win(),
          title = config.title[1][1],
        }
      end
    end
    return found`);

test('the question shows the code, does not take the cursor, and is answered by a command', async () => {
  const events = await nvim.captureNotifications();
  await port().ask(QUESTION);
  expect(await floats()).toEqual([
    { lines: ['print(1)', 'x = 2'], focused: false, title: ' Run this code in python3 of a.py? ' },
  ]);
  expect(await nvim.messages()).toContain(':ClaudeKernelAllow or :ClaudeKernelRefuse');
  await nvim.input('ihello<Esc>');
  await waitFor(async () => expect(await nvim.lua('return vim.fn.getline(1)')).toBe('hello'));
  expect(events).toEqual([]);
  await nvim.command('ClaudeKernelAllow');
  await waitFor(() => expect(events).toHaveLength(1));
  expect(parseKernelEvent(events[0])).toEqual({ kind: 'code-answer', id: 'q1', allowed: true });
  expect(await floats()).toEqual([]);
});

test.each([
  ['a command', 'ClaudeKernelRefuse'],
  ['closing its window', 'wincmd w | close'],
  ['a key in its window', 'wincmd w | normal r'],
])('it is refused by %s', async (_, command) => {
  const events = await nvim.captureNotifications();
  await port().ask(QUESTION);
  await nvim.command(command);
  await waitFor(() => expect(events).toHaveLength(1));
  expect(parseKernelEvent(events[0])).toEqual({ kind: 'code-answer', id: 'q1', allowed: false });
  expect(await floats()).toEqual([]);
});

test('questions wait for one another; a withdrawn one goes without a word', async () => {
  const events = await nvim.captureNotifications();
  await port().ask(QUESTION);
  await port().ask({ ...QUESTION, id: 'q2', code: 'second' });
  await port().ask({ ...QUESTION, id: 'q3', code: 'third' });
  await port().withdraw('q2');
  await port().withdraw('unknown');
  expect(await floats()).toMatchObject([{ lines: ['print(1)', 'x = 2'] }]);
  await port().withdraw('q1');
  expect(await floats()).toMatchObject([{ lines: ['third'] }]);
  await nvim.command('ClaudeKernelAllow');
  await waitFor(() => expect(events).toEqual([{ kind: 'code_answer', id: 'q3', allowed: true }]));
  await nvim.command('ClaudeKernelAllow');
  expect(await nvim.messages()).toContain('no agent asks to run code');
});

test('without a user interface nobody can be asked', async () => {
  await nvim.client.request('nvim_ui_detach', []);
  await expect(port().ask(QUESTION)).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('kernel.allow'),
  });
});

test('the commands for the kernel reach the node side, or say why they cannot', async () => {
  await nvim.command('ClaudeKernelRestart');
  expect(await nvim.messages()).toContain('the bridge does not run');
  const events = await nvim.captureNotifications();
  await nvim.command('ClaudeKernelInterrupt');
  const file = await edit('a.py', '# %%');
  await nvim.command('ClaudeKernelJoin kernel-1.json');
  await nvim.command('ClaudeKernelRestart');
  await nvim.command('ClaudeKernelStop');
  await waitFor(() => expect(events).toHaveLength(3));
  const notebook = { path: file, kind: 'percent', connectionFile: 'kernel-1.json' };
  expect(events.map(parseKernelEvent)).toMatchObject([
    { kind: 'kernel-command', action: 'interrupt', notebook: undefined },
    { kind: 'kernel-command', action: 'restart', notebook },
    { kind: 'kernel-command', action: 'stop', notebook },
  ]);
  // A joined kernel that was left is not joined again by the next code.
  expect((await current())?.connectionFile).toBeUndefined();
});

test.each([
  [{ kind: 'code_answer', id: 'x' }],
  [{ kind: 'kernel_command', action: 'explode' }],
  [{ kind: 'selection' }],
  [null],
])('%j is no event for the kernels', (raw) => {
  expect(parseKernelEvent(raw)).toBeUndefined();
});
