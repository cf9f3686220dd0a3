import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Op, startChat, type TestChat } from '../support/chat.ts';

let chat: TestChat;
beforeEach(async () => {
  chat = await startChat({ ui: true });
  await chat.open();
});
afterEach(() => chat.nvim.dispose());

const text = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1}`).join('\n');
const agent = (id: string, words: string): Op => ({
  op: 'put',
  entry: { id, kind: 'agent', text: words },
});
const append = (id: string, words: string): Op => ({
  op: 'append',
  id,
  field: 'text',
  text: words,
});

/** What the reader of the conversation sees: first and last line on the screen, and the cursor's. */
const seen = () =>
  chat.nvim.lua<{ top: string; bottom: number; cursor: string; last: number }>(`
    vim.cmd.redraw()
    local window = vim.fn.win_findbuf(vim.fn.bufnr('claude-session://demo'))[1]
    return vim.api.nvim_win_call(window, function()
      return {
        top = vim.fn.getline('w0'),
        bottom = vim.fn.line('w$'),
        cursor = vim.fn.getline('.'),
        last = vim.fn.line('$'),
      }
    end)`);

test('a window at the end follows it, with the end at the bottom', async () => {
  await chat.apply([agent('a', text(200))]);
  let view = await seen();
  expect(view.bottom).toBe(view.last);
  expect(view.top).toBe('line 172');
  await chat.apply([append('a', `\n${text(100, 'more')}`)]);
  view = await seen();
  expect(view.bottom).toBe(view.last);
  expect(view.top).toBe('more 72');
});

test.each(['window', 'current window'])('a reader elsewhere stays there (%s)', async (where) => {
  await chat.apply([agent('a', text(100)), agent('b', text(100)), agent('c', 'end')]);
  await chat.focus('');
  await chat.nvim.command('normal! 150Gzt5j');
  if (where === 'window') await chat.focus('/prompt');
  const before = await seen();
  await chat.apply([append('c', `\n${text(300)}`)]);
  expect(await seen()).toMatchObject({ top: before.top, cursor: before.cursor });
  await chat.apply([append('a', `\n${text(7)}`)]);
  expect(await seen()).toMatchObject({ top: before.top, cursor: before.cursor });
  await chat.apply([{ op: 'patch', id: 'a', fields: { text: text(3) } }]);
  expect(await seen()).toMatchObject({ top: before.top, cursor: before.cursor });
  await chat.apply([{ op: 'remove', id: 'a' }]);
  expect(await seen()).toMatchObject({ top: before.top, cursor: before.cursor });
});

test('going back to the end follows again', async () => {
  await chat.apply([agent('a', text(200))]);
  await chat.focus('');
  await chat.nvim.command('normal! gg');
  await chat.apply([append('a', '\nx')]);
  expect((await seen()).top).toBe('line 1');
  await chat.nvim.command('normal! G');
  await chat.apply([append('a', '\ny')]);
  const view = await seen();
  expect(view.bottom).toBe(view.last);
});

test('two windows of one conversation each keep their way', async () => {
  await chat.apply([agent('a', text(200))]);
  await chat.focus('');
  await chat.nvim.command('split | normal! gg');
  await chat.apply([append('a', `\n${text(50, 'more')}`)]);
  const tops = await chat.nvim.lua(`
    vim.cmd.redraw()
    return vim.tbl_map(function(window)
      return { vim.fn.line('w0', window), vim.fn.line('w$', window) == vim.fn.line('$', window) }
    end, vim.fn.win_findbuf(vim.fn.bufnr('claude-session://demo')))`);
  expect(tops).toContainEqual([1, false]);
  expect(tops).toContainEqual([expect.any(Number), true]);
});

test('a selection that is being made stays as it is', async () => {
  await chat.apply([agent('a', 'one\ntwo')]);
  await chat.focus('');
  await chat.nvim.input('ggVG');
  await expect.poll(() => chat.nvim.lua(`return vim.fn.line('.')`)).toBe(4);
  await chat.apply([append('a', '\nthree\nfour')]);
  expect(await chat.nvim.lua(`return { vim.fn.mode(), vim.fn.line('v') }`)).toEqual(['V', 1]);
});

test('what the user types in Insert mode goes on while text streams', async () => {
  await chat.nvim.input('ihel');
  await expect.poll(() => chat.prompt()).toEqual(['hel']);
  await chat.apply([agent('a', text(100))]);
  await chat.nvim.input('lo');
  await expect.poll(() => chat.prompt()).toEqual(['hello']);
  expect(await chat.nvim.lua(`return vim.fn.mode()`)).toBe('i');
  const view = await seen();
  expect(view.bottom).toBe(view.last);
});

test('text streams while the command line is in use', async () => {
  await chat.nvim.input(':echo 1');
  await chat.apply([agent('a', text(100))]);
  const view = await seen();
  expect(view.bottom).toBe(view.last);
  expect(await chat.nvim.lua(`return { vim.fn.mode(), vim.fn.getcmdline() }`)).toEqual([
    'c',
    'echo 1',
  ]);
});

test('text streams while the command-line window is open', async () => {
  await chat.apply([agent('a', text(100))]);
  await chat.nvim.input('q:');
  await expect.poll(() => chat.nvim.lua(`return vim.fn.getcmdwintype()`)).toBe(':');
  await chat.apply([append('a', `\n${text(50, 'more')}`)]);
  await chat.nvim.input(':quit<CR>');
  await expect.poll(() => chat.nvim.lua(`return vim.fn.getcmdwintype()`)).toBe('');
  await chat.apply([append('a', '\nlast')]);
  const view = await seen();
  expect(view.bottom).toBe(view.last);
  expect((await chat.lines()).slice(-4)).toEqual(['more 50', 'last', '', '']);
});

test('what is folded away leaves no empty rows at the end', async () => {
  const tool = { id: 't', kind: 'tool', title: 'make', category: 'execute', state: 'running' };
  await chat.apply([agent('a', text(40)), { op: 'put', entry: { ...tool, output: '' } }]);
  await chat.apply([{ op: 'append', id: 't', field: 'output', text: text(30, 'out') }]);
  await chat.apply([{ op: 'patch', id: 't', fields: { state: 'done', output: 'out' } }]);
  await chat.apply([agent('b', 'end')]);
  const view = await rows();
  expect(view.used).toBeGreaterThanOrEqual(view.height - 1);
});

/** How many rows of the window are taken by text. */
const rows = () =>
  chat.nvim.lua<{ used: number; height: number }>(`
    vim.cmd.redraw()
    local window = vim.fn.win_findbuf(vim.fn.bufnr('claude-session://demo'))[1]
    return vim.api.nvim_win_call(window, function()
      local first = vim.fn.screenpos(window, vim.fn.line('w0'), 1).row
      local last = vim.fn.screenpos(window, vim.fn.line('$'), 1).row
      return { used = last - first + 1, height = vim.fn.winheight(window) }
    end)`);
