/** The node process dies in every way; the user's work and the clients' way back survive. */
import fs from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type BridgeOptions,
  isRunning,
  startBridge,
  type TestBridge,
  whenReady,
} from '../support/bridge.ts';
import { removeFolder, tempDir } from '../support/nvim.ts';
import type { Peer } from '../support/peer.ts';
import { snapshot } from '../support/reviews.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge;
const folders: string[] = [];
afterEach(async () => {
  await bridge?.dispose();
  for (const folder of folders.splice(0)) await removeFolder(folder);
});

const start = async (options: BridgeOptions = {}) => {
  const files = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' };
  bridge = await startBridge({ ui: true, files, args: ['a.txt'], ...options });
  return bridge;
};

/** A module that each node process of this Neovim loads first. */
function preload(code: string): Record<string, string> {
  const folder = tempDir();
  folders.push(folder);
  const file = path.join(folder, 'preload.cjs');
  fs.writeFileSync(file, code);
  return { NODE_OPTIONS: `--require=${file}`, FAULT: path.join(folder, 'fault') };
}

const messages = async () => (await bridge.nvim.messages()).split('\n').filter(Boolean);
const host = () => bridge.nvim.lua<string>(`return require('claude_bridge.host').state()`);
const reviews = () => bridge.nvim.lua<number>(`return #require('claude_bridge.review').list()`);

function propose(peer: Peer, name = 'a.txt'): Promise<string[]> {
  const file = path.join(bridge.workspace, name);
  return peer
    .callTexts('openDiff', {
      old_file_path: file,
      new_file_path: file,
      new_file_contents: 'one\nTWO\n',
      tab_name: `tab ${name}`,
    })
    .catch(() => ['connection ended']);
}

async function shown(count = 1): Promise<void> {
  await waitFor(async () => expect(await reviews()).toBe(count));
}

