import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { doubleHost, hostCalls } from '../support/host-double.ts';
import { PROJECT, startNvim, type TestNvim } from '../support/nvim.ts';

const AGENT = path.join(PROJECT, 'test/support/terminal-agent.mjs');

let nvim: TestNvim;
let out: string;
beforeEach(async () => {
  nvim = await startNvim({ ui: true, args: ['--cmd', 'runtime plugin/claude_bridge.lua'] });
  out = path.join(nvim.home, 'agent.jsonl');
  await doubleHost(nvim);
  await setup();
});
afterEach(() => nvim.dispose());

const agentCommand = (...args: string[]) => [process.execPath, AGENT, out, ...args];
const setup = (terminal: Record<string, unknown> = {}) =>
  nvim.lua(`require('claude_bridge').setup({ terminal = ... })`, [
    { cmd: agentCommand(), ...terminal },
  ]);

interface AgentRecord {
  args?: string[];
  cwd?: string;
  port?: string;
  noProxy?: string;
  typed?: string;
}
const records = (): AgentRecord[] =>
  fs.existsSync(out)
    ? fs
        .readFileSync(out, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as AgentRecord)
    : [];
const starts = () => records().filter((record) => record.args);
const typed = () =>
  records()
    .map((record) => record.typed ?? '')
    .join('');

const mode = async () =>
  ((await nvim.client.request('nvim_get_mode', [])) as { mode: string }).mode;
const windows = () => nvim.lua<number>('return #vim.api.nvim_tabpage_list_wins(0)');
const isTerminal = () => nvim.lua<boolean>(`return vim.bo.buftype == 'terminal'`);
const width = () => nvim.lua<number>('return vim.api.nvim_win_get_width(0)');
const toggle = (args = '') => nvim.command(`ClaudeBridgeTerminal${args}`);

/** Opens the terminal and waits until the agent has printed its lines and terminal mode is on. */
async function opened(args = '') {
  const before = starts().length;
  await toggle(args);
  await expect.poll(() => starts().length).toBe(before + 1);
  await expect.poll(() => nvim.lua(`return vim.fn.search('line 100', 'nw') > 0`)).toBe(true);
  await expect.poll(mode).toBe('t');
}
/** Leaves terminal mode as a user does who reads on. */
async function toNormalMode() {
  await nvim.input('<C-\\><C-n>');
  await expect.poll(mode).toBe('nt');
}

test('the bridge starts first, and the agent gets its variables', async () => {
  await opened(' --model "big one"');
  expect(await hostCalls(nvim)).toEqual(['start']);
  expect(starts()).toEqual([
    {
      args: ['--model', 'big one'],
      cwd: nvim.home,
      port: '4711',
      noProxy: 'localhost,127.0.0.1,::1',
      pid: expect.any(Number),
    },
  ]);
});

test('the variables of the user go before ours, and the loopback stays exempt', async () => {
  await setup({ env: { CLAUDE_CODE_SSE_PORT: '1', no_proxy: 'intern.example' } });
  await opened();
  expect(starts()[0]).toMatchObject({
    port: '1',
    noProxy: 'intern.example,localhost,127.0.0.1,::1',
  });
});

