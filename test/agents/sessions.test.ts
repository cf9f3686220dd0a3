import { afterEach, describe, expect, test, vi } from 'vitest';
import { AgentRegistry } from '../../src/agents/registry.ts';
import { SessionHub } from '../../src/agents/sessions.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { closeAllDiffTabs } from '../../src/tools/close-all-diff-tabs.ts';
import { closeTab } from '../../src/tools/close-tab.ts';
import { openDiff } from '../../src/tools/open-diff.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { MemoryLogger } from '../support/logger.ts';
import { MemoryChannel } from '../support/memory-channel.ts';
import type { CallResult } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';
import { memoryEditor, selectionAt, startHub, tool } from './support.ts';

const soon = <T>(check: () => T) => waitFor(check, { interval: 2 });

const started: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const one of started.splice(0)) await one.dispose();
});

async function start(tools?: readonly Tool[]) {
  const hub = await startHub(tools);
  started.push(hub);
  return hub;
}

const echo = tool('echo', async (args) => JSON.stringify(args));
/** Never ends before its call is cancelled. */
const wait = tool('wait', async (_args, { signal }) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  return 'cancelled';
});

const diffOf = (file: string) => ({
  old_file_path: file,
  new_file_path: file,
  new_file_contents: 'new\n',
  tab_name: `✻ ${file} ⧉`,
});
const textsOf = ({ content }: CallResult) => content.map(({ text }) => text);

test('shows a client as it introduces itself', async () => {
  const { connect, hub } = await start([echo]);
  const changes = vi.fn();
  hub.onChange(changes);
  const peer = await connect();
  expect(hub.status()).toMatchObject([{ id: 'client-1', state: 'open', openCalls: 0 }]);
  expect(hub.status()[0]?.remote).toMatch(/^127\.0\.0\.1:\d+$/);
  await peer.initialize();
  expect(hub.status()[0]).toMatchObject({
    state: 'initializing',
    name: 'claude-code',
    version: '2.1.332',
    title: 'Claude Code',
  });
  peer.initialized();
  peer.ideConnected(4242);
  await soon(() => expect(hub.status()[0]?.pid).toBe(4242));
  expect(await peer.listTools()).toEqual([
    { name: 'echo', description: 'The tool echo', inputSchema: { type: 'object' } },
  ]);
  expect(hub.status()[0]?.state).toBe('initializing');
  await soon(() => expect(hub.status()[0]?.state).toBe('ready'));
  await peer.call('echo', { a: 1 });
  expect(hub.status()[0]?.lastTool).toEqual({ name: 'echo', at: expect.any(Date) });
  const before = changes.mock.calls.length;
  peer.terminate();
  await soon(() => expect(hub.status()).toEqual([]));
  expect(changes.mock.calls.length).toBeGreaterThan(before);
});

test.each([{}, { pid: 'x' }, { pid: -1 }])('a greeting with %j is ignored', async (params) => {
  const { connect, hub } = await start();
  const peer = await connect();
  await peer.initialize();
  peer.notify('ide_connected', params);
  await peer.settle();
  expect(hub.status()[0]?.pid).toBeUndefined();
  expect(peer.received).toHaveLength(2);
});

test('nothing is pushed before the client can hear; then selection, then mentions in order', async () => {
  const { connect, select, mention } = await start();
  select(selectionAt('/x/old.txt', 0, 'old'));
  mention('/x/a.txt');
  const peer = await connect();
  mention('/x/b.txt', { first: 1, last: 3 });
  await peer.initialize();
  select(selectionAt('/x/a.txt', 0, 'alpha'));
  peer.initialized();
  peer.ideConnected(1);
  mention('/x/c.txt');
  await peer.listTools();
  const answered = performance.now();
  await peer.settle();
  expect(peer.notifications).toEqual([]);
  await peer.waitFor('at_mentioned', 3);
  expect(performance.now() - answered).toBeGreaterThanOrEqual(240);
  expect(peer.notifications.map(({ method, params }) => [method, params?.['filePath']])).toEqual([
    ['selection_changed', '/x/a.txt'],
    ['at_mentioned', '/x/a.txt'],
    ['at_mentioned', '/x/b.txt'],
    ['at_mentioned', '/x/c.txt'],
  ]);
});

