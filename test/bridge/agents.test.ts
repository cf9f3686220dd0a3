/** Every kind of client, as recorded, on a real socket of a real Neovim. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentKind, connectAgent, diffArguments, startAgent } from '../support/agents.ts';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import type { Peer } from '../support/peer.ts';
import { type Generation, read, written } from '../support/sid-code-reader.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startBridge({
    ui: true,
    files: { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'bee\n' },
    args: ['a.txt'],
    options: { agents: ['claude-code', 'sid-code', 'opencode'] },
  });
});
afterAll(() => bridge?.dispose());

const file = (name: string): string => path.join(bridge.workspace, name);
const soon = <T>(check: () => T | Promise<T>) => waitFor(check, { interval: 10 });
const start = (kind: AgentKind) => startAgent(kind, bridge);
const reviews = () => bridge.nvim.lua<number>(`return #require('claude_bridge.review').list()`);
const select = (keys: string) => bridge.nvim.input(`<Esc>${keys}`);

/** Shown, and the cursor in it: keys decide it. */
const shown = () =>
  soon(async () =>
    expect(await bridge.nvim.lua('return vim.wo.diff and vim.bo.buftype')).toBe('acwrite'),
  );
const propose = (peer: Peer, kind: AgentKind, name: string, text: string, tab?: string) =>
  peer.call('openDiff', diffArguments(kind, file(name), text, tab));

test('each family has its lock file, and one token is in all of them', async () => {
  const locks = [
    path.join(bridge.nvim.home, '.claude/ide', `${bridge.port}.lock`),
    path.join(bridge.nvim.home, '.sid-code/ide', `${bridge.port}.lock`),
  ];
  for (const lock of locks) {
    expect(fs.statSync(lock).mode & 0o777).toBe(0o600);
    expect(JSON.parse(fs.readFileSync(lock, 'utf8'))).toEqual({
      pid: await bridge.nvim.lua('return vim.fn.getpid()'),
      workspaceFolders: [bridge.workspace],
      ideName: 'Neovim',
      transport: 'ws',
      runningInWindows: false,
      authToken: bridge.token,
    });
  }
  expect(
    await bridge.nvim.lua(
      'return { vim.env.SID_CODE_SSE_PORT, vim.env.SID_CODE_AUTO_CONNECT_IDE, vim.env.CLAUDE_CODE_SSE_PORT }',
    ),
  ).toEqual([String(bridge.port), 'true', String(bridge.port)]);
});

