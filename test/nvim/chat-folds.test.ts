import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Op, startChat, type TestChat } from '../support/chat.ts';

let chat: TestChat;
beforeEach(async () => {
  chat = await startChat({ ui: true });
  await chat.open();
});
afterEach(() => chat.nvim.dispose());

const tool = (id: string, fields: Record<string, unknown> = {}): Op => ({
  op: 'put',
  entry: {
    id,
    kind: 'tool',
    title: id,
    category: 'execute',
    state: 'running',
    output: '',
    ...fields,
  },
});
const output = (id: string, text: string): Op => ({ op: 'append', id, field: 'output', text });
const agent = (id: string, text: string): Op => ({ op: 'put', entry: { id, kind: 'agent', text } });

/** Closed folds as first and last line, in the window of the conversation. */
const closed = () =>
  chat.nvim.lua<[number, number][]>(`
    local window = vim.fn.win_findbuf(vim.fn.bufnr('claude-session://demo'))[1]
    return vim.api.nvim_win_call(window, function()
      local found, line = vim.empty_dict(), 1
      found = {}
      while line <= vim.fn.line('$') do
        local last = vim.fn.foldclosedend(line)
        if last ~= -1 then
          found[#found + 1] = { line, last }
          line = last
        end
        line = line + 1
      end
      return found
    end)`);

test('a tool call folds to one line and grows inside its fold', async () => {
  await chat.apply([agent('a', 'x'), tool('t'), agent('b', 'y')]);
  expect(await closed()).toEqual([[3, 4]]);
  await chat.apply([output('t', '1\n2\n')]);
  expect(await closed()).toEqual([[3, 6]]);
  await chat.apply([output('t', '3\n'), output('t', '4\n5')]);
  expect(await closed()).toEqual([[3, 9]]);
  await chat.apply([
    { op: 'patch', id: 't', fields: { state: 'failed', error: 'a\nb', input: 'i' } },
  ]);
  expect(await closed()).toEqual([[3, 12]]);
  await chat.apply([tool('t', { output: 'short' })]);
  expect(await closed()).toEqual([[3, 5]]);
  await chat.apply([{ op: 'remove', id: 'a' }]);
  expect(await closed()).toEqual([[1, 3]]);
});

test('folds are made and grow while the user types', async () => {
  await chat.nvim.input('ihello');
  await expect.poll(() => chat.prompt()).toEqual(['hello']);
  await chat.apply([tool('t'), tool('u')]);
  await chat.apply([output('t', '1\n2\n'), output('u', '1\n')]);
  expect(await closed()).toEqual([
    [1, 4],
    [5, 7],
  ]);
  expect(await chat.nvim.lua(`return vim.fn.mode()`)).toBe('i');
});

test('what the reader has opened stays open as it grows', async () => {
  await chat.apply([tool('t', { output: '1\n' }), tool('u', { output: '1\n' }), agent('a', 'x')]);
  await chat.focus('');
  await chat.nvim.command('1foldopen');
  await chat.apply([output('t', '2\n3\n'), output('u', '2\n')]);
  expect(await closed()).toEqual([[6, 9]]);
  await chat.apply([{ op: 'patch', id: 't', fields: { state: 'done' } }]);
  expect(await closed()).toEqual([[6, 9]]);
  await chat.nvim.command('1foldclose');
  expect(await closed()).toEqual([
    [1, 5],
    [6, 9],
  ]);
});

test('a thought folds; text and notices do not', async () => {
  await chat.apply([
    { op: 'put', entry: { id: 'h', kind: 'thought', text: 'a\nb' } },
    agent('a', 'x\ny'),
    { op: 'put', entry: { id: 'n', kind: 'notice', level: 'info', text: 'x\ny' } },
  ]);
  expect(await closed()).toEqual([[1, 4]]);
});

test('each diff is a fold of its own inside the tool call', async () => {
  const diffs = ['a', 'b'].map((name) => ({ path: `/w/${name}`, before: '1\n', after: '2\n' }));
  await chat.apply([tool('t', { diffs }), agent('a', 'x')]);
  expect(await closed()).toEqual([[1, 10]]);
  await chat.focus('');
  await chat.nvim.command('1foldopen');
  expect(await closed()).toEqual([]);
  await chat.nvim.command('3foldclose');
  expect(await closed()).toEqual([[2, 5]]);
  await chat.nvim.command('7foldclose');
  expect(await closed()).toEqual([
    [2, 5],
    [6, 9],
  ]);
});

test('folds come back as they were when the window is opened again', async () => {
  await chat.apply([tool('t', { output: '1\n' }), tool('u', { output: '1\n' })]);
  await chat.focus('');
  await chat.nvim.command('1foldopen');
  await chat.nvim.command('ClaudeSessionHide');
  await chat.apply([output('u', '2\n'), tool('v', { output: '1\n' })]);
  await chat.nvim.command('ClaudeSession');
  expect(await closed()).toEqual([
    [4, 7],
    [8, 10],
  ]);
});

test('a reader at the end follows folded tool calls', async () => {
  for (let index = 0; index < 60; index++)
    await chat.apply([tool(`t${index}`), output(`t${index}`, '1\n2\n3\n')]);
  const [bottom, last] = await chat.nvim.lua<number[]>(`
    vim.cmd.redraw()
    local window = vim.fn.win_findbuf(vim.fn.bufnr('claude-session://demo'))[1]
    return { vim.fn.line('w$', window), vim.fn.line('$', window) }`);
  expect(bottom).toBe(last);
});

test('no fold is touched while lines are being selected, and all are right afterwards', async () => {
  await chat.apply([tool('t', { output: '1\n' }), agent('a', 'x\ny')]);
  await chat.focus('');
  await chat.nvim.input('GV');
  await expect.poll(() => chat.nvim.lua(`return vim.fn.mode()`)).toBe('V');
  await chat.apply([output('t', '2\n'), tool('u', { output: '1\n' })]);
  await chat.nvim.input('<Esc>');
  await expect.poll(() => chat.nvim.lua(`return vim.fn.mode()`)).toBe('n');
  await chat.apply([output('t', '3\n')]);
  expect(await closed()).toEqual([
    [1, 5],
    [9, 11],
  ]);
});

test('the folded line shows the state, with its highlights', async () => {
  await chat.apply([tool('t', { name: 'Bash', state: 'done', output: '1\n' }), agent('a', 'x')]);
  const [text, filled] = await chat.nvim.lua<[string, string]>(`
    vim.cmd.redraw()
    local window = vim.fn.win_findbuf(vim.fn.bufnr('claude-session://demo'))[1]
    local row, column = unpack(vim.fn.win_screenpos(window))
    local cells = {}
    for offset = 0, 20 do
      cells[#cells + 1] = vim.fn.screenstring(row + 1, column + offset)
    end
    return { table.concat(cells), vim.wo[window].foldtext }`);
  expect([text.trimEnd(), filled]).toEqual(['✓ Bash t', '']);
});

test('a fold that is opened at the bottom of the window is scrolled into sight', async () => {
  const lines = Array.from({ length: 10 }, (_, index) => `out ${index + 1}`).join('\n');
  await chat.apply([agent('a', 'line\n'.repeat(60)), tool('t', { state: 'done', output: lines })]);
  await chat.focus('');
  await chat.nvim.feed('G[[');
  await chat.nvim.screen.shows('✓ t');
  await chat.nvim.feed('<Tab>');
  await chat.nvim.screen.shows('✓ t', 'out 1', 'out 10');
});