test('a client that asks for no tools is told nothing', async () => {
  const { connect, select, mention, hub } = await start();
  select(selectionAt('/x/a.txt', 0, 'alpha'));
  mention('/x/a.txt');
  const [deaf, ready] = [await connect(), await connect()];
  await deaf.initialize();
  deaf.initialized();
  await ready.handshake();
  await ready.waitFor('at_mentioned');
  await deaf.settle();
  expect(deaf.notifications).toEqual([]);
  expect(hub.status().map(({ state }) => state)).toEqual(['initializing', 'ready']);
});

test('mentions are spaced out, and a second client gets none again', async () => {
  const { ready, mention } = await start();
  const times: number[] = [];
  for (const path of ['/x/a.txt', '/x/b.txt', '/x/c.txt']) mention(path);
  const peer = await ready();
  peer.socket.on('message', () => times.push(performance.now()));
  await peer.waitFor('at_mentioned', 3);
  expect((times.at(-1) ?? 0) - (times.at(-3) ?? 0)).toBeGreaterThanOrEqual(50);
  const second = await ready();
  mention('/x/d.txt');
  await peer.waitFor('at_mentioned', 4);
  await soon(() => expect(second.socket.readyState).toBe(second.socket.OPEN));
  await second.settle();
  expect(second.told('at_mentioned').every(({ filePath }) => filePath === '/x/d.txt')).toBe(true);
});

test('mentions that a client did not get before it died are kept for the next', () => {
  const { accept, mention } = memoryHub();
  const first = accept();
  for (const path of ['/x/a.txt', '/x/b.txt', '/x/c.txt']) mention(path);
  vi.advanceTimersToNextTimer();
  expect(first.told('at')).toEqual([{ path: '/x/a.txt' }]);
  first.close(1006, 'gone');
  mention('/x/d.txt');
  const second = accept();
  vi.advanceTimersByTime(1_000);
  expect(second.told('at').map(({ path }) => path)).toEqual(['/x/b.txt', '/x/c.txt', '/x/d.txt']);
  expect(first.told('at')).toHaveLength(1);
});

describe('a mention of a folder, by the folders in which the client says that it works', () => {
  const QUOTED = ['"/x/ws/sub/"', '"/x/ws/"', '/x/other/'];
  const PLAIN = ['/x/ws/sub/', '"/x/ws/"', '/x/other/'];

  test.each([
    ['one that starts in a folder of the workspace', ['file:///x/ws/sub'], QUOTED],
    ['one that starts in the workspace', ['file:///x/ws'], PLAIN],
    ['an encoded name', ['file:///x/ws/s%75b'], QUOTED],
    ['a name with a bad encoding', ['file:///x/ws/sub/100%'], QUOTED],
    ['one that tells none', [], PLAIN],
    ['one that does not answer', undefined, PLAIN],
  ])('%s', async (_, roots, expected) => {
    const { connect, mention, editor } = await start();
    editor.workspace.update(['/x/ws']);
    const peer = await connect();
    peer.roots = roots;
    await peer.handshake();
    for (const path of ['/x/ws/sub/', '/x/ws/', '/x/other/']) mention(path);
    const told = await peer.waitFor('at_mentioned', 3);
    expect(told.map(({ filePath }) => filePath)).toEqual(expected);
  });

  test('is told anew where they change', async () => {
    const { ready, mention } = await start();
    const peer = await ready();
    mention('/x/ws/sub/');
    await peer.waitFor('at_mentioned');
    peer.roots = ['file:///x/ws/sub'];
    peer.notify('notifications/roots/list_changed');
    await peer.settle();
    await peer.settle();
    mention('/x/ws/sub/');
    const told = await peer.waitFor('at_mentioned', 2);
    expect(told.map(({ filePath }) => filePath)).toEqual(['/x/ws/sub/', '"/x/ws/sub/"']);
  });
});