describe('sid-code', () => {
  const kinds: readonly [AgentKind, Generation][] = [
    ['sid-code/first', 'first'],
    ['sid-code/second', 'second'],
  ];

  test.each(kinds)('%s: what the user decides is what it writes', async (kind, generation) => {
    const peer = await start(kind);
    const proposal = 'one\nTWO\nthree\n';
    const decided = async (keys: string) => {
      const answered = propose(peer, kind, 'a.txt', proposal, `tab ${keys}`);
      await shown();
      await bridge.nvim.input(keys);
      const answer = await answered;
      expect(answer.content).toHaveLength(1);
      await soon(async () => expect(await reviews()).toBe(0));
      return written(read(generation, answer), proposal);
    };
    expect(await decided(':w<CR>')).toBe(proposal);
    expect(await decided('GAyes<Esc>:w<CR>')).toBe('one\nTWO\nthreeyes\n');
    expect(await decided(':%d<CR>:w<CR>')).toBe('');
    expect(await decided(':q<CR>')).toBeUndefined();
    expect(await decided(':ClaudeDiffReject not so<CR>')).toBeUndefined();
    expect(fs.readFileSync(file('a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
    peer.terminate();
  });

  test.each(kinds)('%s: a request that is sent again is the same review', async (kind) => {
    const peer = await start(kind);
    const args = diffArguments(kind, file('a.txt'), 'again\n');
    const answered = peer.call('openDiff', args, 77);
    await shown();
    const frame = { method: 'tools/call', params: { name: 'openDiff', arguments: args }, id: 77 };
    const first = { ...frame, params: { ...frame.params, _meta: { progressToken: 77 } } };
    peer.send({ jsonrpc: '2.0', ...first });
    peer.send({ jsonrpc: '2.0', ...first });
    await peer.settle();
    expect(await reviews()).toBe(1);
    await bridge.nvim.input(':w<CR>');
    const { content } = await answered;
    await soon(async () => expect(await reviews()).toBe(0));
    const again = await peer.call('openDiff', args, 77);
    expect(again.content).toEqual(content);
    expect(await reviews()).toBe(0);
    expect(peer.answers(77)).toHaveLength(2);
    peer.terminate();
  });

  test.each(kinds)(
    '%s: neither close_tab nor a reset writes anything',
    async (kind, generation) => {
      const peer = await start(kind);
      const one = propose(peer, kind, 'a.txt', 'first\n', 'one');
      await soon(async () => expect(await reviews()).toBe(1));
      const two = propose(peer, kind, 'b.txt', 'second\n', 'two');
      await soon(async () => expect(await reviews()).toBe(2));
      expect(await peer.callTexts('close_tab', { tab_name: 'one' })).toEqual(['TAB_CLOSED']);
      expect(written(read(generation, await one), 'first\n')).toBeUndefined();
      expect(await reviews()).toBe(1);
      expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_1_DIFF_TABS']);
      expect(written(read(generation, await two), 'second\n')).toBeUndefined();
      await soon(async () => expect(await reviews()).toBe(0));
      peer.terminate();
    },
  );

  test('both spellings, and nothing before it can hear', async () => {
    await select('ggV');
    const first = await start('sid-code/first');
    const begun = performance.now();
    await first.settle();
    expect(first.notifications).toEqual([]);
    await first.waitFor('notifications/selection_changed');
    expect(performance.now() - begun).toBeGreaterThan(900);
    const second = await start('sid-code/second');
    const [told] = await second.waitFor('selection_changed');
    expect(told).toMatchObject({
      text: 'one',
      filePath: file('a.txt'),
      selection: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } },
    });
    await bridge.nvim.input('<Esc>:2,3ClaudeMention<CR>');
    for (const peer of [first, second]) {
      for (const method of ['at_mentioned', 'notifications/at_mentioned']) {
        expect((await peer.waitFor(method)).at(-1)).toEqual({
          filePath: file('a.txt'),
          lineStart: 1,
          lineEnd: 2,
        });
      }
      peer.terminate();
    }
  });

  test('its model sees no tool that is for the client alone', async () => {
    const peer = await start('sid-code/second');
    const names = (await peer.listTools()).map(({ name }) => name);
    expect(names).toHaveLength(9);
    for (const name of ['openDiff', 'close_tab', 'closeAllDiffTabs']) {
      expect(names).not.toContain(name);
    }
    expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
    peer.terminate();
  });

  test('empty lists, a heartbeat, and its pid in the status', async () => {
    const peer = await start('sid-code/second');
    expect(await peer.request('resources/list')).toEqual({ resources: [] });
    expect(await peer.request('prompts/list')).toEqual({ prompts: [] });
    expect(await peer.request('ping')).toEqual({});
    await soon(async () => expect(await status()).toContain('sid-code 0.1.601, pid 4242: ready'));
    peer.terminate();
  });

  test('an edit that cannot be shown is not written, and the user hears of it', async () => {
    const peer = await start('sid-code/second');
    await bridge.nvim.input(':echo "a\\nb\\nc"<CR>');
    await soon(async () =>
      expect(await bridge.nvim.client.request('nvim_get_mode', [])).toMatchObject({
        blocking: true,
      }),
    );
    const answer = await propose(peer, 'sid-code/second', 'a.txt', 'unseen\n');
    expect(read('second', answer).reading).toBe('rejected');
    await bridge.nvim.input('<CR>');
    expect(await reviews()).toBe(0);
    peer.terminate();
  });
});

describe('claude-code-best', () => {
  test('an answer has its two blocks, and a selection is never null', async () => {
    await select('gg');
    await select('j0');
    const peer = await start('claude-code-best');
    await soon(() =>
      expect(peer.told('selection_changed').at(-1)).toMatchObject({
        text: '',
        filePath: file('a.txt'),
        selection: { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } },
      }),
    );
    expect(JSON.stringify(peer.notifications)).not.toContain('null');
    for (const keys of [':w<CR>', 'GAyes<Esc>:w<CR>']) {
      const answered = propose(peer, 'claude-code-best', 'a.txt', 'best\n', keys);
      await shown();
      await bridge.nvim.input(keys);
      const { content } = await answered;
      expect(content[0]?.text).toBe('FILE_SAVED');
      expect(content[1]?.text).toBe(keys === ':w<CR>' ? 'best\n' : 'bestyes\n');
      await soon(async () => expect(await reviews()).toBe(0));
    }
    peer.terminate();
  });
});

