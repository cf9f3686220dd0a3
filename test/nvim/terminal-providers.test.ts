/** Agents in terminals of snacks.nvim and outside Neovim, and what is typed for one of them. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { doubleHost } from '../support/host-double.ts';
import { PROJECT, startNvim, type TestNvim } from '../support/nvim.ts';

const AGENT = path.join(PROJECT, 'test/support/terminal-agent.mjs');

let nvim: TestNvim;
let out: string;
beforeEach(async () => {
  nvim = await startNvim({ ui: true, args: ['--cmd', 'runtime plugin/claude_bridge.lua'] });
  out = path.join(nvim.home, 'agent.jsonl');
  await doubleHost(nvim);
});
afterEach(() => nvim.dispose());

const agentCommand = (...args: string[]) => [process.execPath, AGENT, out, ...args];
const setup = (terminal: Record<string, unknown>) =>
  nvim.lua(`require('claude_bridge').setup({ terminal = ... })`, [
    { cmd: agentCommand(), ...terminal },
  ]);

interface AgentRecord {
  readonly args?: string[];
  readonly cwd?: string;
  readonly port?: string;
  readonly pid?: number;
  readonly typed?: string;
}
const records = (): AgentRecord[] =>
  fs.existsSync(out)
    ? fs
        .readFileSync(out, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as AgentRecord)
    : [];
const starts = () => records().filter(({ args }) => args);
const typed = () =>
  records()
    .map((record) => record.typed ?? '')
    .join('');
const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;
const toggle = (args = '') => nvim.command(`ClaudeBridgeTerminal${args}`);
const windows = () => nvim.lua<number>('return #vim.api.nvim_tabpage_list_wins(0)');
const started = (count: number) => expect.poll(() => starts().length).toBe(count);
const tell = (params: object) =>
  nvim.lua(`return require('claude_bridge.rpc').call('terminal.tell', ...)`, [
    { name: 'claude-code', text: 'the reason', purpose: 'why', ...params },
  ]);
const UNTOLD = 'claude-code runs outside Neovim; tell it there why';

describe('what is typed for one agent', () => {
  test('goes to the terminal in which its process runs, and is submitted', async () => {
    await setup({ agents: { other: agentCommand('other') } });
    await toggle();
    await started(1);
    await nvim.command('wincmd t');
    await toggle(' other');
    await started(2);
    await tell({ pid: starts()[0]?.pid });
    await expect.poll(typed).toBe(`${paste('the reason')}\r`);
    const [spec] = await nvim.lua<{ agent: string }[]>(
      `return { require('claude_bridge.terminal.native').find(...) }`,
      [starts()[1]?.pid],
    );
    expect(spec?.agent).toBe('other');
  });

  test('goes to a child of the process that the terminal runs as well', async () => {
    await setup({ cmd: ['/bin/sh', '-c', '"$@"; :', 'sh', ...agentCommand()] });
    await toggle();
    await started(1);
    await tell({ pid: starts()[0]?.pid });
    await expect.poll(typed).toBe(`${paste('the reason')}\r`);
  });

  test.each(['native', 'external', 'none'])(
    'goes nowhere else where it runs outside, provider %s',
    async (provider) => {
      await setup({ provider, external: ['true'] });
      if (provider === 'native') await toggle();
      if (provider === 'native') await started(1);
      await tell({ pid: process.pid });
      await tell({});
      await expect.poll(() => nvim.messages()).toContain(UNTOLD);
      expect(typed()).toBe('');
    },
  );

  test('goes by the function of the user where it runs outside', async () => {
    await nvim.lua(`require('claude_bridge').setup({ terminal = { provider = 'none',
      send = function(text, options) _G.sent = { text, options.submit } end } })`);
    await tell({ pid: process.pid });
    expect(await nvim.lua('return _G.sent')).toEqual(['the reason', true]);
    await nvim.command('ClaudeSendText! a text');
    expect(await nvim.lua('return _G.sent')).toEqual(['a text', false]);
    expect(await nvim.messages()).toBe('');
  });
});

test.each(['external', 'none'])(
  ':ClaudeSendText says what is missing with provider %s',
  async (provider) => {
    await setup({ provider });
    await nvim.command('ClaudeSendText hello');
    expect(await nvim.messages()).toContain(
      'the agent runs outside Neovim: set the option `terminal.send` to type into it',
    );
  },
);

describe('provider snacks', () => {
  const real = path.join(process.env['CLAUDE_BRIDGE_PLUGINS'] ?? '', 'snacks.nvim');
  const STUB = path.join(PROJECT, 'test/support/explorers/stubs.lua');
  beforeEach(async () => {
    if (fs.existsSync(path.join(real, 'lua/snacks')))
      await nvim.lua(`vim.opt.rtp:append(...) require('snacks').setup({})`, [real]);
    else await nvim.lua(`dofile(...).snacks_terminal()`, [STUB]);
    await setup({ provider: 'snacks', width: 30 });
  });

  test('toggles, and the agent runs on while hidden', async () => {
    await toggle(' --flag');
    await started(1);
    expect(starts()[0]).toMatchObject({ args: ['--flag'], cwd: nvim.home, port: '4711' });
    expect(await windows()).toBe(2);
    expect(await nvim.lua('return vim.bo.buflisted')).toBe(false);
    await nvim.command('wincmd t');
    await toggle();
    expect(await windows()).toBe(1);
    await toggle();
    expect(await windows()).toBe(2);
    expect(await nvim.lua('return vim.b.claude_bridge_terminal.agent')).toBe('claude');
    expect(starts()).toHaveLength(1);
  });

  test('its window is as the options say', async () => {
    await setup({ provider: 'snacks', snacks: { position: 'left', width: 20 } });
    await toggle();
    await started(1);
    expect(
      await nvim.lua(
        'return { vim.api.nvim_win_get_width(0), vim.api.nvim_win_get_position(0)[2] }',
      ),
    ).toEqual([20, 0]);
  });

  test('takes text, for the one agent that is meant', async () => {
    await toggle();
    await started(1);
    await nvim.command('wincmd t | ClaudeSendText! hello');
    await expect.poll(typed).toBe(paste('hello'));
    await tell({ pid: starts()[0]?.pid });
    await expect.poll(typed).toContain(`${paste('the reason')}\r`);
  });

  test('! ends the agent and starts it anew; its end is an event', async () => {
    await nvim.lua(`vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeBridgeTerminalClosed',
      callback = function(e) _G.closed = e.data end })`);
    await toggle();
    await started(1);
    await toggle('! --again');
    await started(2);
    expect(starts()[1]?.args).toEqual(['--again']);
    expect(await windows()).toBe(2);
    await expect.poll(() => nvim.lua('return _G.closed')).toMatchObject({ agent: 'claude' });
    process.kill(starts()[1]?.pid ?? 0, 'SIGTERM');
    await expect
      .poll(() =>
        nvim.lua(`return require('claude_bridge.terminal.snacks').is_running(
          { agent = 'claude', cwd = vim.fn.getcwd() })`),
      )
      .toBe(false);
    await expect.poll(() => nvim.messages()).toContain('claude has ended with exit code');
    await toggle();
    await started(3);
    expect(await windows()).toBe(2);
  });

  test('an agent that ends well takes its window along', async () => {
    await setup({ provider: 'snacks', cmd: agentCommand('--exit', '0') });
    await toggle();
    await expect.poll(windows).toBe(1);
    expect(await nvim.messages()).toBe('');
  });
});

describe('a provider of the user', () => {
  test('shows the agent, and what it leaves out is done without', async () => {
    await nvim.lua(`_G.calls = {}
      require('claude_bridge').setup({ terminal = { provider = {
        open = function(spec) table.insert(_G.calls, { spec.agent, spec.argv, spec.env.CLAUDE_CODE_SSE_PORT }) end,
        send = function(spec, text, submit) table.insert(_G.calls, { text, submit }) return true end,
      } } })`);
    await toggle(' --flag');
    const shown = ['claude', ['claude', '--flag'], '4711'];
    await expect.poll(() => nvim.lua('return _G.calls')).toEqual([shown]);
    await nvim.command('ClaudeSendText hello');
    await nvim.command('ClaudeSendText! there');
    expect(await nvim.lua('return _G.calls')).toEqual([shown, ['hello', true], ['there', false]]);
    expect(await nvim.messages()).toBe('');
  });

  test('that shows nothing is no provider', async () => {
    await setup({ provider: { show: 1 } });
    expect(await nvim.lua(`return require('claude_bridge.config').problems()`)).toEqual([
      'option `terminal.provider`: expected one of native, snacks, external, none, or a table of functions, with `open`, got a table',
    ]);
    expect(await nvim.lua(`return require('claude_bridge.config').get().terminal.provider`)).toBe(
      'native',
    );
  });
});

test('provider snacks says that snacks.nvim is missing', async () => {
  await setup({ provider: 'snacks' });
  await toggle();
  await expect
    .poll(() => nvim.messages())
    .toContain('the provider `snacks` needs snacks.nvim, which is not installed');
});

describe('tmux, by the recipes of the help file', () => {
  let socket: string;
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  /** The recipe's own text, run as the user's configuration, with a private server. */
  const recipe = (tag: string): string => {
    const help = fs.readFileSync(path.join(PROJECT, 'doc/claude_bridge.txt'), 'utf8');
    const code = help.slice(help.indexOf(`*${tag}*`)).match(/>lua\n([\s\S]*?)\n<\n/)?.[1] ?? '';
    expect(code).toContain("'tmux'");
    return code.replaceAll("'tmux',", `'tmux', '-S', '${socket}',`);
  };
  beforeEach(() => {
    socket = path.join(nvim.home, 'tmux');
    tmux('new-session', '-d', '-x', '200', '-y', '50', '-s', 'work', 'sleep 600');
  });
  afterEach(() => {
    tmux('kill-server');
  });
  const configure = (tag: string) =>
    nvim.lua(
      `local cmd = ...
      loadstring(select(2, ...))()
      local options = vim.g.claude_bridge
      options.terminal.cmd = cmd
      require('claude_bridge').setup(options)`,
      [agentCommand(), recipe(tag)],
    );

  test('an agent in a split, with its folder and its variables', async () => {
    await configure('claude_bridge-terminal-external');
    await toggle(' "a b" $HOME');
    await started(1);
    expect(starts()[0]).toMatchObject({ args: ['a b', '$HOME'], cwd: nvim.home, port: '4711' });
    expect(tmux('list-panes').trim().split('\n')).toHaveLength(2);
    expect(await windows()).toBe(1);
  });

  test('text is typed into its pane as one paste', async () => {
    await configure('claude_bridge-recipe-tmux');
    await toggle();
    await started(1);
    await nvim.command('ClaudeSendText say "hi"; $HOME -x');
    await expect.poll(typed).toContain('say "hi"; $HOME -x');
    await expect.poll(typed).toMatch(/\r$/);
  });
});
