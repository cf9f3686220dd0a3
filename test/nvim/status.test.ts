import { afterEach, beforeEach, expect, test } from 'vitest';
import { startNvim, type TestNvim } from '../support/nvim.ts';

let nvim: TestNvim;
beforeEach(async () => {
  nvim = await startNvim({ ui: true, args: ['--cmd', 'runtime plugin/claude_bridge.lua'] });
});
afterEach(() => nvim.dispose());

const rpc = (method: string, params: object) =>
  nvim.lua(`return require('claude_bridge.rpc').call(...)`, [method, params]);
const mode = () => nvim.client.request('nvim_get_mode', []);
const shown = () => nvim.lua<string[]>('return vim.api.nvim_buf_get_lines(0, 0, -1, false)');
const windowKind = () => nvim.lua('return vim.api.nvim_win_get_config(0).relative');
const READY = { port: 4711, token: 'secret-token', lock_files: ['/x/4711.lock'] };
const ALICE = { id: 'a', name: 'claude-code', version: '2.1', pid: 7 };
const BOB = { id: 'b', name: 'opencode', state: 'ready' };

/** Each event is noted as `Name:field`. */
const recordEvents = () =>
  nvim.lua(`
    _G.events = {}
    vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeBridge*', callback = function(e)
      local data = e.data or {}
      table.insert(_G.events, e.match:sub(#'ClaudeBridge' + 1) .. ':' .. tostring(data.port or data.id or ''))
    end })`);
const events = () => nvim.lua<string[]>('return _G.events');
const statusline = () => nvim.lua(`return require('claude_bridge').statusline()`);

test('messages too long for the command line, many in a row, never ask for <Enter>', async () => {
  for (const level of ['info', 'warn', 'error']) {
    const message = `${level} ${'x'.repeat(400)}\nsecond line`;
    expect(await rpc('ui.notify', { level, message })).toEqual({ ok: true });
  }
  await nvim.lua(`
    for i = 1, 5 do require('claude_bridge.ui').notify({ level = 'error', message = 'short ' .. i }) end`);
  expect(await mode()).toMatchObject({ blocking: false });
  expect(await nvim.messages()).toContain('Claude Bridge: short 5');
});

test('several messages of one typed command ask for no <Enter> either', async () => {
  await nvim.input(
    `:lua for i = 1, 3 do require('claude_bridge.ui').notify({ level = 'warn', message = 'n' .. i }) end<CR>`,
  );
  await expect.poll(() => nvim.messages()).toContain('Claude Bridge: n3');
  expect(await mode()).toMatchObject({ blocking: false });
});

test('a long message with wide characters is cut to fit as well', async () => {
  await rpc('ui.notify', { level: 'warn', message: '日本語'.repeat(80) });
  expect(await mode()).toMatchObject({ blocking: false });
});

test("a plugin's vim.notify gets the whole line with level and title", async () => {
  await nvim.lua(`vim.notify = function(...) _G.notified = { ... } end`);
  await rpc('ui.notify', { level: 'warn', message: `a\nb ${'x'.repeat(300)}` });
  expect(await nvim.lua('return _G.notified')).toEqual([
    `a b ${'x'.repeat(300)}`,
    3,
    { title: 'Claude Bridge' },
  ]);
});

test.each(['q', '<Esc>'])('the status window shows the lines and closes by %s', async (key) => {
  await rpc('ui.status', { lines: ['Port 4711', 'two\nlines'] });
  expect(await windowKind()).toBe('editor');
  expect(await shown()).toEqual(['Port 4711', 'two lines']);
  await nvim.input(key);
  await expect.poll(windowKind).toBe('');
  expect(await nvim.lua('return #vim.api.nvim_list_wins()')).toBe(1);
  expect(await mode()).toMatchObject({ blocking: false });
});

test('a second status takes the place of the first, and leaving closes it', async () => {
  await rpc('ui.status', { lines: ['one'] });
  await rpc('ui.status', { lines: ['two'] });
  expect(await shown()).toEqual(['two']);
  await nvim.command('wincmd p');
  await expect.poll(() => nvim.lua('return #vim.api.nvim_list_wins()')).toBe(1);
});

test('the status window fits a small screen and many long lines', async () => {
  await nvim.client.uiTryResize(20, 6);
  const lines = Array.from({ length: 50 }, () => 'x'.repeat(100));
  expect(await rpc('ui.status', { lines })).toEqual({ ok: true });
});

test('the status window tells the last messages in full', async () => {
  const message = 'y'.repeat(300);
  await rpc('ui.notify', { level: 'error', message });
  await rpc('ui.status', { lines: ['Port 4711'] });
  expect((await shown()).at(-1)).toMatch(new RegExp(`^  \\d\\d:\\d\\d:\\d\\d  ${message}$`));
});

test(':ClaudeBridgeStatus asks node where it runs', async () => {
  const sent = await nvim.captureNotifications();
  await nvim.command('ClaudeBridgeStatus');
  await expect.poll(() => sent).toEqual([{ kind: 'status' }]);
  expect(await windowKind()).toBe('');
});

test(':ClaudeBridgeStatus says what to do where nothing runs, and why it does not', async () => {
  await rpc('session.failed', { message: 'the port 7777 is taken' });
  await nvim.command('ClaudeBridgeStatus');
  const text = (await shown()).join('\n');
  expect(text).toContain('The bridge does not run.');
  expect(text).toContain('the port 7777 is taken');
  expect(text).toContain(':ClaudeBridgeStart');
});

