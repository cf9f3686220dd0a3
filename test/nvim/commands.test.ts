import { afterEach, beforeEach, expect, test } from 'vitest';
import { startNvim, type TestNvim } from '../support/nvim.ts';

let nvim: TestNvim;
beforeEach(async () => {
  nvim = await startNvim({ ui: true, args: ['--cmd', 'runtime plugin/claude_bridge.lua'] });
  await nvim.lua(`
    _G.calls = {}
    local function double(module, names)
      local functions = {}
      for _, name in ipairs(names) do
        functions[name] = function(argument)
          table.insert(_G.calls, { module, name, argument })
          return true
        end
      end
      package.loaded['claude_bridge.' .. module] = functions
    end
    double('host', { 'start', 'stop', 'restart' })
    double('review', { 'accept', 'reject', 'jump', 'recall' })
    double('mention', { 'send' })`);
});
afterEach(() => nvim.dispose());

type Call = [module: string, name: string, argument?: unknown];
const calls = () => nvim.lua<Call[]>('return _G.calls');
const mode = () => nvim.client.request('nvim_get_mode', []);

test.each([
  ['ClaudeBridgeStart', ['host', 'start']],
  ['ClaudeBridgeStop', ['host', 'stop']],
  ['ClaudeBridgeRestart', ['host', 'restart']],
  ['ClaudeDiffAccept', ['review', 'accept']],
  ['ClaudeDiffReject', ['review', 'reject']],
  ['ClaudeDiffReject use tabs, please', ['review', 'reject', 'use tabs, please']],
  ['ClaudeDiffs', ['review', 'jump']],
  ['ClaudeDiffRecall', ['review', 'recall']],
])(':%s', async (command, call) => {
  await nvim.command(command);
  expect(await calls()).toEqual([call]);
});

test.each(['n', 't'])('the maps work in mode %s', async (from) => {
  if (from === 't') {
    await nvim.command('terminal cat');
    await nvim.input('i');
    await expect.poll(mode).toMatchObject({ mode: 't' });
  }
  await nvim.command(`${from}map <C-y> <Plug>(ClaudeDiffAccept)`);
  await nvim.input('<C-y>');
  await expect.poll(calls).toEqual([['review', 'accept']]);
});

const mentioned = async () => {
  const [start, call] = await calls();
  expect(start).toEqual(['host', 'start']);
  const { range, line1, line2, args } = (call?.[2] ?? {}) as Record<string, unknown>;
  return { range, line1, line2, args };
};

test.each([
  'a b.ts',
  '$post/index.tsx',
  '[id].vue',
  '100%.md',
  'naïve#1.txt',
  "q'.md",
  'a|b.txt',
  '"quoted".txt',
  '<cword>.txt',
  'back\\slash.txt',
  '~tilde.txt',
  '*.txt',
  '`echo`',
])(':ClaudeMention passes the name %s on as it is', async (name) => {
  await nvim.command(`ClaudeMention ${name}`);
  expect(await mentioned()).toMatchObject({ range: 0, args: name });
});

test(':2,4ClaudeMention passes the lines on', async () => {
  await nvim.lua(`vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'a', 'b', 'c', 'd', 'e' })`);
  await nvim.command('2,4ClaudeMention');
  expect(await mentioned()).toEqual({ range: 2, line1: 2, line2: 4, args: '' });
});

test('the visual map passes the selected lines on', async () => {
  await nvim.lua(`vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'a', 'b', 'c', 'd', 'e' })`);
  await nvim.command('xmap <C-y> <Plug>(ClaudeMention)');
  await nvim.input('jVj<C-y>');
  await expect.poll(calls).toHaveLength(2);
  expect(await mentioned()).toEqual({ range: 2, line1: 2, line2: 3, args: '' });
});

test('a bridge that runs is not started again by a mention', async () => {
  await nvim.captureNotifications();
  await nvim.command('ClaudeMention a.txt');
  expect((await calls()).map(([module]) => module)).toEqual(['mention']);
});

test('nothing is mentioned where the bridge cannot start', async () => {
  await nvim.lua(`package.loaded['claude_bridge.host'].start = function() return false end`);
  await nvim.command('ClaudeMention a.txt');
  expect(await calls()).toEqual([]);
});

test('names of files complete as they are', async () => {
  await nvim.lua(`package.loaded['claude_bridge.mention'] = nil`);
  await nvim.lua(`vim.fn.writefile({}, '[id] 100%.vue')`);
  await nvim.input(':ClaudeMention [i<Tab>');
  await expect
    .poll(() => nvim.lua('return vim.fn.getcmdline()'))
    .toBe('ClaudeMention [id] 100%.vue');
});

test.each([
  [`error({ code = 'refused', message = 'nothing is under review' })`, 'nothing is under review'],
  [`error('a fault\\nin two lines')`, 'a fault in two lines'],
  [`error()`, 'nil'],
])('%s is one line and asks for no <Enter>', async (failure, message) => {
  await nvim.lua(`package.loaded['claude_bridge.review'].accept = function() ${failure} end`);
  await nvim.input(':ClaudeDiffAccept<CR>');
  await expect.poll(() => nvim.messages()).toContain(message);
  expect(await mode()).toMatchObject({ blocking: false, mode: 'n' });
});
