import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PROJECT, startNvim, type TestNvim, tempDir } from '../support/nvim.ts';

let nvim: TestNvim | undefined;
afterEach(() => nvim?.dispose());

const LOAD = ['--cmd', 'runtime plugin/claude_bridge.lua'];
const NO_NODE = ['--cmd', "let $PATH='/nonexistent'"];

const COMMANDS = [
  'ClaudeBridgeFocus',
  'ClaudeBridgeLog',
  'ClaudeBridgeRestart',
  'ClaudeBridgeStart',
  'ClaudeBridgeStatus',
  'ClaudeBridgeStop',
  'ClaudeBridgeTerminal',
  'ClaudeDiffAccept',
  'ClaudeDiffDisk',
  'ClaudeDiffRecall',
  'ClaudeDiffReject',
  'ClaudeDiffs',
  'ClaudeHunkAccept',
  'ClaudeHunkNext',
  'ClaudeHunkPrevious',
  'ClaudeHunkReject',
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

test('another command may follow each that takes no argument', async () => {
  nvim = await startNvim({ args: [...LOAD, '--cmd', 'runtime plugin/claude_bridge_session.lua'] });
  const commands = await nvim.lua<Record<string, { nargs: string; bar: boolean }>>(
    `return vim.tbl_map(function(command) return { nargs = command.nargs, bar = command.bar } end,
      vim.api.nvim_get_commands({}))`,
  );
  const ours = Object.entries(commands).filter(([name]) => name.startsWith('Claude'));
  const followed = (wanted: boolean) =>
    ours.filter(([, { bar }]) => bar === wanted).map(([name, { nargs }]) => `${nargs} ${name}`);
  expect(followed(true)).toContain('0 ClaudeBridgeStop');
  expect(followed(true).filter((one) => !one.startsWith('0 '))).toEqual([]);
  expect(followed(false).filter((one) => one.startsWith('0 '))).toEqual([]);
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

describe('a node that ends at once', () => {
  let folder: string;
  beforeEach(() => {
    folder = tempDir();
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));
  const withNode = async (version: string, delay = '') => {
    const node = path.join(folder, 'node');
    const script = `[ "$1" = --version ] && { ${delay} echo ${version}; echo x > ${folder}/asked; exit 0; }
      echo x >> ${folder}/starts; echo "SyntaxError: Unexpected token '.'" >&2; exit 1`;
    fs.writeFileSync(node, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    nvim = await startNvim({ args: LOAD });
    await nvim.lua('vim.g.claude_bridge = { node = ... }', [node]);
    return nvim;
  };
  const runs = () => fs.readFileSync(`${folder}/starts`, 'utf8').split('\n').length - 1;
  const state = () => nvim?.lua(`return require('claude_bridge.session').info().state`);

  test('and is too old is named with both versions, and tried once', async () => {
    const of = await withNode('v12.0.0');
    await of.command('ClaudeBridgeStart');
    await expect
      .poll(() => of.messages())
      .toMatch(/could not start: \S+\/node is Node\.js v12\.0\.0; 20 or later is needed/);
    expect(runs()).toBe(1);
    expect(await state()).toBe('failed');
  });

  test('and is new enough is tried again, then left alone with what to do', async () => {
    const of = await withNode('v22.0.0');
    await of.command('ClaudeBridgeStart');
    await expect
      .poll(() => of.messages())
      .toMatch(/keeps ending \(exit code 1: SyntaxError.*:checkhealth claude_bridge/);
    expect(runs()).toBe(4);
  });

  test('may be stopped while its version is asked for', async () => {
    const of = await withNode('v22.0.0', 'sleep 1;');
    await of.command('ClaudeBridgeStart');
    await expect.poll(() => fs.existsSync(`${folder}/starts`)).toBe(true);
    await expect.poll(() => of.lua(`return require('claude_bridge.host').job()`)).toBeNull();
    await of.command('ClaudeBridgeStop');
    expect(await state()).toBe('stopped');
    await expect.poll(() => fs.existsSync(`${folder}/asked`)).toBe(true);
    expect(await state()).toBe('stopped');
    expect(runs()).toBe(1);
  });
});