describe('opencode', () => {
  test('lines from 1 in selections and mentions, without a subprotocol', async () => {
    await select('2GV');
    const peer = await start('opencode');
    expect(peer.socket.protocol).toBe('');
    await soon(() =>
      expect(peer.told('selection_changed').at(-1)).toMatchObject({
        text: 'two',
        selection: { start: { line: 2, character: 0 }, end: { line: 2, character: 3 } },
      }),
    );
    await bridge.nvim.input('<Esc>:2,3ClaudeMention<CR>');
    await bridge.nvim.input(':ClaudeMention b.txt<CR>');
    expect(await peer.waitFor('at_mentioned', 2)).toEqual([
      { filePath: file('a.txt'), lineStart: 2, lineEnd: 3 },
      { filePath: file('b.txt'), lineStart: 1, lineEnd: 1 },
    ]);
    peer.terminate();
  });

  test('without the token it is refused, as from a port that it found in a variable', async () => {
    const { port } = bridge;
    await expect(connectAgent('opencode', { port, token: '' })).rejects.toThrow('refused with 401');
  });
});

describe('several at once', () => {
  const KINDS: readonly AgentKind[] = [
    'claude-code',
    'sid-code/first',
    'sid-code/second',
    'opencode',
    'claude-code-best',
  ];

  test('each hears its own dialect of one selection', async () => {
    await select('3GV');
    const peers = await Promise.all(KINDS.map(start));
    const lines = await Promise.all(
      peers.map(async (peer, i) => {
        const isFirst = KINDS[i] === 'sid-code/first';
        const method = isFirst ? 'notifications/selection_changed' : 'selection_changed';
        const [told] = await peer.waitFor(method);
        const selection = told?.['selection'] as { start: { line: number } } | undefined;
        return selection?.start.line;
      }),
    );
    expect(lines).toEqual([2, 2, 2, 3, 2]);
    const prefixed = peers.map((peer) => peer.told('notifications/selection_changed').length > 0);
    expect(prefixed).toEqual([false, true, true, false, false]);
    for (const peer of peers) peer.terminate();
  });

  test('a reset by one touches no review of another', async () => {
    const kinds: readonly AgentKind[] = ['claude-code', 'sid-code/second', 'sid-code/first'];
    const peers = await Promise.all(kinds.map(start));
    const calls = peers.map((peer, i) =>
      propose(peer, kinds[i] ?? 'claude-code', 'a.txt', `of ${kinds[i]}\n`, 'one name'),
    );
    await soon(async () => expect(await reviews()).toBe(3));
    expect(await peers[0]?.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_1_DIFF_TABS']);
    expect((await calls[0])?.content.map(({ text }) => text)).toEqual([
      'DIFF_REJECTED',
      'one name',
    ]);
    expect(await reviews()).toBe(2);
    peers[1]?.terminate();
    calls[1]?.catch(() => {});
    await soon(async () => expect(await reviews()).toBe(1));
    expect(await peers[2]?.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_1_DIFF_TABS']);
    const last = await calls[2];
    expect(last?.content.map(({ text }) => text)).toEqual(['{"status":"DIFF_REJECTED"}']);
    for (const peer of peers) peer.terminate();
    await soon(async () => expect(await reviews()).toBe(0));
  });

  test.each(KINDS)('%s: wrong input costs nothing but its call', async (kind) => {
    const peer = await start(kind);
    peer.send('not JSON');
    expect((await peer.answer(null)).error?.code).toBe(-32700);
    await expect(peer.call('openDiff', { tab_name: 1 })).rejects.toMatchObject({ code: -32602 });
    await expect(peer.call('nonsense')).rejects.toMatchObject({ code: -32602 });
    await expect(peer.request('no/such/method')).rejects.toMatchObject({ code: -32601 });
    peer.notify('notifications/nonsense', { a: [] });
    peer.notify('ide_connected', { pid: 'x' });
    expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
    expect(await reviews()).toBe(0);
    peer.terminate();
  });
});

test('a stop rejects what waits, and takes all lock files along', async () => {
  const peer = await start('sid-code/second');
  const answered = propose(peer, 'sid-code/second', 'a.txt', 'stopped\n');
  await soon(async () => expect(await reviews()).toBe(1));
  await bridge.nvim.command('ClaudeBridgeStop');
  expect(written(read('second', await answered), 'stopped\n')).toBeUndefined();
  const folders = ['.claude/ide', '.sid-code/ide'].map((name) => path.join(bridge.nvim.home, name));
  await soon(() => expect(folders.flatMap((folder) => fs.readdirSync(folder))).toEqual([]));
});

/** What `:ClaudeBridgeStatus` shows. */
async function status(): Promise<string> {
  await bridge.nvim.command('ClaudeBridgeStatus');
  return soon(async () => {
    const text = await bridge.nvim.lua<string>(
      `local lines = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')
       if not lines:find('Listening') then error('not shown') end
       vim.cmd.close()
       return lines`,
    );
    return text;
  });
}