/** Waits until another process serves, and expects it in the place of the one before. */
async function again(before: number): Promise<void> {
  await waitFor(async () => expect(await bridge.nodePid()).not.toBe(before));
  const { port, token, lockFile } = bridge;
  expect(await whenReady(bridge.nvim)).toEqual({ port, token, lockFile });
  expect(fs.readdirSync(path.dirname(lockFile))).toEqual([path.basename(lockFile)]);
  expect(fs.statSync(lockFile).mode & 0o777).toBe(0o600);
  expect(await (await bridge.peer()).callTexts('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
}

const CRASHES = `
  const { existsSync } = require('node:fs');
  process.on('SIGUSR2', () => {
    if (existsSync(process.env.FAULT + '-abort')) process.abort();
    setTimeout(() => { throw new Error('a fault of its own'); });
  });`;

const deaths: Record<string, (pid: number) => void> = {
  'by SIGKILL': (pid) => process.kill(pid, 'SIGKILL'),
  'by SIGSEGV': (pid) => process.kill(pid, 'SIGSEGV'),
  'by an exception': (pid) => process.kill(pid, 'SIGUSR2'),
};

describe.each(Object.keys(deaths))('the node process dies %s', (way) => {
  test('and its reviews end, their text is kept, and clients find it again', async () => {
    await start({ env: preload(CRASHES) });
    const before = await snapshot(bridge.nvim);
    const pid = await bridge.nodePid();
    const peer = await bridge.peer();
    const answered = propose(peer);
    await shown();
    await bridge.nvim.feed(':2s/TWO/by hand/<CR>');
    deaths[way]?.(pid);
    await again(pid);
    expect(await answered).not.toContain('FILE_SAVED');
    await waitFor(async () => expect(await snapshot(bridge.nvim)).toEqual(before));
    const told = await messages();
    expect(told.filter((line) => line.includes('ended unexpectedly'))).toHaveLength(1);
    expect(told.filter((line) => line.includes(':ClaudeDiffRecall'))).toHaveLength(1);
    expect(await bridge.nvim.client.request('nvim_get_mode', [])).toMatchObject({
      blocking: false,
    });
    await bridge.nvim.command('ClaudeDiffRecall');
    expect(await bridge.nvim.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')).toEqual([
      'one',
      'by hand',
    ]);
    expect(fs.readFileSync(path.join(bridge.workspace, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  });
});

const restarts: Record<string, (pid: number) => unknown> = {
  'kill -9 of node': (pid) => process.kill(pid, 'SIGKILL'),
  ':ClaudeBridgeRestart': () => bridge.nvim.command('ClaudeBridgeRestart'),
  ':ClaudeBridgeStop and a start': () =>
    bridge.nvim.command('ClaudeBridgeStop | ClaudeBridgeStart'),
};

test.each(Object.keys(restarts))('mentions that wait for an agent outlive %s', async (way) => {
  await start();
  await bridge.nvim.command('2ClaudeMention');
  await bridge.nvim.command('ClaudeMention b.txt');
  const waiting = () => bridge.nvim.lua(`return #require('claude_bridge.session').mentions()`);
  await waitFor(async () => expect(await waiting()).toBe(2));
  const pid = await bridge.nodePid();
  await restarts[way]?.(pid);
  await waitFor(async () => expect(await bridge.nodePid()).not.toBe(pid));
  await whenReady(bridge.nvim);
  const file = (name: string) => path.join(bridge.workspace, name);
  const peer = await bridge.peer();
  expect(await peer.waitFor('at_mentioned', 2)).toEqual([
    { filePath: file('a.txt'), lineStart: 1, lineEnd: 1 },
    { filePath: file('b.txt') },
  ]);
  await waitFor(async () => expect(await waiting()).toBe(0));
});

test('what is selected then is known to the process that follows', async () => {
  await start();
  const pid = await bridge.nodePid();
  await bridge.nvim.feed('wvllee');
  process.kill(pid, 'SIGKILL');
  await again(pid);
  const peer = await bridge.peer();
  const selection = JSON.parse((await peer.callTexts('getLatestSelection'))[0] ?? '');
  expect(selection).toMatchObject({
    success: true,
    filePath: path.join(bridge.workspace, 'a.txt'),
  });
});

test('in the command-line window: the old view goes later, and a new one is shown', async () => {
  await start();
  const pid = await bridge.nodePid();
  void propose(await bridge.peer());
  await shown();
  await bridge.nvim.input('q:');
  await waitFor(async () =>
    expect(await bridge.nvim.lua('return vim.fn.getcmdwintype()')).toBe(':'),
  );
  process.kill(pid, 'SIGKILL');
  await again(pid);
  const peer = await bridge.peer();
  const answered = propose(peer, 'b.txt');
  await peer.settle();
  // A CTRL-C that comes while Neovim is at work ends that, and is none to the window.
  const leave = async () => {
    await bridge.nvim.input('<C-c><C-c>');
    return bridge.nvim.lua('return vim.fn.getcmdwintype()');
  };
  await expect.poll(leave, { interval: 500 }).toBe('');
  await shown();
  await waitFor(async () =>
    expect(await bridge.nvim.lua(`return require('claude_bridge.review').list()[1].path`)).toBe(
      path.join(bridge.workspace, 'b.txt'),
    ),
  );
  await bridge.nvim.command('ClaudeDiffAccept');
  expect(await answered).toEqual(['FILE_SAVED', 'one\nTWO\n']);
});

test('while the user is at a prompt: all is done when he has answered, no key is lost', async () => {
  await start();
  const pid = await bridge.nodePid();
  await bridge.nvim.input(':echo "a\\nb"<CR>');
  await waitFor(async () =>
    expect(await bridge.nvim.client.request('nvim_get_mode', [])).toMatchObject({ blocking: true }),
  );
  process.kill(pid, 'SIGKILL');
  await waitFor(() => expect(isRunning(pid)).toBe(false));
  await bridge.nvim.input('<CR>ddp');
  await again(pid);
  expect(await bridge.nvim.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')).toEqual([
    'two',
    'one',
  ]);
});

test('a promise that nobody caught costs nothing', async () => {
  const env = preload(`process.on('SIGUSR2', () => void Promise.reject(new Error('forgotten')));`);
  await start({ env });
  const pid = await bridge.nodePid();
  process.kill(pid, 'SIGUSR2');
  const peer = await bridge.peer();
  expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
  expect(await bridge.nodePid()).toBe(pid);
});

test('a message that cannot be decoded: a new process takes the place of the deaf one', async () => {
  await start();
  const pid = await bridge.nodePid();
  // What decodes messages refuses this key, for the sake of its own memory.
  await bridge.nvim.lua(`require('claude_bridge.channel').notify({ kind = 'x', __proto__ = 1 })`);
  await again(pid);
  await waitFor(() => expect(isRunning(pid)).toBe(false));
  expect(await (await bridge.peer()).callTexts('getOpenEditors')).toHaveLength(1);
});

test('another node plugin crashes, and its host with it: nothing of it is felt here', async () => {
  const folder = tempDir();
  folders.push(folder);
  fs.mkdirSync(path.join(folder, 'rplugin/node'), { recursive: true });
  fs.writeFileSync(
    path.join(folder, 'rplugin/node/other.cjs'),
    `module.exports = (plugin) => {
      plugin.registerFunction('OtherPid', () => process.pid, { sync: true });
      plugin.registerFunction('OtherCrash', () => process.abort(), { sync: false });
    };`,
  );
  const env = { NVIM_RPLUGIN_MANIFEST: path.join(folder, 'rplugin.vim') };
  const manifest = ['--cmd', `set rtp+=${folder}`, '--cmd', 'runtime plugin/rplugin.vim'];
  await start({ env, args: [...manifest, 'a.txt'] });
  await bridge.nvim.command('silent UpdateRemotePlugins');
  await bridge.nvim.command(`source ${folder}/rplugin.vim`);
  const other = await bridge.nvim.lua<number>('return vim.fn.OtherPid()');
  const pid = await bridge.nodePid();
  const peer = await bridge.peer();
  expect(other).not.toBe(pid);
  await bridge.nvim.lua('vim.fn.OtherCrash()');
  await waitFor(() => expect(isRunning(other)).toBe(false));
  expect(await bridge.nodePid()).toBe(pid);
  expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
  expect((await messages()).join()).not.toContain('ended unexpectedly');
});

test('a process that keeps dying is left alone after a few tries, until the user starts it', async () => {
  const env = preload(`if (require('node:fs').existsSync(process.env.FAULT)) {
    process.stderr.write('no luck today\\n');
    process.exit(7);
  }`);
  await start({ env });
  fs.writeFileSync(env['FAULT'] ?? '', '');
  process.kill(await bridge.nodePid(), 'SIGKILL');
  await waitFor(async () => expect(await host()).toBe('failed'));
  const told = await messages();
  expect(told.filter((line) => line.includes('starting it again'))).toHaveLength(3);
  expect(told.at(-1)).toContain('the node process keeps ending (exit code 7');
  const info = await bridge.nvim.lua<{ message: string }>(
    `return require('claude_bridge.session').info()`,
  );
  expect(info.message).toBe(
    'the node process keeps ending (exit code 7: no luck today); see :checkhealth claude_bridge and :ClaudeBridgeLog, then :ClaudeBridgeStart',
  );
  expect(fs.existsSync(bridge.lockFile)).toBe(false);
  expect(await bridge.nvim.lua('return vim.env.CLAUDE_CODE_SSE_PORT')).toBeNull();
  fs.rmSync(env['FAULT'] ?? '');
  await bridge.nvim.command('ClaudeBridgeStart');
  const { port, token, lockFile } = bridge;
  expect(await whenReady(bridge.nvim)).toEqual({ port, token, lockFile });
});

describe('its port is taken before the next one starts', () => {
  let thief: Server | undefined;
  afterEach(() => void thief?.close());
  const steal = () =>
    waitFor(
      () =>
        new Promise<void>((resolve, reject) => {
          thief = createServer().once('error', reject);
          thief.listen(bridge.port, '127.0.0.1', resolve);
        }),
      { interval: 2 },
    );

  test.each(['killed', 'stopped'])('it was %s: another port, and one lock file', async (how) => {
    await start();
    const pid = await bridge.nodePid();
    if (how === 'killed') process.kill(pid, 'SIGKILL');
    else await bridge.nvim.command('ClaudeBridgeStop');
    await steal();
    if (how === 'stopped') await bridge.nvim.command('ClaudeBridgeStart');
    await waitFor(async () => expect(await bridge.nodePid()).not.toBe(pid));
    const next = await whenReady(bridge.nvim);
    expect(next.port).not.toBe(bridge.port);
    expect(fs.readdirSync(path.dirname(next.lockFile))).toEqual([path.basename(next.lockFile)]);
    const peer = await bridge.peer({ port: next.port, token: next.token });
    expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
    expect(await bridge.nvim.lua('return vim.env.CLAUDE_CODE_SSE_PORT')).toBe(String(next.port));
  });
});

describe('a node process that hangs', () => {
  test('holds nothing up in Neovim, and serves when it goes on', async () => {
    await start({ files: { 'a.txt': 'line\n'.repeat(3_000) } });
    const pid = await bridge.nodePid();
    const peer = await bridge.peer();
    process.kill(pid, 'SIGSTOP');
    const began = performance.now();
    await bridge.nvim.feed('j'.repeat(2_000));
    await bridge.nvim.feed('Vgg<Esc>GVgg<Esc>');
    await bridge.nvim.command('redraw');
    expect(performance.now() - began).toBeLessThan(10_000);
    process.kill(pid, 'SIGCONT');
    expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
  });

  test('and Neovim leaves, and takes it along', async () => {
    await start();
    const pid = await bridge.nodePid();
    process.kill(pid, 'SIGSTOP');
    void bridge.nvim.client.command('qa!').catch(() => {});
    const pids = [bridge.nvim.child.pid ?? 0, pid];
    await waitFor(() => expect(pids.filter(isRunning)).toEqual([]));
  });

  test('is ended by :ClaudeBridgeStop', async () => {
    await start();
    const pid = await bridge.nodePid();
    process.kill(pid, 'SIGSTOP');
    await bridge.nvim.command('ClaudeBridgeStop');
    await waitFor(() => expect(isRunning(pid)).toBe(false));
    await waitFor(async () => expect(await host()).toBe('stopped'));
  });
});
