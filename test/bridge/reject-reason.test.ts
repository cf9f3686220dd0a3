/** Why an edit was rejected: no answer to `openDiff` can say it, so it becomes the next prompt. */
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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

describe('one reason for several edits', () => {
  const open = async (names: readonly string[], by = peer) => {
    const answers = names.map((name, index) =>
      by.callTexts('openDiff', {
        old_file_path: path.join(bridge.workspace, name),
        new_file_path: path.join(bridge.workspace, name),
        new_file_contents: `new ${index}\n`,
        tab_name: `${name} ${index}`,
      }),
    );
    return { answers, closeTabs: () => closeTabs(names, by) };
  };
  const closeTabs = async (names: readonly string[], by: Peer) => {
    for (const [index, name] of names.entries()) {
      for (const _twice of [1, 2]) await by.call('close_tab', { tab_name: `${name} ${index}` });
    }
  };
  const areOpen = (count: number) =>
    waitFor(async () =>
      expect(await bridge.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(count),
    );

  test('is told once, with their files, when the client has dealt with all', async () => {
    const { answers, closeTabs: close } = await open(['a.txt', 'b.txt', 'a.txt']);
    await areOpen(3);
    await bridge.nvim.command('ClaudeDiffReject! not now');
    await Promise.all(answers);
    await close();
    await waitFor(async () =>
      expect(await sent()).toEqual(['I rejected your edits of a.txt, b.txt: not now']),
    );
    await reject('ClaudeDiffReject another');
    await waitFor(async () => expect(await sent()).toHaveLength(2));
    expect((await sent())[1]).toBe('I rejected your edit of a.txt: another');
  });

  test('waits for the last of them that the client deals with', async () => {
    const { answers } = await open(['a.txt', 'b.txt']);
    await areOpen(2);
    await bridge.nvim.command('ClaudeDiffReject! not now');
    await Promise.all(answers);
    await closeTabs(['a.txt'], peer);
    await waitFor(async () =>
      expect(await sent()).toEqual(['I rejected your edits of a.txt, b.txt: not now']),
    );
  });

  test('is told to each client once', async () => {
    const other = await bridge.peer();
    const mine = await open(['a.txt', 'b.txt']);
    const its = await open(['c.txt', 'd.txt'], other);
    await areOpen(4);
    await bridge.nvim.command('ClaudeDiffReject! not now');
    await Promise.all([...mine.answers, ...its.answers]);
    await Promise.all([mine.closeTabs(), its.closeTabs()]);
    await waitFor(async () => expect(await sent()).toHaveLength(2));
    expect((await sent()).sort()).toEqual([
      'I rejected your edits of a.txt, b.txt: not now',
      'I rejected your edits of c.txt, d.txt: not now',
    ]);
  });
});

test('where nobody hears of it, accepting all says so once', async () => {
  const file = path.join(bridge.workspace, 'a.txt');
  for (const tab of ['1', '2']) {
    const answer = peer.callTexts('openDiff', {
      old_file_path: file,
      new_file_path: file,
      new_file_contents: `${tab}\n`,
      tab_name: tab,
    });
    // Open to the end of the test, which ends the connection.
    answer.catch(() => {});
  }
  await waitFor(async () =>
    expect(await bridge.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(2),
  );
  await bridge.nvim.lua(`package.loaded['claude_bridge.channel'].notify = function() end`);
  await bridge.nvim.command('ClaudeDiffAccept!');
  const told = (await bridge.nvim.messages()).match(/nobody would hear of it/g);
  expect(told).toHaveLength(1);
});
