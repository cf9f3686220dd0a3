/** Neovim's own way of loading remote plugins, which this plugin does not need and must not break. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PROJECT, startNvim, type TestNvim, tempDir } from '../support/nvim.ts';

const LOAD = [
  ...['--cmd', 'runtime plugin/claude_bridge.lua'],
  ...['--cmd', 'runtime plugin/rplugin.vim'],
];
const DUMMY = `
  module.exports = (plugin) => {
    plugin.registerFunction('DummyAnswer', () => 42, { sync: true });
  };`;

let folder: string;
let manifest: string;
let nvim: TestNvim | undefined;
beforeEach(() => {
  folder = tempDir();
  manifest = path.join(folder, 'rplugin.vim');
  fs.mkdirSync(path.join(folder, 'other/rplugin/node'), { recursive: true });
  fs.writeFileSync(path.join(folder, 'other/rplugin/node/dummy.cjs'), DUMMY);
});
afterEach(async () => {
  await nvim?.dispose();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** With another node plugin, and this one on the runtime path twice. */
async function start(): Promise<TestNvim> {
  const rtp = `set rtp+=${PROJECT.replace(/\/$/, '')}/,${folder}/other`;
  nvim = await startNvim({
    env: { NVIM_RPLUGIN_MANIFEST: manifest },
    args: ['--cmd', rtp, ...LOAD],
  });
  return nvim;
}

async function update(): Promise<string> {
  const of = await start();
  await of.command('silent UpdateRemotePlugins');
  await of.dispose();
  return fs.readFileSync(manifest, 'utf8');
}

test('the manifest has the plugin once, with its function', async () => {
  const text = await update();
  expect(text.match(/rplugin\/node\/claude_bridge\.cjs/g)).toHaveLength(1);
  expect(text).toMatch(/claude_bridge\.cjs', \[\s*\\ \{[^}]*'name': 'ClaudeBridgeNotify'/);
});

test('with the manifest a start is silent, and the bridge starts beside other node plugins', async () => {
  await update();
  const of = await start();
  expect(await of.messages()).toBe('');
  expect(await of.lua('return vim.fn.DummyAnswer()')).toBe(42);
  await of.command('ClaudeBridgeStart');
  const state = () => of.lua(`return require('claude_bridge.session').info().state`);
  await expect.poll(state).toBe('ready');
  expect(await of.lua('return vim.fn.DummyAnswer()')).toBe(42);
});
