import { afterEach, beforeEach, expect, test } from 'vitest';
import { startChat, type TestChat } from '../support/chat.ts';

let chat: TestChat;
beforeEach(async () => {
  chat = await startChat({ ui: true });
  // The bridge runs as far as these tests go.
  await lua(`require('claude_bridge.session').when_ready = function(ready) ready() end`);
});
afterEach(() => chat.nvim.dispose());

const lua = <T>(code: string, args: unknown[] = []) => chat.nvim.lua<T>(code, args);
const say = (id: string, text: string) => ({ op: 'put', entry: { id, kind: 'agent', text } });
/** Names of the buffers in the windows of this tab page, in their order. */
const windows = () =>
  lua<string[]>(`return vim.tbl_map(function(window)
    return vim.fn.bufname(vim.api.nvim_win_get_buf(window))
  end, vim.api.nvim_tabpage_list_wins(0))`);
const here = () => lua<string>(`return vim.fn.bufname()`);
const CONVERSATION = 'claude-session://demo';
const PROMPT = 'claude-session://demo/prompt';
const status = (fields: Record<string, unknown> = {}) => ({
  op: 'status',
  status: {
    agent: 'demo',
    state: 'connected',
    busy: false,
    progress: [],
    waiting: 0,
    queued: 0,
    abilities: { pause: true, reset: true, list: true, load: true, images: true },
    ...fields,
  },
});
const choices = (fields: Record<string, unknown> = {}) => ({
  op: 'choices',
  choices: {
    models: [
      { id: 'big', label: 'Big' },
      { id: 'small', label: 'Small' },
    ],
    modes: [{ id: 'plan', label: 'Plan' }],
    commands: [],
    ...fields,
  },
});

test.each([
  ['ClaudeSession', {}],
  ['ClaudeSession gemini', { agent: 'gemini' }],
  ['ClaudeSession! gemini', { agent: 'gemini', fresh: true }],
])('":%s" has node open one', async (command, fields) => {
  await chat.nvim.command(command);
  await expect
    .poll(() => chat.sent('chat_open'))
    .toEqual([{ kind: 'chat_open', folder: chat.nvim.home, ...fields }]);
});

test('a session is shown beside the file, with the cursor in its prompt', async () => {
  await chat.open();
  expect(await windows()).toEqual(['', CONVERSATION, PROMPT]);
  expect(await here()).toBe(PROMPT);
  expect(
    await lua(`return vim.tbl_map(function(window)
      return { vim.api.nvim_win_get_width(window), vim.api.nvim_win_get_height(window) }
    end, vim.api.nvim_tabpage_list_wins(0))`),
  ).toMatchObject([
    [71, expect.any(Number)],
    [48, expect.any(Number)],
    [48, 5],
  ]);
});

test.each([
  ['Insert mode', 'ix', 'i'],
  ['the command line', ':x', 'c'],
])('a session that opens does not take the focus from %s', async (_, keys, mode) => {
  await chat.nvim.input(keys);
  await expect.poll(() => lua(`return vim.fn.mode()`)).toBe(mode);
  await chat.open();
  expect(await here()).toBe('');
  expect(await lua(`return vim.fn.mode()`)).toBe(mode);
  expect(await windows()).toEqual(['', CONVERSATION, PROMPT]);
});

test('one that opens while the command-line window is open comes after that', async () => {
  await chat.nvim.input('q:');
  await expect.poll(() => lua(`return vim.fn.getcmdwintype()`)).toBe(':');
  await chat.open();
  await chat.nvim.input(':quit<CR>');
  await expect.poll(windows).toEqual(['', CONVERSATION, PROMPT]);
});

test('closing the windows keeps the session, and it comes back without node', async () => {
  await chat.open();
  await chat.nvim.command('ClaudeSessionHide');
  expect(await windows()).toEqual(['']);
  await chat.apply([say('a', 'said meanwhile')]);
  await chat.nvim.command('tabnew | ClaudeSession');
  expect(await windows()).toEqual(['', CONVERSATION, PROMPT]);
  expect(await chat.lines()).toEqual(['said meanwhile', '', '']);
  expect(chat.sent('chat_open')).toEqual([]);
});

test('a conversation that was wiped out comes back when the user wants it', async () => {
  await chat.open();
  await chat.nvim.command(`bwipeout ${CONVERSATION}`);
  await chat.nvim.command('ClaudeSession');
  await expect.poll(() => chat.sent('chat_show')).toEqual([{ kind: 'chat_show', session: 'demo' }]);
  await chat.open();
  await chat.apply([{ op: 'clear' }, say('a', 'x')]);
  expect(await chat.lines()).toEqual(['x', '', '']);
  expect(await windows()).toContain(CONVERSATION);
});

