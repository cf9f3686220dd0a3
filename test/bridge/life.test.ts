import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isRunning, startBridge, type TestBridge, whenReady } from '../support/bridge.ts';
import { startNvim } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge;
afterEach(() => bridge?.dispose());

const mode = (file: string): number => fs.statSync(file).mode & 0o777;
const gone = (file: string) => waitFor(() => expect(fs.existsSync(file)).toBe(false));
const ended = (pid: number) => waitFor(() => expect(isRunning(pid)).toBe(false));

describe('start', () => {
  test('the lock file tells agents all that they need, and nobody else anything', async () => {
    bridge = await startBridge();
    const { lockFile, workspace, nvim } = bridge;
    expect(path.dirname(lockFile)).toBe(path.join(nvim.home, '.claude/ide'));
    expect(mode(lockFile)).toBe(0o600);
    expect(mode(path.dirname(lockFile))).toBe(0o700);
    expect(JSON.parse(fs.readFileSync(lockFile, 'utf8'))).toEqual({
      pid: await nvim.lua('return vim.fn.getpid()'),
      workspaceFolders: [workspace],
      ideName: 'Neovim',
      transport: 'ws',
      runningInWindows: false,
      authToken: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
    });
    expect(await nvim.messages()).toBe('');
  });

  test('the command says where it listens, also when it did already, and keeps no message', async () => {
    bridge = await startBridge({ ui: true });
    const { nvim, port } = bridge;
    const said = `Claude Bridge: listens on port ${port}; start the agent in a :terminal`;
    await nvim.screen.shows(said);
    await nvim.input(':echo<CR>');
    await nvim.screen.hides(said);
    await nvim.input(':ClaudeBridgeStart<CR>');
    await nvim.screen.shows(said);
    expect(await nvim.messages()).toBe('');
  });

  test('agents in a terminal of this Neovim find it by the environment', async () => {
    bridge = await startBridge({ env: { no_proxy: 'corp.example' } });
    const env = await bridge.nvim.lua(
      `return { vim.env.CLAUDE_CODE_SSE_PORT, vim.env.ENABLE_IDE_INTEGRATION, vim.env.no_proxy, vim.env.NO_PROXY }`,
    );
    const proxies = 'corp.example,localhost,127.0.0.1,::1';
    expect(env).toEqual([String(bridge.port), 'true', proxies, proxies]);
  });

  test('the lock file follows the working directory', async () => {
    bridge = await startBridge({ files: { 'sub/a.txt': 'x\n' } });
    const { lockFile, workspace, nvim } = bridge;
    await nvim.command('cd sub');
    await waitFor(() =>
      expect(JSON.parse(fs.readFileSync(lockFile, 'utf8')).workspaceFolders).toContain(
        path.join(workspace, 'sub'),
      ),
    );
  });

  test('what is open before the agent comes is told to it', async () => {
    bridge = await startBridge({ files: { 'a.txt': 'alpha beta\n' }, args: ['a.txt'] });
    const peer = await bridge.peer();
    await waitFor(() =>
      expect(peer.notifications.at(-1)).toMatchObject({
        method: 'selection_changed',
        params: { filePath: path.join(bridge.workspace, 'a.txt'), text: '' },
      }),
    );
  });

  test('a second start does nothing, and says nothing', async () => {
    bridge = await startBridge();
    const pid = await bridge.nodePid();
    await bridge.nvim.command('ClaudeBridgeStart');
    expect(await bridge.nodePid()).toBe(pid);
    expect(await bridge.nvim.messages()).not.toMatch(/error/i);
  });

  test('a folder that cannot be written is told in one line, and nothing is left', async () => {
    const nvim = await startNvim();
    try {
      fs.writeFileSync(path.join(nvim.home, '.claude'), 'a file where the folder should be');
      await nvim.command('runtime plugin/claude_bridge.lua');
      await nvim.command('ClaudeBridgeStart');
      await waitFor(async () =>
        expect(await nvim.messages()).toMatch(/could not start: Cannot write the lock file/),
      );
      expect((await nvim.messages()).trim().split('\n')).toHaveLength(1);
      expect(await nvim.lua('return vim.env.CLAUDE_CODE_SSE_PORT')).toBeNull();
      await waitFor(async () =>
        expect(await nvim.lua(`return require('claude_bridge.host').job()`)).toBeNull(),
      );
    } finally {
      await nvim.dispose();
    }
  });
});

