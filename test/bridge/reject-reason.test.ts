/** Why an edit was rejected: no answer to `openDiff` can say it, so it becomes the next prompt. */
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import type { Peer } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge;
let peer: Peer;
beforeEach(async () => {
  bridge = await startBridge({ ui: true, files: { 'a.txt': 'one\n' } });
  await bridge.nvim.lua(`_G.sent = {}
    require('claude_bridge').setup({ terminal = { provider = 'none', send = function(text)
      table.insert(_G.sent, text)
    end } })`);
  peer = await bridge.peer();
});
afterEach(() => bridge.dispose());

const sent = () => bridge.nvim.lua<string[]>('return _G.sent');

async function reject(command: string): Promise<void> {
  const file = path.join(bridge.workspace, 'a.txt');
  const answer = peer.callTexts('openDiff', {
    old_file_path: file,
    new_file_path: file,
    new_file_contents: 'two\n',
    tab_name: 'tab',
  });
  await waitFor(async () =>
    expect(await bridge.nvim.lua(`return #require('claude_bridge.session').info().reviews`)).toBe(
      1,
    ),
  );
  await bridge.nvim.command(command);
  expect(await answer).toEqual(['DIFF_REJECTED', 'tab']);
}

test('is told once, when the client has dealt with the rejection', async () => {
  await reject('ClaudeDiffReject use a "constant" | here');
  expect(await sent()).toEqual([]);
  await peer.call('close_tab', { tab_name: 'tab' });
  await peer.call('close_tab', { tab_name: 'tab' });
  const told = ['I rejected your edit of a.txt: use a "constant" | here'];
  await waitFor(async () => expect(await sent()).toEqual(told));
  await peer.call('close_tab', { tab_name: 'tab' });
  await reject('ClaudeDiffReject');
  await peer.call('close_tab', { tab_name: 'tab' });
  await reject('ClaudeDiffReject second');
  await waitFor(async () => expect(await sent()).toHaveLength(2));
  expect((await sent())[1]).toContain('second');
});

test('is told also to a client that closes no tab, but to none that is gone', async () => {
  await reject('ClaudeDiffReject no tab');
  await waitFor(async () => expect(await sent()).toHaveLength(1));
  await reject('ClaudeDiffReject nobody');
  await peer.close();
  peer = await bridge.peer();
  await reject('ClaudeDiffReject another');
  await waitFor(async () => expect(await sent()).toHaveLength(2));
  expect((await sent())[1]).toContain('another');
});

test('where it cannot be typed, the user is told so', async () => {
  await bridge.nvim.lua(`require('claude_bridge').setup({ terminal = { provider = 'none' } })`);
  await reject('ClaudeDiffReject why');
  await peer.call('close_tab', { tab_name: 'tab' });
  await expect
    .poll(() => bridge.nvim.messages())
    .toContain('claude-code runs outside Neovim; tell it there why you rejected the edit');
});