test('what an agent says or asks after that is not missed, and no window comes by itself', async () => {
  await chat.open();
  await chat.nvim.command(`bwipeout ${CONVERSATION} ${PROMPT}`);
  const batch = { session: 'demo', batch: 1, ops: [say('a', 'x')] };
  expect(await chat.call('chat.apply', batch)).toMatchObject({ ok: false, code: 'not-found' });
  await expect.poll(() => chat.sent('chat_show')).toEqual([{ kind: 'chat_show', session: 'demo' }]);
  await chat.open();
  await chat.apply([{ op: 'clear' }, say('a', 'x')]);
  expect(await windows()).toEqual(['']);
  await chat.nvim.command('ClaudeSession');
  expect(await windows()).toEqual(['', CONVERSATION, PROMPT]);
  expect(await chat.lines()).toEqual(['x', '', '']);
});

test('a batch of a session that is not open is refused', async () => {
  const batch = { session: 'none', batch: 1, ops: [] };
  expect(await chat.call('chat.apply', batch)).toMatchObject({ ok: false, code: 'not-found' });
});

test('sessions take turns in the windows, by their names', async () => {
  await chat.open();
  await chat.open('other', 'gemini');
  expect(await windows()).toEqual(['', 'claude-session://other', 'claude-session://other/prompt']);
  await chat.apply([say('a', 'to demo')]);
  await chat.nvim.command('ClaudeSession demo');
  expect(await windows()).toEqual(['', CONVERSATION, PROMPT]);
  expect(await chat.lines()).toEqual(['to demo', '', '']);
  await chat.nvim.command('ClaudeSession gemini');
  expect(await here()).toBe('claude-session://other/prompt');
  await chat.nvim.command('ClaudeSessionCancel');
  await chat.nvim.command('wincmd t | ClaudeSessionPause');
  await chat.nvim.command('ClaudeSession demo');
  await chat.nvim.command('wincmd t | ClaudeSessionResume');
  await expect
    .poll(() => chat.events.slice(-3))
    .toEqual([
      { kind: 'chat_cancel', session: 'other' },
      { kind: 'chat_pause', session: 'other' },
      { kind: 'chat_resume', session: 'demo' },
    ]);
  expect(await lua(`return vim.fn.getcompletion('ClaudeSession ', 'cmdline')`)).toEqual(
    expect.arrayContaining(['demo', 'other']),
  );
});

test.each<[string, Record<string, unknown>]>([
  ['ClaudeSessionCancel', { kind: 'chat_cancel' }],
  ['ClaudeSessionPause', { kind: 'chat_pause' }],
  ['ClaudeSessionResume', { kind: 'chat_resume' }],
  ['ClaudeSessionReset', { kind: 'chat_reset' }],
  ['ClaudeSessionClose', { kind: 'chat_close' }],
  ['ClaudeSessionList', { kind: 'chat_list' }],
  ['ClaudeSessionSwitch', { kind: 'chat_list' }],
  ['ClaudeSessionSwitch abc', { kind: 'chat_switch', conversation: 'abc' }],
  ['ClaudeSessionLoad abc', { kind: 'chat_load', conversation: 'abc' }],
  ['ClaudeSessionModel big', { kind: 'chat_set_model', model: 'big' }],
  ['ClaudeSessionMode plan', { kind: 'chat_set_mode', mode: 'plan' }],
])('":%s" tells node, and fails in one line without a session', async (command, fields) => {
  await chat.nvim.command(command);
  expect(await chat.nvim.messages()).toContain('no session is open: :ClaudeSession starts one');
  await chat.open();
  await chat.nvim.command(command);
  await expect.poll(() => chat.events.at(-1)).toEqual({ session: 'demo', ...fields });
  await chat.call('chat.close', { session: 'demo' });
  const count = chat.events.length;
  await chat.nvim.command(command);
  expect(chat.events).toHaveLength(count);
});

test('each command has a map', async () => {
  const missing = await lua(`
    local missing = {}
    for _, name in ipairs(vim.fn.getcompletion('ClaudeSession', 'command')) do
      for _, mode in ipairs({ 'n', 'i', 't' }) do
        if vim.fn.maparg('<Plug>(' .. name .. ')', mode) == '' then
          missing[#missing + 1] = mode .. name
        end
      end
    end
    return missing`);
  expect(missing).toEqual([]);
});

