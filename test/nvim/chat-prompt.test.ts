import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startChat, type TestChat } from '../support/chat.ts';

let chat: TestChat;
beforeEach(async () => {
  chat = await startChat({ ui: true });
  await chat.open();
});
afterEach(() => chat.nvim.dispose());

const lua = <T>(code: string, args: unknown[] = []) => chat.nvim.lua<T>(code, args);
const user = (text: string, delivery: string) => ({
  op: 'put',
  entry: { id: text, kind: 'user', text, delivery },
});
const detach = () => lua(`require('claude_bridge.channel').detach()`);
const stopped = () =>
  lua(`vim.api.nvim_exec_autocmds('User', { pattern = 'ClaudeBridgeStopped' })`);

test.each([
  ['<CR> in Normal mode', '<CR>', 'n'],
  ['<C-s> in Normal mode', '<C-s>', 'n'],
  ['<C-s> in Insert mode', '<C-s>', 'i'],
  ['the command', '<Cmd>ClaudeSessionSend<CR>', 'i'],
])('%s sends what was typed and empties the buffer', async (_, keys, mode) => {
  await chat.nvim.input('ihello<CR>there');
  if (mode === 'n') await chat.nvim.input('<Esc>');
  await expect.poll(() => lua(`return vim.fn.mode()`)).toBe(mode);
  await chat.nvim.input(keys);
  await expect
    .poll(() => chat.sent('chat_send'))
    .toEqual([{ kind: 'chat_send', session: 'demo', text: 'hello\nthere' }]);
  expect(await chat.prompt()).toEqual(['']);
  expect(await lua(`return vim.fn.mode()`)).toBe(mode);
});

test('a map of the user for sending takes the place of the default one', async () => {
  await chat.nvim.command('nmap <Leader>s <Plug>(ClaudeSessionSend)');
  await chat.open('other');
  expect(await lua(`return vim.fn.maparg('<CR>', 'n')`)).toBe('');
  expect(await lua(`return vim.fn.maparg('<C-s>', 'i')`)).not.toBe('');
});

test('nothing is sent where nothing was typed', async () => {
  await chat.setPrompt(['  ', '']);
  await chat.nvim.command('ClaudeSessionSend');
  expect(chat.sent('chat_send')).toEqual([]);
});

test('a text that cannot be sent stays', async () => {
  await detach();
  await chat.setPrompt(['precious']);
  await chat.nvim.command('ClaudeSessionSend');
  expect(await chat.prompt()).toEqual(['precious']);
  expect(await chat.nvim.messages()).toContain('your text stays');
});

test('a text outlives its windows, its buffer, and being loaded anew', async () => {
  await chat.setPrompt(['precious', 'words']);
  await chat.nvim.command('edit!');
  await expect.poll(() => chat.prompt()).toEqual(['precious', 'words']);
  for (const end of [
    'ClaudeSessionHide',
    'bdelete',
    'bwipeout',
    'bwipeout claude-session://demo',
  ]) {
    await chat.nvim.command(end);
    await chat.open();
    expect(await chat.prompt()).toEqual(['precious', 'words']);
  }
});

test('a text that node had not sent comes back when node dies', async () => {
  for (const text of ['one', 'two', 'three', 'four']) {
    await chat.setPrompt([text]);
    await chat.nvim.command('ClaudeSessionSend');
  }
  await chat.setPrompt(['being typed']);
  await chat.apply([user('one', 'sent'), user('two', 'queued'), user('three', 'queued')]);
  await chat.apply([{ op: 'patch', id: 'two', fields: { delivery: 'sent' } }]);
  await detach();
  await stopped();
  expect(await chat.prompt()).toEqual(['three', 'four', 'being typed']);
  expect((await chat.lines()).at(-3)).toMatch(/^The bridge has ended/);
  await chat.nvim.command('ClaudeSessionSend');
  expect(await chat.prompt()).toEqual(['three', 'four', 'being typed']);
  expect(await chat.nvim.messages()).toContain(':ClaudeSession');
});

test('what the agent will not get is given back once, before what is there', async () => {
  await chat.setPrompt(['lost']);
  await chat.nvim.command('ClaudeSessionSend');
  await chat.nvim.input('imore');
  await expect.poll(() => chat.prompt()).toEqual(['more']);
  await chat.apply([{ op: 'input', text: 'lost' }]);
  await chat.nvim.input('!');
  await expect.poll(() => chat.prompt()).toEqual(['lost', 'more!']);
  await stopped();
  expect(await chat.prompt()).toEqual(['lost', 'more!']);
});

test('a session that is over takes no more', async () => {
  await chat.call('chat.close', { session: 'demo', message: 'The agent has ended.' });
  await chat.setPrompt(['x']);
  await chat.nvim.command('ClaudeSessionSend');
  expect(chat.sent('chat_send')).toEqual([]);
  expect(await chat.prompt()).toEqual(['x']);
  expect((await chat.lines())[0]).toBe('The agent has ended.');
});