test('a selection is not told twice to one client, and a new client is told the present one', async () => {
  const { ready, select, hub } = await start();
  const first = await ready();
  await soon(() => expect(hub.status()[0]?.state).toBe('ready'));
  expect(hub.status()[0]?.lastSelectionPush).toBeUndefined();
  select(selectionAt('/x/a.txt', 0, 'alpha'));
  select(selectionAt('/x/a.txt', 0, 'alpha'));
  await first.waitFor('selection_changed');
  expect(hub.status()[0]?.lastSelectionPush).toBeInstanceOf(Date);
  const second = await ready();
  expect((await second.waitFor('selection_changed'))[0]).toMatchObject({ text: 'alpha' });
  await first.settle();
  expect(first.told('selection_changed')).toHaveLength(1);
});

test('what was selected and is closed is cleared', async () => {
  const { ready, select, editor } = await start();
  select(selectionAt('/x/a.txt', 0, 'alpha'));
  const peer = await ready();
  await peer.waitFor('selection_changed');
  editor.handle({ kind: 'document-closed', path: '/x/a.txt' });
  expect((await peer.waitFor('selection_changed', 2))[1]).toMatchObject({ text: '', filePath: '' });
});

test('mentions that one client did not get are not repeated to another that did', async () => {
  const { ready, mention, hub } = await start();
  const [dying, other] = [await ready(), await ready()];
  await soon(() => expect(hub.status().map(({ state }) => state)).toEqual(['ready', 'ready']));
  for (const path of ['/x/a.txt', '/x/b.txt', '/x/c.txt']) mention(path);
  dying.terminate();
  await soon(() => expect(hub.status()).toHaveLength(1));
  mention('/x/last.txt');
  await soon(() => expect(other.told('at_mentioned').at(-1)?.['filePath']).toBe('/x/last.txt'));
  expect(other.told('at_mentioned')).toHaveLength(4);
});

test('a client that dies before it can hear swallows no mention', () => {
  const { accept, connect, mention } = memoryHub();
  connect().close(1006, 'gone');
  vi.advanceTimersByTime(1_000);
  mention('/x/a.txt');
  const channel = accept();
  vi.advanceTimersByTime(1_000);
  expect(channel.told('at')).toEqual([{ path: '/x/a.txt' }]);
});

test('a slow client gets the newest selection when it has caught up, and no queue grows', async () => {
  const { accept, select } = memoryHub();
  const channel = accept();
  select(selectionAt('/x/a.txt', 0, 'first'));
  channel.backlog = 10 * 1024 * 1024;
  for (let i = 0; i < 200; i += 1) select(selectionAt('/x/a.txt', i, `${i}`));
  expect(channel.told('sel')).toEqual([{ text: 'first' }]);
  channel.drain();
  channel.drain();
  expect(channel.told('sel')).toEqual([{ text: 'first' }, { text: '199' }]);
  channel.backlog = 10 * 1024 * 1024;
  select(selectionAt('/x/a.txt', 0, 'between'));
  select(selectionAt('/x/a.txt', 199, '199'));
  channel.drain();
  expect(channel.told('sel')).toHaveLength(2);
});

test('answers go to the client that asked', async () => {
  const { ready } = await start([echo]);
  const [a, b] = [await ready(), await ready()];
  const [first, second] = await Promise.all([
    a.call('echo', { from: 'a' }, 7),
    b.call('echo', { from: 'b' }, 7),
  ]);
  expect(first.content).toEqual([{ type: 'text', text: '{"from":"a"}' }]);
  expect(second.content).toEqual([{ type: 'text', text: '{"from":"b"}' }]);
  expect([a.answers(7).length, b.answers(7).length]).toEqual([1, 1]);
});

test('a tool knows its session, its call and the answers of the dialect', async () => {
  const contexts: unknown[] = [];
  const look = tool('look', async (args, { sessionId, requestId, signal, answers }) => {
    contexts.push([args, sessionId, requestId, signal.aborted]);
    return JSON.stringify(answers.closed('tab', 'withdrawn'));
  });
  const { ready } = await start([look]);
  const peer = await ready();
  await peer.call('look', { a: 1 }, 0);
  expect(contexts).toEqual([[{ a: 1 }, 'client-1', 0, false]]);
});