test('the status line and the events follow what node tells', async () => {
  await recordEvents();
  expect(await statusline()).toBe('');
  await nvim.lua(`require('claude_bridge.session').starting()`);
  expect(await statusline()).toBe('Claude …');
  await rpc('session.ready', READY);
  expect(await statusline()).toBe('Claude -');
  await rpc('session.state', { clients: [{ ...ALICE, state: 'initializing' }], reviews: [] });
  expect(await statusline()).toBe('Claude -');
  await rpc('session.state', { clients: [{ ...ALICE, state: 'ready' }], reviews: [] });
  expect(await statusline()).toBe('Claude 1');
  await rpc('session.state', { clients: [ALICE, BOB], reviews: [{}] });
  expect(await statusline()).toBe('Claude 2, 1 review');
  await rpc('session.state', { clients: [BOB], reviews: [{}, {}] });
  expect(await statusline()).toBe('Claude 1, 2 reviews');
  await nvim.lua(`require('claude_bridge.session').stopped()`);
  expect(await statusline()).toBe('');
  await expect
    .poll(events)
    .toEqual([
      'Started:4711',
      'Connected:a',
      'Connected:b',
      'Disconnected:a',
      'Disconnected:b',
      'Stopped:',
    ]);
});

test('vim.g.claude_bridge_status has the numbers and never the token', async () => {
  await rpc('session.ready', READY);
  await rpc('session.state', { clients: [ALICE], reviews: [{}] });
  expect(await nvim.lua('return vim.g.claude_bridge_status')).toEqual({
    state: 'ready',
    port: 4711,
    clients: 1,
    reviews: 1,
    sharing: true,
  });
});

test(':ClaudeSharing switches, tells, and shows in the status line', async () => {
  const sent = await nvim.captureNotifications();
  await rpc('session.ready', READY);
  await rpc('session.state', { clients: [ALICE], reviews: [{}] });
  const redrawn = () => nvim.lua(`return vim.g.claude_bridge_status.sharing`);
  await nvim.command('ClaudeSharing off');
  expect(await statusline()).toBe('Claude 1, 1 review, private');
  expect(await redrawn()).toBe(false);
  await nvim.command('ClaudeSharing');
  expect(await statusline()).toBe('Claude 1, 1 review');
  await nvim.command('ClaudeSharing toggle');
  await nvim.command('ClaudeSharing on');
  await nvim.command('ClaudeSharing maybe');
  await expect
    .poll(() => sent)
    .toEqual([false, true, false, true].map((enabled) => ({ kind: 'sharing', enabled })));
  expect(await nvim.messages()).toContain('maybe is none of on, off, toggle');
  expect(await nvim.messages()).toContain('agents are told of open files and the selection');
  expect(await nvim.lua(`return vim.fn.getcompletion('ClaudeSharing o', 'cmdline')`)).toEqual([
    'off',
    'on',
  ]);
});

test('a mention that was told is an event, with its lines counted from 1', async () => {
  await nvim.lua(`_G.sent = {}
    vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeBridgeMentionSent',
      callback = function(e) table.insert(_G.sent, e.data) end })`);
  await rpc('session.mentioned', { path: '/x/a', first: 1, last: 3 });
  await rpc('session.mentioned', { path: '/x/b' });
  await expect
    .poll(() => nvim.lua('return _G.sent'))
    .toEqual([{ path: '/x/a', lines: { first: 2, last: 4 } }, { path: '/x/b' }]);
});

test('port and token are kept for the next start', async () => {
  await rpc('session.ready', READY);
  await nvim.lua(`require('claude_bridge.session').stopped()`);
  expect(await nvim.lua(`return require('claude_bridge.session').previous()`)).toEqual({
    port: 4711,
    token: 'secret-token',
  });
});

test('a failure is told once, and puts the environment back', async () => {
  await rpc('environment.apply', { variables: { CLAUDE_CODE_SSE_PORT: '4711' } });
  await rpc('session.failed', { message: 'no room' });
  expect(await nvim.messages()).toMatch(/^Claude Bridge: the bridge could not start: no room$/);
  expect(await nvim.lua('return vim.env.CLAUDE_CODE_SSE_PORT')).toBeNull();
  expect(await statusline()).toBe('Claude !');
});

test('a process that is lost leaves no variable behind', async () => {
  await rpc('environment.apply', { variables: { CLAUDE_CODE_SSE_PORT: '4711' } });
  await rpc('session.ready', READY);
  await nvim.lua(`require('claude_bridge.session').lost()`);
  expect(await nvim.lua('return vim.env.CLAUDE_CODE_SSE_PORT')).toBeNull();
  expect(await statusline()).toBe('');
});

test('who waits for the bridge goes on waiting through a restart, and not past an end', async () => {
  await nvim.lua(`
    package.loaded['claude_bridge.host'] =
      { start = function() end, mark_ready = function() end, mark_failed = function() end }
    local session = require('claude_bridge.session')
    _G.told = {}
    local function wait()
      session.when_ready(function() table.insert(_G.told, 'ready') end,
        function(why) table.insert(_G.told, why) end)
    end
    wait()
    session.stopped()
    session.starting()
    vim.schedule(function()
      session.ready({ port = 4711, token = 't', lock_files = {} })
      session.starting()
      wait()
      session.stopped()
    end)`);
  await expect.poll(() => nvim.lua('return _G.told')).toEqual(['ready', 'the bridge has ended']);
});

test("a user's failing autocommand holds nothing up and is told in one line", async () => {
  await nvim.lua(`vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeBridgeStarted',
    callback = function() error('boom') end })`);
  expect(await rpc('session.ready', READY)).toEqual({ ok: true });
  await expect.poll(() => nvim.messages()).toMatch(/User ClaudeBridgeStarted failed/);
  expect(await mode()).toMatchObject({ blocking: false });
});
