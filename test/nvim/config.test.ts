import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentFamilies } from '../../src/agents/families.ts';
import { BridgeConfig } from '../../src/config.ts';
import { DEFAULT_EXCLUDE } from '../../src/core/privacy.ts';
import { startNvim, type TestNvim } from '../support/nvim.ts';

let nvim: TestNvim;
beforeEach(async () => {
  nvim = await startNvim();
});
afterEach(() => nvim.dispose());

const setup = (options: string) => nvim.lua(`require('claude_bridge').setup(${options})`);
const problems = () => nvim.lua<string[]>(`return require('claude_bridge.config').problems()`);
const get = (expression: string) =>
  nvim.lua(`return require('claude_bridge.config').get().${expression}`);

test('without any option the defaults hold and nothing is wrong', async () => {
  expect(await problems()).toEqual([]);
  expect(await get('diff.layout')).toBe('vertical');
  expect(await get('environment')).toBe(true);
  expect(await get('terminal.cmd')).toBe('claude');
});

test('setup() only stores: nothing is read or reported yet', async () => {
  await setup('{ nonsense = 1 }');
  expect(await nvim.messages()).toBe('');
});

test.each([
  ['{ diff = { layuot = "tab" } }', 'unknown option `diff.layuot`, did you mean `diff.layout`?'],
  ['{ layout = "tab" }', 'unknown option `layout`, did you mean `diff.layout`?'],
  ['{ zzz = 1 }', 'unknown option `zzz`'],
  ['{ dif = { layout = "tab" } }', 'unknown option `dif`, did you mean `diff`?'],
  ['{ diff = 3 }', 'option `diff`: expected a table, got number'],
  ['{ auto_start = "yes" }', "option `auto_start`: expected true or false, got 'yes'"],
  [
    '{ diff = { layout = "sideways" } }',
    "option `diff.layout`: expected one of vertical, horizontal, tab, inline, got 'sideways'",
  ],
  [
    '{ server = { port = 70000 } }',
    'option `server.port`: expected a whole number from 0 to 65535, got 70000',
  ],
  [
    '{ server = { port = 1.5 } }',
    'option `server.port`: expected a whole number from 0 to 65535, got 1.5',
  ],
  [
    '{ terminal = { cmd = 7 } }',
    'option `terminal.cmd`: expected a string or a list of strings, got 7',
  ],
  [
    '{ session = { agents = { x = "x" } } }',
    'option `session.agents`: expected a table of name = table, got a table',
  ],
  [
    '{ privacy = { exclude = { 1 } } }',
    'option `privacy.exclude`: expected a list of strings, got a table',
  ],
  [
    '{ agents = { "claude-code", "sidcode" } }',
    'option `agents`: expected a list of: claude-code, sid-code, opencode, got { "claude-code", "sidcode" }',
  ],
  [
    '{ agents = "opencode" }',
    "option `agents`: expected a list of: claude-code, sid-code, opencode, got 'opencode'",
  ],
  [
    '{ terminal = { agents = { x = {} } } }',
    'option `terminal.agents`: expected a table of name = command, got a table',
  ],
  ['"nothing"', 'setup(): expected a table, got string'],
])('%s is named', async (options, problem) => {
  await setup(options);
  expect(await problems()).toEqual([problem]);
});

test('a wrong option has its default and leaves the others alone', async () => {
  await setup('{ diff = { layout = 1, focus = false } }');
  expect(await get('diff.layout')).toBe('vertical');
  expect(await get('diff.focus')).toBe(false);
});

test('all problems are told in one message', async () => {
  await setup('{ one = 1, two = 2 }');
  await get('diff');
  await expect
    .poll(() => nvim.messages())
    .toMatch(/^Claude Bridge: unknown option `one`.*; unknown option `two`[^\n]*$/);
});

test('vim.g.claude_bridge as a table or a function; setup() wins over it', async () => {
  await nvim.lua(`vim.g.claude_bridge = { diff = { layout = 'tab', focus = false } }`);
  await setup(`{ diff = { layout = 'horizontal' } }`);
  expect(await get('diff.layout')).toBe('horizontal');
  expect(await get('diff.focus')).toBe(false);

  await nvim.lua(`vim.g.claude_bridge = function() return { diff = { layout = 'tab' } } end`);
  await setup('nil');
  expect(await get('diff.layout')).toBe('tab');
});

