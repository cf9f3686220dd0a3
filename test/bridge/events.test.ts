/** The `User` events: each once, with the data that the help file tells, in the order of what happens. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startBridge, type TestBridge, whenReady } from '../support/bridge.ts';
import { PROJECT } from '../support/nvim.ts';
import type { Peer } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge;
afterEach(() => bridge?.dispose());

interface Event {
  readonly name: string;
  readonly data: Record<string, unknown>;
}

const documented = [
  ...fs
    .readFileSync(path.join(PROJECT, 'doc/claude_bridge.txt'), 'utf8')
    .matchAll(/^ {4}\*ClaudeBridge(\w+)\*/gm),
].map(([, name]) => name ?? '');

const events = () => bridge.nvim.lua<Event[]>('return _G.events');
const next = async (name: string): Promise<Record<string, unknown>> => {
  const found = await waitFor(async () => {
    const all = await events();
    expect(all.map((event) => event.name)).toContain(name);
    return all.filter((event) => event.name === name);
  });
  return found.at(-1)?.data ?? {};
};

const propose = async (peer: Peer, tab: string) => {
  const file = path.join(bridge.workspace, 'a.txt');
  const answer = peer.call('openDiff', {
    old_file_path: file,
    new_file_path: file,
    new_file_contents: `${tab}\n`,
    tab_name: tab,
  });
  await waitFor(async () => {
    const opened = (await events()).filter(({ name }) => name === 'ReviewOpened');
    expect(opened.map(({ data }) => data['title'])).toContain(tab);
  });
  return answer;
};

test('all that the help file tells, each once', async () => {
  bridge = await startBridge({
    ui: true,
    files: { 'a.txt': 'one\ntwo\n' },
    args: ['a.txt'],
    options: { terminal: { cmd: ['true'] } },
  });
  const { nvim, workspace } = bridge;
  const file = path.join(workspace, 'a.txt');
  await nvim.lua(`_G.events = {}
    vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeBridge*', callback = function(e)
      table.insert(_G.events, { name = e.match:sub(13), data = e.data or vim.empty_dict() })
    end })`);
  await nvim.command('ClaudeBridgeRestart');
  await next('Stopped');
  const { port } = await next('Started');
  expect(port).toBe(bridge.port);
  await whenReady(nvim);

  const peer = await bridge.peer({ pid: 4711 });
  const client = await next('Connected');
  expect(client).toMatchObject({ name: 'claude-code', version: '2.1.332', pid: 4711 });
  expect(typeof client['id']).toBe('string');

  await nvim.command('2ClaudeMention');
  expect(await next('MentionSent')).toEqual({ path: file, lines: { first: 2, last: 2 } });

  const review = { id: expect.any(String), path: file };
  for (const [tab, command, name] of [
    ['t1', 'ClaudeDiffAccept', 'ReviewAccepted'],
    ['t2', 'ClaudeDiffReject', 'ReviewRejected'],
  ] as const) {
    const answer = propose(peer, tab);
    await waitFor(async () =>
      expect(await nvim.lua(`return #require('claude_bridge.session').info().reviews`)).toBe(1),
    );
    await nvim.command(command);
    await answer;
    expect(await next(name)).toEqual({ ...review, title: tab });
    await nvim.command('only');
  }
  const open = propose(peer, 't3');
  await waitFor(async () =>
    expect((await events()).filter(({ name }) => name === 'ReviewOpened')).toHaveLength(3),
  );
  await peer.call('close_tab', { tab_name: 't3' });
  await open;
  expect(await next('ReviewClosed')).toEqual({ ...review, title: 't3' });

  await nvim.command('ClaudeBridgeTerminal');
  expect(await next('TerminalClosed')).toEqual({ agent: 'claude', cwd: workspace, code: 0 });

  await peer.close();
  expect(await next('Disconnected')).toEqual(client);
  await nvim.command('ClaudeBridgeStop');
  await waitFor(async () =>
    expect((await events()).filter(({ name }) => name === 'Stopped')).toHaveLength(2),
  );
  const names = (await events()).map(({ name }) => name);
  expect(names).toEqual([
    'Stopped',
    'Started',
    'Connected',
    'MentionSent',
    'ReviewOpened',
    'ReviewAccepted',
    'ReviewOpened',
    'ReviewRejected',
    'ReviewOpened',
    'ReviewClosed',
    'TerminalClosed',
    'Disconnected',
    'Stopped',
  ]);
  expect([...new Set(names)].sort()).toEqual([...documented].sort());
});

test('a mention that several agents get is told once', async () => {
  bridge = await startBridge({ files: { 'a.txt': 'one\n' }, args: ['a.txt'] });
  await bridge.nvim.lua(`_G.events = {}
    vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeBridgeMentionSent',
      callback = function(e) table.insert(_G.events, { name = 'MentionSent', data = e.data }) end })`);
  await bridge.nvim.command('ClaudeMention');
  expect(await bridge.nvim.messages()).not.toContain('MentionSent');
  const peers = [await bridge.peer(), await bridge.peer()];
  await waitFor(async () =>
    expect(await bridge.nvim.lua(`return #require('claude_bridge.session').info().clients`)).toBe(
      2,
    ),
  );
  await bridge.nvim.command('1ClaudeMention');
  for (const peer of peers) await peer.waitFor('at_mentioned');
  await waitFor(async () => expect(await events()).toHaveLength(2));
  const path = `${bridge.workspace}/a.txt`;
  expect((await events()).map(({ data }) => data)).toEqual([
    { path },
    { path, lines: { first: 1, last: 1 } },
  ]);
});
