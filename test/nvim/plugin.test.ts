import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { PROJECT, startNvim, type TestNvim, tempDir } from '../support/nvim.ts';

let nvim: TestNvim | undefined;
afterEach(() => nvim?.dispose());

const LOAD = ['--cmd', 'runtime plugin/claude_bridge.lua'];
const NO_NODE = ['--cmd', "let $PATH='/nonexistent'"];

const COMMANDS = [
  'ClaudeBridgeLog',
  'ClaudeBridgeRestart',
  'ClaudeBridgeStart',
  'ClaudeBridgeStatus',
  'ClaudeBridgeStop',
  'ClaudeBridgeTerminal',
  'ClaudeDiffAccept',
  'ClaudeDiffRecall',
  'ClaudeDiffReject',
  'ClaudeDiffs',
  'ClaudeKernelAllow',
  'ClaudeKernelInterrupt',
  'ClaudeKernelJoin',
  'ClaudeKernelRefuse',
  'ClaudeKernelRestart',
  'ClaudeKernelStop',
  'ClaudeMention',
  'ClaudeMentionDiagnostic',
  'ClaudeSendText',
  'ClaudeSharing',
];

const loadedModules = (of: TestNvim) =>
  of.lua(`
    return vim.tbl_filter(function(name) return vim.startswith(name, 'claude_bridge') end,
      vim.tbl_keys(package.loaded))`);

/** Stops `VimEnter` from starting anything real. */
const HOST_STUB = [
  '--cmd',
  "lua package.loaded['claude_bridge.host'] = { start = function() vim.g.starts = (vim.g.starts or 0) + 1 end }",
];
const starts = (of: TestNvim) => of.lua('return vim.g.starts or 0');

test('a start without node is silent and loads no module', async () => {
  nvim = await startNvim({ args: [...NO_NODE, ...LOAD] });
  expect(await nvim.messages()).toBe('');
  expect(await loadedModules(nvim)).toEqual([]);
});

test('every command and its map exist', async () => {
  nvim = await startNvim({ args: LOAD });
  const commands = await nvim.lua<string[]>('return vim.fn.getcompletion("Claude", "command")');
  expect(commands.sort()).toEqual(COMMANDS);
  for (const name of COMMANDS) {
    expect(await nvim.lua('return vim.fn.maparg(..., "n")', [`<Plug>(${name})`])).toContain(name);
  }
  expect(await nvim.lua('return vim.fn.maparg("<Plug>(ClaudeMention)", "x")')).toBe(
    ':ClaudeMention<CR>',
  );
});

test('there are no key maps but the <Plug> ones', async () => {
  nvim = await startNvim();
  const count = `
    local found = {}
    for _, mode in ipairs({ 'n', 'x', 'i', 't', 'o' }) do
      for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
        if not map.lhs:match('^<Plug>') then table.insert(found, mode .. map.lhs) end
      end
    end
    return found`;
  const before = await nvim.lua(count);
  await nvim.command('runtime plugin/claude_bridge.lua');
  expect(await nvim.lua(count)).toEqual(before);
});

test('sourced twice and on the runtime path twice, it changes nothing', async () => {
  const root = PROJECT.replace(/\/$/, '');
  nvim = await startNvim({ args: ['--cmd', `set rtp+=${root}/`, ...LOAD] });
  await nvim.command('runtime! plugin/claude_bridge.lua');
  await nvim.command('ClaudeBridgeStatus');
  expect(await nvim.messages()).toBe('');
});

function install(dist: boolean): { packpath: string; root: string } {
  const packpath = tempDir();
  const root = path.join(packpath, 'pack/x/opt/claude-bridge.nvim');
  fs.mkdirSync(root, { recursive: true });
  for (const folder of ['plugin', 'lua']) {
    fs.cpSync(path.join(PROJECT, folder), path.join(root, folder), { recursive: true });
  }
  if (dist) {
    fs.mkdirSync(path.join(root, 'dist'));
    fs.writeFileSync(path.join(root, 'dist/host.cjs'), '');
  }
  return { packpath, root };
}

test('works by packadd, with nothing on the runtime path before', async () => {
  const { packpath, root } = install(true);
  nvim = await startNvim({ plugin: false, args: ['--cmd', `set packpath=${packpath}`] });
  await nvim.command('packadd claude-bridge.nvim');
  expect(await nvim.lua('return vim.fn.exists(":ClaudeBridgeStart")')).toBe(2);
  expect(await nvim.lua('return vim.g.node_host_prog')).toBe(path.join(root, 'dist/host.cjs'));
  fs.rmSync(packpath, { recursive: true });
});

test("the user's own node_host_prog stays, and none is set without a build", async () => {
  const { packpath } = install(false);
  const args = ['--cmd', `set packpath=${packpath}`];
  nvim = await startNvim({ plugin: false, args });
  await nvim.command('packadd claude-bridge.nvim');
  expect(await nvim.lua('return vim.g.node_host_prog')).toBeNull();
  await nvim.dispose();
  fs.rmSync(packpath, { recursive: true });

  const built = install(true);
  nvim = await startNvim({
    plugin: false,
    args: ['--cmd', `set packpath=${built.packpath}`, '--cmd', 'let g:node_host_prog="/mine"'],
  });
  await nvim.command('packadd claude-bridge.nvim');
  expect(await nvim.lua('return vim.g.node_host_prog')).toBe('/mine');
  fs.rmSync(built.packpath, { recursive: true });
});

test('starts by itself only where the option says so', async () => {
  nvim = await startNvim({ args: [...HOST_STUB, ...LOAD] });
  expect(await starts(nvim)).toBe(0);
  await nvim.dispose();

  const byVariable = ['--cmd', 'let g:claude_bridge = {"auto_start": v:true}'];
  nvim = await startNvim({ args: [...HOST_STUB, ...byVariable, ...LOAD] });
  await expect.poll(() => nvim && starts(nvim)).toBe(1);
  await nvim.dispose();

  const bySetup = ['--cmd', "lua require('claude_bridge').setup({ auto_start = true })"];
  nvim = await startNvim({ args: [...HOST_STUB, ...bySetup, ...LOAD] });
  await expect.poll(() => nvim && starts(nvim)).toBe(1);
});

test('starts by itself when it is loaded late, with setup() after it', async () => {
  nvim = await startNvim({ args: HOST_STUB });
  await nvim.lua(`
    vim.cmd('runtime plugin/claude_bridge.lua')
    require('claude_bridge').setup({ auto_start = true })`);
  await expect.poll(() => nvim && starts(nvim)).toBe(1);
});

test('a start without node says in one line what is missing', async () => {
  nvim = await startNvim({ args: [...NO_NODE, ...LOAD] });
  await nvim.command('ClaudeBridgeStart');
  await expect
    .poll(() => nvim?.messages())
    .toMatch(/^.*node is not an executable on PATH: install Node\.js 20[^\n]*$/m);
  const lines = (await nvim.messages()).split('\n').filter((line) => line.includes('node'));
  expect(lines).toHaveLength(1);
});
