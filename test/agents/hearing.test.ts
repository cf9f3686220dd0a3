/** From which moment each kind of client is told things; what it hears before is lost to it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { agentFamilies } from '../../src/agents/families.ts';
import { AgentRegistry } from '../../src/agents/registry.ts';
import { SessionHub } from '../../src/agents/sessions.ts';
import { type AgentKind, fixtureOf, handshakeOf } from '../support/agents.ts';
import { MemoryLogger } from '../support/logger.ts';
import { MemoryChannel } from '../support/memory-channel.ts';
import { memoryEditor, selectionAt } from './support.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A client of this kind that has sent its handshake, on a clock that the test moves. */
async function shakenHands(kind: AgentKind, frames = handshakeOf(kind)) {
  const memory = memoryEditor();
  memory.select(selectionAt('/x/a.txt', 0, 'alpha'));
  memory.mention('/x/a.txt');
  const hub = new SessionHub({
    editor: memory.editor,
    registry: new AgentRegistry(agentFamilies([])),
    logger: new MemoryLogger(),
    info: { name: 'x', version: '1' },
  });
  const channel = new MemoryChannel();
  hub.accept({ channel, headers: fixtureOf(kind).upgrade, remote: 'memory' });
  for (const frame of frames) {
    channel.receive(frame);
    await vi.advanceTimersByTimeAsync(0);
  }
  const heard = () =>
    channel.messages.flatMap(({ id, method }) => (id === undefined && method) || []);
  return { channel, heard, hub };
}

test.each<[AgentKind, number, string[]]>([
  ['claude-code', 250, ['selection_changed', 'at_mentioned']],
  ['claude-code-best', 250, ['selection_changed', 'at_mentioned']],
  [
    'sid-code/first',
    1_000,
    [
      'selection_changed',
      'notifications/selection_changed',
      'at_mentioned',
      'notifications/at_mentioned',
    ],
  ],
])('%s hears %i ms after its last request', async (kind, delayMs, expected) => {
  const { heard } = await shakenHands(kind);
  await vi.advanceTimersByTimeAsync(delayMs - 1);
  expect(heard()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1 + 100);
  expect(heard()).toEqual(expected);
});

test.each<AgentKind>(['sid-code/second', 'opencode'])(
  '%s hears from its own word on',
  async (kind) => {
    const { heard } = await shakenHands(kind);
    expect(heard()).toContain('selection_changed');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(heard().filter((method) => method === 'at_mentioned')).toHaveLength(1);
  },
);

test('the greeting of sid-code is not waited for longer than it takes', async () => {
  const { channel, heard } = await shakenHands('sid-code/first');
  await vi.advanceTimersByTimeAsync(500);
  expect(heard()).toEqual([]);
  channel.receive(fixtureOf('sid-code/second').greeting ?? '');
  await vi.advanceTimersByTimeAsync(0);
  expect(heard()).toContain('selection_changed');
  const told = heard().length;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(heard().filter((method) => method === 'selection_changed')).toHaveLength(1);
  expect(heard().length).toBeGreaterThan(told);
});

test('a client that stops in the middle of its handshake is told nothing', async () => {
  for (const kind of ['claude-code', 'sid-code/first', 'opencode'] as const) {
    const { heard } = await shakenHands(kind, handshakeOf(kind).slice(0, 1));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(heard()).toEqual([]);
  }
});

test('Claude Code is told the selection once more, in case it was too busy to hear', async () => {
  const { heard } = await shakenHands('claude-code');
  const selections = () => heard().filter((method) => method === 'selection_changed').length;
  await vi.advanceTimersByTimeAsync(250 + 1_999);
  expect(selections()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(selections()).toBe(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(selections()).toBe(2);
  expect(heard().filter((method) => method === 'at_mentioned')).toHaveLength(1);
});
