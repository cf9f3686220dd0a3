/** Neovim leaves when it is told to, whatever of ours is on the screen or gone from the disk. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isRunning, startBridge, type TestBridge } from '../support/bridge.ts';
import { PROJECT, removeFolder, tempDir } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge;
let copy: string;
afterEach(async () => {
  await bridge?.dispose();
  await removeFolder(copy);
});

/** A whole installation, as a plugin manager keeps one. */
function install(): string {
  const folder = tempDir('claude-bridge-plugin-');
  for (const name of ['plugin', 'lua', 'dist', 'rplugin', 'doc', 'package.json']) {
    fs.cpSync(path.join(PROJECT, name), path.join(folder, name), { recursive: true });
  }
  return folder;
}

/** Terminal, review, client and a status window: all that can be on the screen of a user. */
async function startAll(): Promise<number[]> {
  copy = install();
  bridge = await startBridge({
    ui: true,
    plugin: false,
    files: { 'a.txt': 'one\n', 'b.txt': 'two\n' },
    args: ['--cmd', `set rtp^=${copy}`, 'a.txt'],
    options: { terminal: { cmd: ['sleep', '1000'] } },
  });
  const peer = await bridge.peer();
  await bridge.nvim.command('ClaudeBridgeTerminal');
  await waitFor(async () =>
    expect(await bridge.nvim.lua('return vim.bo.buftype')).toBe('terminal'),
  );
  const file = path.join(bridge.workspace, 'a.txt');
  const proposal = { old_file_path: file, new_file_path: file, new_file_contents: 'two\n' };
  void peer.callTexts('openDiff', { ...proposal, tab_name: 't' }).catch(() => {});
  await waitFor(async () =>
    expect(await bridge.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(1),
  );
  return [bridge.nvim.child.pid ?? 0, await bridge.nodePid()];
}

/** What a plugin manager does while Neovim runs. */
const updates: Record<string, () => void> = {
  'as it was': () => {},
  gone: () => fs.rmSync(copy, { recursive: true }),
  'replaced by files that do not load': () => {
    for (const name of fs.readdirSync(path.join(copy, 'lua/claude_bridge'), { recursive: true })) {
      const file = path.join(copy, 'lua/claude_bridge', String(name));
      if (fs.statSync(file).isFile()) fs.writeFileSync(file, 'this is no Lua');
    }
  },
};

const allEnd = (pids: readonly number[]) =>
  waitFor(() => expect(pids.filter(isRunning)).toEqual([]));

describe.each(Object.keys(updates))('with the plugin folder %s', (update) => {
  test.each(['SIGHUP', 'SIGTERM', ':qa!'] as const)('%s ends everything', async (way) => {
    const pids = await startAll();
    updates[update]?.();
    if (way === ':qa!') void bridge.nvim.client.command('qa!').catch(() => {});
    else bridge.nvim.child.kill(way);
    await allEnd(pids);
    expect(fs.existsSync(bridge.lockFile)).toBe(false);
  });
});

test('every autocommand of ours is guarded', () => {
  const folder = path.join(PROJECT, 'lua');
  const bare = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.lua'))
    .filter((name) =>
      /nvim_create_autocmd\(/.test(fs.readFileSync(path.join(folder, name), 'utf8')),
    );
  // That of a moving cursor only sets a variable, and a guard would cost as much again.
  expect(bare.sort()).toEqual(['claude_bridge/autocmd.lua', 'claude_bridge/events.lua']);
});
