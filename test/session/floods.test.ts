/** An agent that says more than anybody could follow. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BusLink } from '../../src/bus/link.ts';
import { Conversation } from '../../src/session/conversation.ts';
import type { SessionSink } from '../../src/session/ports.ts';
import { WsClient } from '../../src/transport/pipe/ws-client.ts';
import { BusAgent } from '../support/bus-agent.ts';
import { LiveSession } from '../support/live-session.ts';

let agent: BusAgent;
let live: LiveSession;
let sink: SessionSink;

beforeEach(async () => {
  agent = await BusAgent.listen();
  live = new LiveSession({
    folder: '/w',
    connect: (context) => {
      sink = context.sink;
      return new BusLink({ context, opener: new WsClient({ url: agent.url }), debug: false });
    },
  });
  live.open();
  await live.eventually(() => expect(live.view.shown.has('it')).toBe(true));
  await live.state('connected');
});
afterEach(async () => {
  await live.dispose();
  await agent.dispose();
});

const raw = (type: string, data: object): void => agent.raw(JSON.stringify({ type, data }));

/** Until the agent was heard to the end. */
async function heard(): Promise<void> {
  raw('message_added', { id: 'last', role: 'assistant', content: 'that was all' });
  await live.eventually(() => expect(live.shown.entries.has('message last')).toBe(true));
}

describe('a flood', () => {
  test('of errors comes up outside of the conversation a few times only', async () => {
    for (let at = 0; at < 1_000; at += 1)
      raw('error', { message: `error ${at}\n${'x'.repeat(500)}` });
    await heard();
    expect(live.view.notices).toHaveLength(5);
    expect(live.view.notices[0]).toMatch(/^error: it: error 0 x+…$/u);
    expect(live.view.notices[0]?.length).toBeLessThan(320);
    expect(live.entries).toHaveLength(1_001);
  });

  test('of changed files is looked at together, each once', async () => {
    for (let at = 0; at < 1_000; at += 1) raw('file_changed', { path: `f${at % 100}` });
    await heard();
    await live.eventually(() => expect(new Set(live.reloaded).size).toBe(100));
    expect(live.reloaded.length).toBeLessThan(300);
  });

  test('of files to open opens the first and the last', async () => {
    for (let at = 0; at < 1_000; at += 1) raw('open_file', { path: `f${at}` });
    await heard();
    await live.eventually(() => expect(live.opened.at(-1)).toBe('/w/f999:undefined'));
    // Those that came while none was under way.
    expect(live.opened.length).toBeLessThan(200);
  });

  test('of edits is refused past the fiftieth that waits', async () => {
    for (let at = 0; at < 60; at += 1) raw('show_diff', { filePath: `f${at}`, newContent: 'x' });
    await agent.hears('reject_edit', 10);
    expect(agent.of('reject_edit')[0]?.data).toEqual({
      filePath: 'f50',
      reason: '50 edits wait for review',
    });
    expect(live.reviews).toHaveLength(50);
  });

  test('of requests is declined past the thousandth that waits', async () => {
    for (let at = 0; at < 1_010; at += 1) raw('permission_request', { id: `p${at}`, tool: 'x' });
    await agent.hears('permission_decision', 10);
    expect(agent.of('permission_decision')[0]?.data).toEqual({ id: 'p1000', allow: false });
    await live.eventually(() => expect(live.shown.status?.waiting).toBe(1_000));
  });

  test('of pings of an agent that does not read is answered as far as it goes', async () => {
    agent.hang();
    const before = process.memoryUsage().external;
    for (let at = 0; at < 200_000; at += 1) raw('ping', {});
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(process.memoryUsage().external - before).toBeLessThan(100_000_000);
  });

  test('of progress shows the last eight', async () => {
    for (let at = 0; at < 1_000; at += 1)
      raw('progress', { id: `${at}`, stage: `s${at}`, percent: 1 });
    await live.eventually(() =>
      expect(live.shown.status?.progress.map(({ id }) => id)).toEqual(
        Array.from({ length: 8 }, (_, at) => `${992 + at}`),
      ),
    );
  });
});

describe('one thing of 5 MB', () => {
  const long = 'long '.repeat(1_000_000);
  const sizes = () => JSON.stringify(live.view.batches.flatMap(({ ops }) => ops)).length;

  test.each([
    ['a notice', () => raw('info', { message: long })],
    ['a title', () => raw('tool_use_start', { id: 't', name: long, agent: long, input: {} })],
    ['an input', () => raw('tool_use_start', { id: 't', name: 'x', input: { a: long } })],
    ['an attachment', () => raw('attachment', { path: long, type: long, size: 1 })],
    ['progress', () => raw('progress', { id: long, stage: long, message: long })],
    ['a model', () => raw('cost_update', { cost: 1, tokens: 1, model: long })],
    ['a plan to approve', () => raw('plan_approval_request', { id: 'p', plan: long })],
    [
      'a question',
      () => raw('question_request', { id: 'p', question: long, options: Array(5_000).fill('x') }),
    ],
    [
      'a reason',
      () => raw('permission_request', { id: 'p', tool: long, reason: long, input: { a: long } }),
    ],
    [
      'a plan',
      () =>
        sink.update({
          kind: 'plan',
          items: Array.from({ length: 5_000 }, () => ({ text: long, state: 'pending' as const })),
        }),
    ],
    [
      'commands',
      () =>
        sink.update({
          kind: 'choices',
          choices: {
            commands: Array.from({ length: 5_000 }, (_, at) => ({
              name: `${at}`,
              description: long.slice(0, 1_000),
            })),
          },
        }),
    ],
  ] as [string, () => void][])('is shown in part: %s', async (_, act) => {
    await live.eventually(() => expect(live.view.batches.length).toBeGreaterThan(0));
    live.view.batches.splice(0);
    act();
    await heard();
    expect(sizes()).toBeLessThan(1_200_000);
  });
});

test('a conversation counts all that it holds', () => {
  const conversation = new Conversation();
  for (let at = 0; at < 300; at += 1) {
    conversation.apply({
      kind: 'tool',
      id: `t${at}`,
      fields: { input: 'x'.repeat(64_000), error: 'y'.repeat(16_000) },
    });
    conversation.apply({ kind: 'notice', level: 'info', text: 'z'.repeat(20_000) });
  }
  const held = JSON.stringify(conversation.entries()).length;
  expect(held).toBeGreaterThan(15_000_000);
  expect(held).toBeLessThan(17_500_000);
});

test('an entry that becomes another counts once', () => {
  const conversation = new Conversation();
  const text = 'x'.repeat(1_000_000);
  for (let at = 0; at < 60; at += 1)
    conversation.apply({ kind: 'text', role: 'agent', id: `m${at}`, text: 'kept' });
  for (let at = 0; at < 40; at += 1) {
    conversation.apply({
      kind: 'message',
      role: at % 2 ? 'agent' : 'thought',
      id: 'it',
      fields: { text },
    });
  }
  expect(conversation.entries()).toHaveLength(61);
});