test.each([
  ['ClaudeSessionModel', '2', { kind: 'chat_set_model', session: 'demo', model: 'small' }],
  ['ClaudeSessionMode', '1', { kind: 'chat_set_mode', session: 'demo', mode: 'plan' }],
])('":%s" without an argument lets the user pick', async (command, key, expected) => {
  await chat.open();
  await chat.apply([choices()]);
  await chat.nvim.command(command);
  expect(await chat.card()).toMatchObject({ focused: true });
  await chat.nvim.feed(key);
  await expect.poll(() => chat.events.at(-1)).toEqual(expected);
  await chat.nvim.command(command);
  await chat.nvim.feed('q');
  await expect.poll(() => chat.card()).toBeUndefined();
});

test('models, modes and conversations are completed', async () => {
  await chat.open();
  await chat.apply([
    choices(),
    { op: 'sessions', sessions: [{ id: 'c1', title: 'x', current: true }] },
  ]);
  await chat.nvim.command('ClaudeSessionAnswer').catch(() => {});
  const complete = (line: string) => lua(`return vim.fn.getcompletion(..., 'cmdline')`, [line]);
  expect(await complete('ClaudeSessionModel ')).toEqual(['big', 'small']);
  expect(await complete('ClaudeSessionModel s')).toEqual(['small']);
  expect(await complete('ClaudeSessionMode ')).toEqual(['plan']);
  expect(await complete('ClaudeSessionLoad ')).toEqual(['c1']);
});

const bar = () =>
  lua<string>(`
    local window = vim.fn.win_findbuf(vim.fn.bufnr('claude-session://demo'))[1]
    return vim.api.nvim_eval_statusline(vim.wo[window].winbar, { winid = window, use_winbar = true, maxwidth = 200 }).str`);

test.each<[Record<string, unknown>, string]>([
  [{}, 'demo · ready'],
  [{ busy: true, title: '100% done' }, 'demo · working · 100% done'],
  [{ state: 'failed', detail: 'no such program' }, 'demo · failed · no such program'],
  [{ waiting: 2, queued: 1 }, 'demo · ready · 2 to answer · 1 to be sent'],
  [
    { busy: true, progress: [{ id: '1', stage: 'read', percent: 40 }], model: 'big', mode: 'plan' },
    'demo · working · read 40% · Big · Plan',
  ],
  [
    { tokens: { used: 12345, size: 200000 }, cost: { amount: 0.4249, currency: 'USD' } },
    'demo · ready · 12k/200k $0.42',
  ],
])('the window bar and the status line show %j', async (fields, expected) => {
  await chat.open();
  await chat.apply([choices(), status(fields)]);
  expect(await bar()).toBe(` ${expected}`);
  expect(await lua(`return require('claude_bridge.chat').statusline()`)).toBe(expected);
});

test('the looks of the windows do not stay behind in them', async () => {
  await chat.open();
  await chat.focus('');
  await chat.nvim.command('enew');
  expect(await lua(`return { vim.wo.winbar, vim.wo.foldtext ~= '' }`)).toEqual(['', true]);
});

test('going from entry to entry, and to the whole of one', async () => {
  await chat.open();
  const output = Array.from({ length: 1000 }, (_, index) => `${index}`).join('\n');
  const ops = [
    say('a', '1\n2'),
    {
      op: 'put',
      entry: { id: 't', kind: 'tool', title: 'x', category: 'read', state: 'done', output },
    },
    say('b', 'end'),
  ];
  await chat.apply(ops);
  await chat.focus('');
  await chat.nvim.command('normal! gg');
  await chat.nvim.feed(']]');
  expect(await lua(`return vim.fn.getline('.')`)).toBe('✓ read x');
  await chat.nvim.feed('<Tab>');
  expect(await lua(`return vim.fn.foldclosed('.')`)).toBe(-1);
  await chat.nvim.feed(']][[');
  expect(await lua(`return vim.fn.getline('.')`)).toBe('✓ read x');
  await chat.nvim.feed('gO');
  expect(await lua(`return vim.fn.line('$')`)).toBe(1000);
  await chat.nvim.feed('q');
  await chat.nvim.feed('[[');
  expect(await lua(`return vim.fn.getline('.')`)).toBe('1');
});

test('the windows keep their share of the screen, and the width that the user gave them', async () => {
  const width = () =>
    lua<number>(`
      return vim.fn.winwidth(vim.fn.bufwinid(vim.fn.bufnr('claude-session://demo/prompt')))`);
  const resize = (columns: number) => chat.nvim.client.request('nvim_ui_try_resize', [columns, 30]);
  await chat.open();
  expect(await width()).toBe(48);
  await resize(80);
  await expect.poll(width).toBe(32);
  await resize(120);
  await expect.poll(width).toBe(48);
  await chat.focus('');
  await chat.nvim.command('vertical resize 40');
  await resize(110);
  await lua(`vim.cmd.redraw()`);
  expect(await width()).toBe(40);
});