test('a tool that fails is logged with its reason and answered', async () => {
  const broken = tool('broken', async () => {
    throw new BridgeError('editor-busy', 'Neovim waits at a prompt');
  });
  const { ready, logger } = await start([broken]);
  const peer = await ready();
  expect(await peer.call('broken')).toEqual({
    content: [{ type: 'text', text: 'Neovim waits at a prompt' }],
    isError: true,
  });
  expect(logger.records).toContainEqual({
    level: 'info',
    message: 'tool failed',
    fields: { session: 'client-1', tool: 'broken', error: 'Neovim waits at a prompt' },
  });
  await expect(peer.call('nope')).rejects.toMatchObject({ code: -32602 });
});

test('2,000 calls in flight are all answered, and other clients are served meanwhile', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = tool('held', async () => {
    await released;
    return 'done';
  });
  const { ready, hub } = await start([held, echo]);
  const [busy, other] = [await ready(), await ready()];
  const calls = Array.from({ length: 2_000 }, (_, n) => busy.call('held', { n }, `call ${n}`));
  await soon(() => expect(hub.status()[0]?.openCalls).toBe(2_000));
  expect((await other.call('echo', {})).content).toEqual([{ type: 'text', text: '{}' }]);
  release();
  await Promise.all(calls);
  expect(new Set(busy.received.map(({ id }) => id)).size).toBe(busy.received.length);
});

test('the death of a client cancels its calls and ends its reviews, and no other', async () => {
  const { ready, hub, openReviews, ended, logger } = await start([openDiff]);
  const [dying, other] = [await ready(), await ready()];
  dying.call('openDiff', diffOf('/x/a.txt')).catch(() => {});
  const kept = other.call('openDiff', diffOf('/x/a.txt'), 'kept');
  await soon(() => expect(openReviews.size).toBe(2));
  dying.terminate();
  await soon(() => expect(ended).toEqual(['withdrawn']));
  expect(hub.status()).toMatchObject([{ id: 'client-2', openCalls: 1 }]);
  expect(logger.records).toContainEqual({
    level: 'info',
    message: 'client disconnected',
    fields: { session: 'client-1', code: 1006, reason: '' },
  });
  other.cancel('kept');
  expect(textsOf(await kept)).toEqual(['DIFF_REJECTED', '✻ /x/a.txt ⧉']);
  expect(openReviews.size).toBe(0);
});

test('an accepted review is answered to the client that asked, with its text', async () => {
  const { ready, openReviews, editor } = await start([openDiff]);
  const [asking, other] = [await ready(), await ready()];
  const call = asking.call('openDiff', diffOf('/x/a.txt'));
  await soon(() => expect(openReviews.size).toBe(1));
  const [id = ''] = openReviews.keys();
  const decision = { kind: 'accepted', text: 'edited\r\n' } as const;
  editor.handle({ kind: 'review-decided', id, decision });
  expect(textsOf(await call)).toEqual(['FILE_SAVED', 'edited\r\n']);
  await other.settle();
  expect(other.received.some(({ result }) => JSON.stringify(result).includes('SAVED'))).toBe(false);
});

