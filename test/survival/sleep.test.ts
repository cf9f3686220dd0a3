/** Neovim stands still, the machine sleeps, or its clock jumps. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { build } from 'esbuild';
import { afterEach, describe, expect, test } from 'vitest';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import { PROJECT, removeFolder, tempDir } from '../support/nvim.ts';
import { Peer } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge | undefined;
afterEach(async () => {
  await bridge?.dispose();
  bridge = undefined;
});

const FILES = { 'a.txt': 'one\n', 'b.txt': 'two\n' };
async function start() {
  bridge = await startBridge({ ui: true, files: FILES, args: ['a.txt'] });
  const { workspace } = bridge;
  return { bridge, peer: await bridge.peer(), file: (name: string) => path.join(workspace, name) };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('Neovim is suspended', () => {
  test('calls end with the reason, are not made up for, and the client stays', async () => {
    const { bridge, peer, file } = await start();
    const { nvim } = bridge;
    nvim.child.kill('SIGSTOP');
    const began = performance.now();
    const [opened, listed] = await Promise.all([
      peer.call('openFile', { filePath: file('b.txt') }),
      peer.call('getOpenEditors'),
    ]);
    expect(performance.now() - began).toBeLessThan(5_000);
    for (const { isError, content } of [opened, listed]) {
      expect(isError).toBe(true);
      expect(content[0]?.text).toMatch(/did not answer in time/);
    }
    // A tool that needs no editor works meanwhile.
    expect(await peer.callTexts('getWorkspaceFolders')).toHaveLength(1);
    nvim.child.kill('SIGCONT');
    expect(await nvim.lua('return vim.fn.bufname()')).toBe('a.txt');
    expect(await nvim.lua('return #vim.api.nvim_list_bufs()')).toBe(1);
    expect(await peer.callTexts('openFile', { filePath: file('b.txt') })).toHaveLength(1);
  });

  test('a review that was asked for meanwhile is shown when it goes on', async () => {
    const { bridge, peer, file } = await start();
    bridge.nvim.child.kill('SIGSTOP');
    const paths = { old_file_path: file('a.txt'), new_file_path: file('a.txt') };
    const answered = peer.callTexts('openDiff', {
      ...paths,
      new_file_contents: 'x\n',
      tab_name: 't',
    });
    await pause(1_500);
    bridge.nvim.child.kill('SIGCONT');
    await waitFor(async () =>
      expect(await bridge.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(1),
    );
    await bridge.nvim.command('ClaudeDiffAccept');
    expect(await answered).toEqual(['FILE_SAVED', 'x\n']);
  });

  test('it can be killed then, and its node process goes as well', async () => {
    const { bridge } = await start();
    const pid = await bridge.nodePid();
    bridge.nvim.child.kill('SIGSTOP');
    bridge.nvim.child.kill('SIGKILL');
    await waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  });
});

describe('the machine sleeps', () => {
  test('calls that were open are answered afterwards, and the client stays', async () => {
    const { bridge, peer } = await start();
    const pids = [bridge.nvim.child.pid ?? 0, await bridge.nodePid()];
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const calls = ['getOpenEditors', 'getDiagnostics', 'getCurrentSelection'].map((name) =>
      peer.call(name),
    );
    await pause(500);
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    for (const call of calls) expect((await call).content).toHaveLength(1);
    expect(peer.socket.readyState).toBe(peer.socket.OPEN);
  });

  const ENTRY = `
    import { WebSocketServer } from './src/transport/websocket-server.ts';
    const silent = { debug() {}, info() {}, warn() {}, error() {} };
    const server = await WebSocketServer.start({
      logger: silent,
      token: 'token-of-the-test',
      tokenIn: (headers) => headers['x-claude-code-ide-authorization'],
      onConnection: ({ channel }) => channel.onMessage((text) => channel.send(text)),
      limits: { pingMs: 100 },
    });
    console.log(server.port);`;

  let folder: string | undefined;
  let server: ChildProcess | undefined;
  afterEach(async () => {
    server?.kill('SIGKILL');
    if (folder) await removeFolder(folder);
  });

  test('many times longer than clients may be silent, and none is taken for dead', async () => {
    folder = tempDir();
    const outfile = path.join(folder, 'server.mjs');
    await build({
      stdin: { contents: ENTRY, resolveDir: PROJECT, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: {
        js: `import { createRequire } from 'node:module'; const require = createRequire('/');`,
      },
      outfile,
      logLevel: 'silent',
    });
    server = spawn(process.execPath, [outfile], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(server.stdout ?? server, 'data')) as [Buffer];
    const peer = await Peer.connect({ port: Number(line), token: 'token-of-the-test' });
    const dead = await Peer.connect({ port: Number(line), token: 'token-of-the-test' });
    dead.socket.pause();
    server.kill('SIGSTOP');
    await pause(1_000);
    server.kill('SIGCONT');
    // The one that is dead indeed is found out: it misses what follows.
    await pause(1_000);
    dead.socket.resume();
    await dead.closed;
    const echoed = peer.next(({ method }) => method === 'echo');
    peer.notify('echo');
    await echoed;
    peer.terminate();
  });
});

describe('the clock jumps while a call is on its way', () => {
  const shift = (bridge: TestBridge, seconds: number) =>
    bridge.nvim.lua(
      `real_time = real_time or vim.uv.gettimeofday
      local shift = ...
      vim.uv.gettimeofday = function()
        local seconds, microseconds = real_time()
        return seconds + shift, microseconds
      end`,
      [seconds],
    );

  test('forwards: the call ends as one that came too late, and the next one is done', async () => {
    const { bridge, peer, file } = await start();
    await shift(bridge, 3_600);
    const late = await peer.call('openFile', { filePath: file('b.txt') });
    expect(late).toMatchObject({ isError: true });
    const paths = { old_file_path: file('a.txt'), new_file_path: file('a.txt') };
    const answered = peer.callTexts('openDiff', {
      ...paths,
      new_file_contents: 'x\n',
      tab_name: 't',
    });
    await peer.settle();
    await shift(bridge, 0);
    await waitFor(async () =>
      expect(await bridge.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(1),
    );
    expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_1_DIFF_TABS']);
    await answered;
    expect(await peer.callTexts('openFile', { filePath: file('b.txt') })).toHaveLength(1);
  });

  test('backwards: nothing is felt', async () => {
    const { bridge, peer, file } = await start();
    await shift(bridge, -3_600);
    expect(await peer.callTexts('openFile', { filePath: file('b.txt') })).toEqual([
      `Opened file: ${file('b.txt')}`,
    ]);
  });
});