test('the history goes back and forth, and a text that was begun comes back', async () => {
  for (const text of ['one', 'two\nlines']) {
    await chat.setPrompt(text.split('\n'));
    await chat.nvim.command('ClaudeSessionSend');
  }
  await chat.setPrompt(['begun']);
  const steps: [string, string[]][] = [
    ['<C-n>', ['begun']],
    ['<C-p>', ['two', 'lines']],
    ['<C-p>', ['one']],
    ['<C-p>', ['one']],
    ['<C-n>', ['two', 'lines']],
    ['<C-n>', ['begun']],
  ];
  for (const [key, expected] of steps) {
    await chat.nvim.feed(key);
    expect(await chat.prompt()).toEqual(expected);
  }
});

test('files come along by command, by range and by name in the text', async () => {
  const file = path.join(chat.nvim.home, 'a.txt');
  const other = path.join(chat.nvim.home, 'b.txt');
  for (const name of [file, other]) fs.writeFileSync(name, '1\n2\n3\n4\n');
  await chat.nvim.command('wincmd t | edit a.txt');
  await chat.nvim.command('2,3ClaudeSessionAttach');
  await chat.nvim.command('ClaudeSessionAttach b.txt');
  await chat.focus('/prompt');
  expect(
    await lua(
      `return vim.api.nvim_eval_statusline(vim.wo.winbar, { winid = 0, use_winbar = true }).str`,
    ),
  ).toBe(' @a.txt:2-3 @b.txt');
  await chat.setPrompt(['see @b.txt, @a.txt:4 and @none.txt or me@b.txt']);
  await chat.nvim.command('ClaudeSessionSend');
  await chat.nvim.command('ClaudeSessionSend again');
  await expect.poll(() => chat.sent('chat_send')).toHaveLength(2);
  expect(chat.sent('chat_send').map((event) => event['attachments'])).toEqual([
    [{ path: file, first: 1, last: 2 }, { path: other }, { path: file, first: 3, last: 3 }],
    undefined,
  ]);
});

test('a range goes with a text that is sent at once', async () => {
  fs.writeFileSync(path.join(chat.nvim.home, 'a.txt'), '1\n2\n');
  await chat.nvim.command('wincmd t | edit a.txt');
  await chat.nvim.command('1,2ClaudeSessionSend what is this?');
  await expect
    .poll(() => chat.sent('chat_send'))
    .toEqual([
      {
        kind: 'chat_send',
        session: 'demo',
        text: 'what is this?',
        attachments: [{ path: path.join(chat.nvim.home, 'a.txt'), first: 0, last: 1 }],
      },
    ]);
});

test('attachments can be taken away, and one that is not there is refused', async () => {
  fs.writeFileSync(path.join(chat.nvim.home, 'a.txt'), '');
  await chat.nvim.command('ClaudeSessionAttach a.txt');
  await chat.nvim.command('ClaudeSessionAttach! ');
  await chat.nvim.command('ClaudeSessionAttach nothing.txt');
  expect(await chat.nvim.messages()).toContain('there is no file nothing.txt');
  await chat.nvim.command('ClaudeSessionSend x');
  await expect.poll(() => chat.sent('chat_send')).toHaveLength(1);
  expect(chat.sent('chat_send')[0]).not.toHaveProperty('attachments');
});

const complete = (text: string) =>
  lua<string[]>(
    `local text = ...
    vim.api.nvim_set_current_line(text)
    vim.api.nvim_win_set_cursor(0, { vim.fn.line('.'), #text })
    local func = require('claude_bridge.chat.complete').func
    vim.cmd.startinsert({ bang = true })
    local start = func(1, '')
    if start < 0 then return { start } end
    return vim.tbl_map(function(item) return item.word end, func(0, text:sub(start + 1)))`,
    [text],
  );

test('commands and files are completed', async () => {
  for (const name of ['src/one.ts', 'src/two.ts', 'read me.md', '.hidden']) {
    const file = path.join(chat.nvim.home, 'w', name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, '');
  }
  await chat.nvim.command('cd w');
  await chat.apply([
    {
      op: 'choices',
      choices: {
        models: [],
        modes: [],
        commands: [
          { name: 'review', description: 'Review', hint: 'branch' },
          { name: 'reset', description: 'Reset' },
          { name: 'help', description: 'Help' },
        ],
      },
    },
  ]);
  expect(await complete('/re')).toEqual(['/review', '/reset']);
  expect(await complete('x /re')).toEqual([-3]);
  expect(await complete('see @src/t')).toEqual(['@src/two.ts']);
  expect(await complete('@')).toEqual(['@read me.md', '@src/']);
  expect(await complete('@.h')).toEqual(['@.hidden']);
  expect(await complete('me@src')).toEqual([-3]);
  await chat.nvim.command('wincmd t | edit src/one.ts');
  await chat.focus('/prompt');
  expect(await complete('@ne')).toEqual(['@src/one.ts']);
});

test('completion by its key', async () => {
  await chat.apply([
    {
      op: 'choices',
      choices: { models: [], modes: [], commands: [{ name: 'compact', description: 'Compact' }] },
    },
  ]);
  await chat.nvim.input('i/co<C-x><C-o><C-y> now');
  await expect.poll(() => chat.prompt()).toEqual(['/compact now']);
});