test('what is pasted in parts is one paste to the agent, and as ever elsewhere', async () => {
  const brackets = ['/bin/sh', '-c', 'printf "\\033[?2004h"; exec "$@"', 'sh'];
  await setup({ cmd: [...brackets, ...agentCommand()] });
  await opened();
  const paste = async (text: string, phase: number) =>
    expect(await nvim.client.request('nvim_paste', [text, true, phase])).toBe(true);
  await paste('one\ntw', 1);
  await paste('o\n', 2);
  await paste('', 2);
  await paste('three', 3);
  await paste('whole', -1);
  const once = (text: string) => `\x1b[200~${text}\x1b[201~`;
  await expect.poll(typed).toBe(once('one\ntwo\nthree') + once('whole'));
  await nvim.command('wincmd t');
  await expect.poll(mode).toBe('n');
  await paste('a\nb', 1);
  await paste('c', 3);
  expect(await nvim.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')).toEqual(['a', 'bc']);
});

test('the recipe for a new line types what agents take for one', async () => {
  const help = fs.readFileSync(path.join(PROJECT, 'doc/claude_bridge.txt'), 'utf8');
  const section = help.slice(help.indexOf('*claude_bridge-recipe-newline*'));
  await nvim.lua(section.match(/>lua\n([\s\S]*?)\n<\n/)?.[1] ?? '');
  await opened();
  await nvim.input('a<S-CR>b');
  await expect.poll(typed).toBe('a\\\rb');
});

test(':ClaudeBridgeFocus goes to the terminal and back, and starts it once', async () => {
  await nvim.command('edit a.txt | vsplit b.txt');
  const home = await nvim.lua('return vim.api.nvim_get_current_win()');
  await nvim.command('ClaudeBridgeFocus');
  await expect.poll(() => starts().length).toBe(1);
  await expect.poll(mode).toBe('t');
  for (let round = 0; round < 2; round++) {
    await nvim.lua(`require('claude_bridge.commands').run('ClaudeBridgeFocus', { args = '' })`);
    expect(await nvim.lua('return vim.api.nvim_get_current_win()')).toBe(home);
    await expect.poll(mode).toBe('n');
    await nvim.command('ClaudeBridgeFocus');
    await expect.poll(mode).toBe('t');
    expect(await isTerminal()).toBe(true);
  }
  expect(await windows()).toBe(3);
  expect(starts()).toHaveLength(1);
});

test(':ClaudeBridgeFocus shows a terminal that is hidden, and stays where nothing else is', async () => {
  await opened();
  await nvim.command('wincmd t');
  await toggle();
  expect(await windows()).toBe(1);
  await nvim.command('ClaudeBridgeFocus');
  expect(await windows()).toBe(2);
  await expect.poll(mode).toBe('t');
  await nvim.command('only');
  await nvim.command('ClaudeBridgeFocus');
  expect(await isTerminal()).toBe(true);
  expect(await nvim.messages()).toBe('');
});

test.each([true, false])('after a mention the focus: %s', async (focus) => {
  await setup({ focus_after_mention: focus });
  fs.writeFileSync(path.join(nvim.home, 'a.txt'), 'one\n');
  await nvim.captureNotifications();
  await nvim.command('edit a.txt');
  await nvim.command('ClaudeMention');
  expect(await isTerminal()).toBe(false);
  await opened();
  await nvim.command('wincmd t');
  await expect.poll(mode).toBe('n');
  await nvim.command('ClaudeMention nowhere.txt');
  expect(await isTerminal()).toBe(false);
  await nvim.command('ClaudeMention');
  if (focus) await expect.poll(mode).toBe('t');
  expect(await isTerminal()).toBe(focus);
});

test("with Neovim's environment kept as it is, the agent gets them all the same", async () => {
  await nvim.lua(
    `require('claude_bridge').setup({ environment = false, terminal = { cmd = ... } })`,
    [agentCommand()],
  );
  await opened();
  expect(starts()[0]?.port).toBe('4711');
  expect(await nvim.lua('return vim.env.CLAUDE_CODE_SSE_PORT')).toBeNull();
});

test('opens at the right, unlisted, and leaves the old window alone', async () => {
  await nvim.command('edit a.txt');
  const before = await nvim.lua<number>('return vim.api.nvim_get_current_win()');
  await opened();
  expect(await windows()).toBe(2);
  expect(await nvim.lua(`return vim.api.nvim_win_get_position(0)[2] > 0`)).toBe(true);
  expect(await width()).toBe(48);
  expect(await nvim.lua('return vim.bo.buflisted')).toBe(false);
  expect(
    await nvim.lua(
      'return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(...)), ":t")',
      [before],
    ),
  ).toBe('a.txt');
});

test('its width stays through <C-w>= and new splits, and :bnext never shows it', async () => {
  await nvim.command('edit a.txt');
  await opened();
  await nvim.command('wincmd h');
  await nvim.command('vsplit b.txt');
  await nvim.command('wincmd =');
  await nvim.command('bnext | bnext');
  expect(await isTerminal()).toBe(false);
  await nvim.command('wincmd b');
  expect(await isTerminal()).toBe(true);
  expect(await width()).toBe(48);
});

test('takes over no diff options of the window beside it', async () => {
  await nvim.command('diffthis');
  await opened();
  expect(await nvim.lua('return { vim.wo.diff, vim.wo.scrollbind }')).toEqual([false, false]);
});

test('at the left, with a width in columns', async () => {
  await setup({ side: 'left', width: 30 });
  await opened();
  expect(await nvim.lua(`return vim.api.nvim_win_get_position(0)[2]`)).toBe(0);
  expect(await width()).toBe(30);
});

test('toggles: the agent runs on while hidden, and a changed width comes back', async () => {
  await opened();
  await nvim.command('vertical resize 20');
  await toggle();
  expect(await windows()).toBe(1);
  await toggle();
  expect(await windows()).toBe(2);
  expect(await width()).toBe(20);
  expect(starts()).toHaveLength(1);
  await expect.poll(mode).toBe('t');
});

test('hides also where it is the only window', async () => {
  await nvim.command('edit a.txt');
  await opened();
  await nvim.command('only');
  await toggle();
  expect(await windows()).toBe(1);
  expect(await isTerminal()).toBe(false);
  await toggle();
  expect(await windows()).toBe(2);
});

test('is entered in normal mode with its scroll position where it was left so', async () => {
  await nvim.command('set laststatus=2');
  await opened();
  await toNormalMode();
  await nvim.input('20<C-y>H');
  const view = () => nvim.lua('return { vim.fn.line("w0"), vim.fn.line(".") }');
  const seen = await view();
  await nvim.input('<C-w>h<C-w>l');
  await expect.poll(isTerminal).toBe(true);
  expect(await mode()).toBe('nt');
  expect(await view()).toEqual(seen);

  await toggle();
  await toggle();
  expect(await mode()).toBe('nt');
  expect(await view()).toEqual(seen);
});

test('is entered in terminal mode where a key map left it so', async () => {
  await nvim.command('tnoremap <C-h> <C-\\><C-n><C-w>h');
  await opened();
  await nvim.input('<C-h>');
  await expect.poll(isTerminal).toBe(false);
  await nvim.input('<C-w>l');
  await expect.poll(mode).toBe('t');
  await nvim.input('hello');
  await expect.poll(typed).toContain('hello');
});

test('is entered in terminal mode where focus was taken away from it', async () => {
  await opened();
  await nvim.lua(`
    local here = vim.api.nvim_get_current_win()
    vim.cmd('wincmd h')
    vim.schedule(function() vim.api.nvim_set_current_win(here) end)`);
  await expect.poll(mode).toBe('t');
});

test('with auto_insert terminal mode is always on when it is entered', async () => {
  await setup({ auto_insert: true });
  await opened();
  await toNormalMode();
  await nvim.input('<C-w>h<C-w>l');
  await expect.poll(mode).toBe('t');
});

test('a visit within one command leaves no window in insert mode', async () => {
  await setup({ auto_insert: true });
  await opened();
  await nvim.input('<C-\\><C-n><C-w>h');
  await expect.poll(isTerminal).toBe(false);
  await nvim.command('windo let w:visited = 1 | wincmd h');
  await nvim.command('wincmd t');
  await nvim.input('<Ignore>');
  expect(await mode()).toBe('n');
});

test('an agent that ends well takes its window along, and starts again', async () => {
  await setup({ cmd: agentCommand('--exit', '0') });
  await nvim.lua(`
    vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeBridgeTerminalClosed',
      callback = function(e) _G.closed = e.data end })`);
  await toggle();
  await expect
    .poll(() => nvim.lua('return _G.closed'))
    .toEqual({
      agent: 'claude',
      cwd: nvim.home,
      code: 0,
    });
  expect(await windows()).toBe(1);
  await setup();
  await opened();
  expect(await windows()).toBe(2);
});

test('an agent that fails is reported, its output stays, and it starts again', async () => {
  await setup({ cmd: agentCommand('--exit', '3'), auto_insert: true });
  await toggle();
  await expect
    .poll(() => nvim.messages())
    .toMatch(/claude has ended with exit code 3; :ClaudeBridgeTerminal starts it again/);
  expect(await windows()).toBe(2);
  await expect.poll(mode).toBe('nt');
  await nvim.input('<C-w>h<C-w>lk');
  expect(await windows()).toBe(2);
  expect(await isTerminal()).toBe(true);
  await setup();
  await opened();
  expect(await windows()).toBe(2);
  expect(await nvim.messages()).not.toMatch(/E\d+:/);
});

test.each(['bwipeout!', 'bdelete!'])('%s ends the agent without an error', async (command) => {
  await opened();
  await nvim.input('<C-\\><C-n>');
  await nvim.command(command);
  expect(await windows()).toBe(1);
  await opened();
  expect(await nvim.messages()).toBe('');
});

test('with arguments while it runs it says that they are not used; with ! it starts anew', async () => {
  await opened();
  await toggle(' --resume');
  expect(await nvim.messages()).toContain('runs here already, without these arguments');
  expect(starts()).toHaveLength(1);
  expect(await mode()).toBe('t');
  await opened('! --resume');
  expect(starts()[1]?.args).toEqual(['--resume']);
  expect(await windows()).toBe(2);
});

test('one terminal for each agent and working directory', async () => {
  await setup({ agents: { other: agentCommand('other') } });
  await opened();
  await opened(' other --fast');
  expect(starts()[1]?.args).toEqual(['other', '--fast']);
  const folder = path.join(nvim.home, 'sub');
  fs.mkdirSync(folder);
  await nvim.command(`wincmd t | cd ${folder}`);
  await opened();
  expect(starts()[2]?.cwd).toBe(folder);
  expect(await windows()).toBe(4);
  expect(
    await nvim.lua(`return vim.fn.getcompletion('ClaudeBridgeTerminal o', 'cmdline')`),
  ).toEqual(['opencode', 'other']);
});

test('inside a terminal the command is for that one, whatever agent and folder', async () => {
  await setup({ agents: { other: agentCommand('other') } });
  const folder = path.join(nvim.home, 'sub');
  fs.mkdirSync(folder);
  await nvim.command(`lcd ${folder}`);
  await opened(' other');
  await nvim.command(`lcd ${nvim.home}`);
  await toggle();
  expect(await windows()).toBe(1);
  expect(starts()).toHaveLength(1);
});

test.each([
  [
    { cmd: 'no-such-agent --flag' },
    'no-such-agent is not an executable on PATH: install it, or set the option `terminal.cmd`',
  ],
  [{ cmd: '' }, 'the command of claude cannot be run: the command is empty'],
  [{ cmd: 'a "b' }, 'a closing " is missing in: a "b'],
  [{ cwd: '/no/such/folder' }, 'the working directory /no/such/folder does not exist'],
])('%o is told in one line', async (terminal, message) => {
  await setup(terminal);
  await toggle();
  expect(await nvim.messages()).toContain(message.slice(0, 80));
  expect(await mode()).toBe('n');
  expect(await windows()).toBe(1);
  expect(await hostCalls(nvim)).toEqual([]);
});

test('no agent starts where the bridge cannot', async () => {
  await nvim.lua(`require('claude_bridge.host').start = function()
    require('claude_bridge.session').failed({ message = 'no node' }) end`);
  await toggle();
  expect(await nvim.messages()).toContain('the bridge could not start: no node');
  expect(await windows()).toBe(1);
});

test('text is typed as one paste, which it cannot end, and then submitted', async () => {
  await opened();
  await toggle();
  await nvim.lua(`require('claude_bridge').send_text(...)`, [
    'one\ntwo\x1b[201~!',
    { submit: true },
  ]);
  await expect.poll(typed).toBe('\x1b[200~one\ntwo!\x1b[201~\r');
});

test(':ClaudeSendText submits, and with ! does not', async () => {
  await opened();
  await nvim.command('ClaudeSendText! say | "hi"');
  await expect.poll(typed).toBe('\x1b[200~say | "hi"\x1b[201~');
  await nvim.command('ClaudeSendText  now');
  await expect.poll(typed).toContain('now\x1b[201~\r');
});

test(':ClaudeSendText says what to do where no agent runs', async () => {
  await nvim.command('ClaudeSendText hello');
  expect(await nvim.messages()).toContain('no agent runs in a terminal here');
});

test('provider none starts the bridge, and opens neither window nor buffer', async () => {
  await setup({ provider: 'none', cmd: 'no-such-agent' });
  const buffers = () => nvim.lua('return #vim.api.nvim_list_bufs()');
  const before = await buffers();
  await toggle();
  await expect.poll(() => nvim.messages()).toContain('start the agent in your own terminal');
  expect(await hostCalls(nvim)).toEqual(['start']);
  expect(await buffers()).toBe(before);
  expect(await windows()).toBe(1);
});

test('provider external runs the command with folder and variables', async () => {
  const show = path.join(nvim.home, 'show.txt');
  const script = 'out=$1; shift; printf "%s\\n" "$@" > "$out.part"; mv "$out.part" "$out"';
  await setup({
    provider: 'external',
    cmd: ['agent', 'a b'],
    external: ['/bin/sh', '-c', script, 'sh', show, '-c', '{cwd}'],
  });
  await toggle(' --flag');
  await expect.poll(() => fs.existsSync(show)).toBe(true);
  expect(fs.readFileSync(show, 'utf8').trim().split('\n')).toEqual([
    '-c',
    nvim.home,
    'env',
    'CLAUDE_CODE_SSE_PORT=4711',
    'NO_PROXY=localhost,127.0.0.1,::1',
    'no_proxy=localhost,127.0.0.1,::1',
    'agent',
    'a b',
    '--flag',
  ]);
  expect(await windows()).toBe(1);
});

test('provider external by a function, which may start the agent itself', async () => {
  await nvim.lua(`require('claude_bridge').setup({ terminal = {
    provider = 'external', cmd = 'agent',
    external = function(argv, context) _G.external = { argv, context.cwd, context.env.CLAUDE_CODE_SSE_PORT } end,
  } })`);
  await toggle();
  await expect.poll(() => nvim.lua('return _G.external')).not.toBeNull();
  expect(
    await nvim.lua('return { _G.external[1][#_G.external[1]], _G.external[2], _G.external[3] }'),
  ).toEqual(['agent', nvim.home, '4711']);
});

test('provider external that fails is told', async () => {
  await setup({
    provider: 'external',
    external: ['/bin/sh', '-c', 'echo no screen >&2; exit 2', 'sh'],
  });
  await toggle();
  await expect.poll(() => nvim.messages()).toContain('/bin/sh ended with exit code 2: no screen');
  await setup({ provider: 'external' });
  await toggle();
  await expect.poll(() => nvim.messages()).toContain('needs the option `terminal.external`');
});