describe('the end', () => {
  const ways: Record<string, (b: TestBridge) => Promise<unknown>> = {
    ':ClaudeBridgeStop': (b) => b.nvim.command('ClaudeBridgeStop'),
    ':qa!': async (b) => void b.nvim.client.command('qa!').catch(() => {}),
    'SIGTERM of Neovim': async (b) => b.nvim.child.kill('SIGTERM'),
    'kill -9 of Neovim': async (b) => b.nvim.child.kill('SIGKILL'),
  };
  test.each(Object.keys(ways))('%s leaves no lock file and no process', async (way) => {
    bridge = await startBridge();
    await bridge.peer();
    const pid = await bridge.nodePid();
    expect(fs.existsSync(bridge.lockFile)).toBe(true);
    expect(isRunning(pid)).toBe(true);
    await ways[way]?.(bridge);
    await Promise.all([gone(bridge.lockFile), ended(pid)]);
  });

  test.each(['SIGHUP', 'SIGTERM'] as const)('%s while a review is open', async (signal) => {
    bridge = await startBridge({ ui: true, files: { 'a.txt': 'one\n' }, args: ['a.txt'] });
    const [peer, pid] = [await bridge.peer(), await bridge.nodePid()];
    const file = path.join(bridge.workspace, 'a.txt');
    const proposal = { old_file_path: file, new_file_path: file, new_file_contents: 'two\n' };
    const answered = peer.callTexts('openDiff', { ...proposal, tab_name: 't' }).catch(() => 'gone');
    await waitFor(async () =>
      expect(await bridge.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(1),
    );
    bridge.nvim.child.kill(signal);
    await Promise.all([gone(bridge.lockFile), ended(pid), ended(bridge.nvim.child.pid ?? 0)]);
    // Its answer or the end of the socket, whichever is faster; never an acceptance.
    expect(await answered).not.toContain('FILE_SAVED');
    expect(fs.readFileSync(file, 'utf8')).toBe('one\n');
  });

  test('a stop puts the environment back', async () => {
    bridge = await startBridge({ env: { NO_PROXY: 'corp.example' } });
    await bridge.nvim.command('ClaudeBridgeStop');
    await waitFor(async () =>
      expect(
        await bridge.nvim.lua(
          `return { vim.env.CLAUDE_CODE_SSE_PORT or 'unset', vim.env.NO_PROXY, vim.env.no_proxy or 'unset' }`,
        ),
      ).toEqual(['unset', 'corp.example', 'unset']),
    );
  });
});

describe('again', () => {
  test('a restart keeps port and token, so that clients find their way back', async () => {
    bridge = await startBridge();
    const pid = await bridge.nodePid();
    await bridge.nvim.command('ClaudeBridgeRestart');
    await ended(pid);
    const again = await whenReady(bridge.nvim);
    expect(again).toEqual({ port: bridge.port, token: bridge.token, lockFile: bridge.lockFile });
    const peer = await bridge.peer();
    expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
  });

  test('a killed node process is started again, with the same port and token', async () => {
    bridge = await startBridge();
    const pid = await bridge.nodePid();
    process.kill(pid, 'SIGKILL');
    await waitFor(async () => expect(await bridge.nodePid()).not.toBe(pid));
    const again = await whenReady(bridge.nvim);
    expect(again).toMatchObject({ port: bridge.port, token: bridge.token });
    expect(await bridge.nvim.messages()).toMatch(/ended unexpectedly.*starting it again/);
    await bridge.peer();
  });

  test('start and stop in quick turns end as the last one said', async () => {
    bridge = await startBridge();
    for (let i = 0; i < 5; i += 1) {
      await bridge.nvim.command('ClaudeBridgeStop');
      await bridge.nvim.command('ClaudeBridgeStart');
    }
    await whenReady(bridge.nvim);
    await bridge.nvim.command('ClaudeBridgeStart');
    await bridge.nvim.command('ClaudeBridgeStop');
    await gone(bridge.lockFile);
    expect(await bridge.nvim.lua(`return require('claude_bridge.host').state()`)).not.toBe('ready');
  });
});