test('a client resets its own reviews, and each call gets its one answer', async () => {
  const { ready, openReviews } = await start([openDiff, closeAllDiffTabs, closeTab]);
  const [one, two] = [await ready(), await ready()];
  const first = one.call('openDiff', diffOf('/x/a.txt'), 'x');
  const second = one.call('openDiff', diffOf('/x/b.txt'), '');
  const third = two.call('openDiff', diffOf('/x/a.txt'));
  await soon(() => expect(openReviews.size).toBe(3));
  expect(await one.callTexts('close_tab', { tab_name: '✻ /x/a.txt ⧉' })).toEqual(['TAB_CLOSED']);
  expect(await one.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_1_DIFF_TABS']);
  expect(textsOf(await first)).toEqual(['DIFF_REJECTED', '✻ /x/a.txt ⧉']);
  expect(textsOf(await second)).toEqual(['DIFF_REJECTED', '✻ /x/b.txt ⧉']);
  expect([one.answers('x').length, one.answers('').length]).toEqual([1, 1]);
  expect(openReviews.size).toBe(1);
  expect(await two.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_1_DIFF_TABS']);
  expect(textsOf(await third)).toEqual(['DIFF_REJECTED', '✻ /x/a.txt ⧉']);
});

/** Nobody has decided: the client's own question stays. */
const STOPPED = ['The bridge of Neovim has stopped: decide in the terminal'];

test('a stop ends the reviews, answers the open calls, and closes with 1001', async () => {
  const { ready, hub, openReviews, ended } = await start([openDiff, wait]);
  const [a, b] = [await ready(), await ready()];
  const reviewed = a.call('openDiff', diffOf('/x/a.txt'), 'review');
  const waiting = b.call('wait', {}, 'wait');
  await soon(() => expect(hub.status().map(({ openCalls }) => openCalls)).toEqual([1, 1]));
  await soon(() => expect(openReviews.size).toBe(1));
  const stopped = hub.dispose();
  expect(textsOf(await reviewed)).toEqual(STOPPED);
  expect(textsOf(await waiting)).toEqual(['cancelled']);
  await stopped;
  expect(ended).toEqual(['stopped']);
  expect(await a.closed).toEqual({ code: 1001, reason: 'the editor goes away' });
  expect(await b.closed).toEqual({ code: 1001, reason: 'the editor goes away' });
});

test('a stop answers though the views cannot be closed', async () => {
  const { ready, hub, editorPort, openReviews } = await start([openDiff]);
  const peer = await ready();
  editorPort.closeReview = () => Promise.reject(new Error('Neovim is gone'));
  const call = peer.call('openDiff', diffOf('/x/a.txt'));
  await soon(() => expect(openReviews.size).toBe(1));
  await hub.dispose();
  expect(textsOf(await call)).toEqual(STOPPED);
});

test('who comes after the stop is sent away', async () => {
  const { connect, hub } = await start();
  await hub.dispose();
  const peer = await connect();
  expect((await peer.closed).code).toBe(1001);
  expect(hub.status()).toEqual([]);
});

test('a client that comes back after its socket was dropped starts anew', async () => {
  const { ready, hub, select } = await start();
  select(selectionAt('/x/a.txt', 0, 'alpha'));
  const first = await ready();
  await first.waitFor('selection_changed');
  first.terminate();
  const second = await ready();
  expect((await second.waitFor('selection_changed'))[0]).toMatchObject({ text: 'alpha' });
  expect(hub.status().map(({ id }) => id)).toEqual(['client-2']);
});

/** A hub with a dialect of its own, on a clock that the test moves. */
function memoryHub() {
  vi.useFakeTimers();
  const memory = memoryEditor();
  const registry = new AgentRegistry([
    {
      id: 'test',
      clientNames: [],
      discovery: { folder: () => '', content: () => ({}), variables: () => ({}) },
      tokenIn: () => '',
      dialectFor: () => ({
        tools: [],
        listed: [],
        answers: { accepted: never, rejected: never, closed: never },
        selection: (selection) => [{ method: 'sel', params: { text: selection?.text } }],
        mention: ({ path }) => [{ method: 'at', params: { path } }],
        hearsAfter: [{ method: 'notifications/initialized', delayMs: 10 }],
      }),
    },
  ]);
  const info = { name: 'x', version: '1' };
  const hub = new SessionHub({ editor: memory.editor, registry, logger: new MemoryLogger(), info });
  /** A client that can hear after the delay. */
  const connect = () => {
    const channel = new MemoryChannel();
    hub.accept({ channel, headers: {}, remote: 'memory' });
    channel.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return channel;
  };
  /** A client that can hear now. */
  const accept = () => {
    const channel = connect();
    vi.advanceTimersByTime(10);
    return channel;
  };
  return { connect, accept, ...memory };
}

function never(): never {
  throw new Error('not asked for');
}