test('a function that fails is a named problem, not an error', async () => {
  await nvim.lua(`vim.g.claude_bridge = function() error('boom') end`);
  expect(await problems()).toEqual([expect.stringMatching(/^vim\.g\.claude_bridge: .*boom/)]);
});

test('functions in vim.g.claude_bridge can be called', async () => {
  await nvim.lua(`vim.g.claude_bridge = { terminal = { cwd = function() return '/x' end } }`);
  expect(await problems()).toEqual([]);
  expect(await get('terminal.cwd()')).toBe('/x');
});

test('a list replaces the default, and the default stays whole', async () => {
  await setup(`{ privacy = { exclude = { '*.mine' } } }`);
  expect(await get('privacy.exclude')).toEqual(['*.mine']);
  await setup('nil');
  expect(await get('privacy.exclude')).toContain('.env*');
  await nvim.lua(`table.remove(require('claude_bridge.config').get().privacy.exclude, 1)`);
  await setup('nil');
  expect(await get('privacy.exclude')).toContain('.env*');
});

test('the files that are kept from agents are those of the node side', async () => {
  expect(await get('privacy.exclude')).toEqual(DEFAULT_EXCLUDE);
});

const KERNEL_DEFAULTS = {
  allow: 'ask',
  timeout_ms: 120_000,
  startup_timeout_ms: 60_000,
  max_output_bytes: 50_000,
  max_image_bytes: 5_000_000,
};

test('the connection file may be a bare name, of which Jupyter knows the folder', async () => {
  await setup(`{ kernel = { connection_file = 'kernel-7.json' } }`);
  const config = await nvim.lua(`return require('claude_bridge.config').for_node().kernel`);
  expect(config).toMatchObject({ connection_file: 'kernel-7.json' });
});

test('the agents that can be named are the families of the node side', async () => {
  const [option] = await nvim.lua<{ values: string[] }[]>(
    `return vim.tbl_filter(function(option) return option.path == 'agents' end,
       require('claude_bridge.config.schema'))`,
  );
  expect(option?.values).toEqual(agentFamilies([]).map(({ id }) => id));
});

test('what node is given', async () => {
  const forNode = () => nvim.lua(`return require('claude_bridge.config').for_node()`);
  expect(await forNode()).toEqual({
    host: '127.0.0.1',
    names: [],
    port: 0,
    transport: 'ws',
    ide_name: 'Neovim',
    share_selection: true,
    exclude: expect.arrayContaining(['.env*']),
    session: { agent: 'claude', agents: [], attachment_limit: 1_048_576 },
    outside_workspace: false,
    review_edits: true,
    diff: { layout: 'vertical', focus: true, jump: true },
    kernel: KERNEL_DEFAULTS,
    log_level: 'info',
    log_path: path.join(nvim.home, '.local/state/nvim/claude-bridge.log'),
  });
  await setup(`{
    agents = { 'opencode', 'sid-code' },
    server = { transport = 'sse', names = { 'box' }, port = 7777, pid = 1, lock_dir = '~/locks', host = '::1', ide_name = 'N' },
    privacy = { enabled = false }, tools = { outside_workspace = true }, selection = { enabled = false }, diff = { enabled = false },
    kernel = { allow = 'never', name = 'ir', connection_file = '~/k.json' },
    session = { agent = 'x', agents = { x = { command = { 'x' } } }, attachment_limit = 5 },
    log = { level = 'debug', path = '~/n.log' },
  }`);
  expect(await forNode()).toEqual({
    agents: ['opencode', 'sid-code'],
    transport: 'sse',
    names: ['box'],
    host: '::1',
    port: 7777,
    pid: 1,
    lock_dir: path.join(nvim.home, 'locks'),
    ide_name: 'N',
    share_selection: false,
    exclude: [],
    session: { agent: 'x', agents: { x: { command: ['x'] } }, attachment_limit: 5 },
    outside_workspace: true,
    review_edits: false,
    diff: { layout: 'vertical', focus: true, jump: true },
    kernel: {
      ...KERNEL_DEFAULTS,
      allow: 'never',
      name: 'ir',
      connection_file: path.join(nvim.home, 'k.json'),
    },
    log_level: 'debug',
    log_path: path.join(nvim.home, 'n.log'),
  });
  expect(BridgeConfig.safeParse(await forNode()).success).toBe(true);
});
