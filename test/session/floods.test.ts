/** An agent that says more than anybody could follow. */
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { BusLink } from '../../src/bus/link.ts';
import { Conversation } from '../../src/session/conversation.ts';
import type { SessionSink } from '../../src/session/ports.ts';
import { WsClient } from '../../src/transport/pipe/ws-client.ts';
import { BusAgent } from '../support/bus-agent.ts';
import { LiveSession } from '../support/live-session.ts';

let agent: BusAgent;
let live: LiveSession;
let sink: SessionSink;
/** What the session asks of the editor, held up until the test opens the gate. */
let asked: string[];
let gate: { readonly passed: Promise<void>; open(): void };

const openFiles = ['/w/open', '/w/too'];

beforeEach(async () => {
  agent = await BusAgent.listen();
  asked = [];
  gate = closedGate();
  live = new LiveSession({
    folder: '/w',
    editor: {
      openFiles: async () => openFiles,
      openFile: (path) => held(`open ${path}`),
      reloadFiles: (paths) => held(`reload ${paths.join(' ')}`),
    },
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
  gate.open();
  await live.dispose();
  await agent.dispose();
});

const raw = (type: string, data: object): void => agent.raw(JSON.stringify({ type, data }));

function closedGate() {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

async function held(what: string): Promise<void> {
  asked.push(what);
  await gate.passed;
}

/** Until the agent was heard to the end. */
async function heard(): Promise<void> {
  raw('message_added', { id: 'last', role: 'assistant', content: 'that was all' });
  await live.eventually(() => expect(live.shown.entries.has('message last')).toBe(true));
}

const many = (count: number, make: (at: number) => [string, object]): void => {
  for (let at = 0; at < count; at += 1) raw(...make(at));
};

/** The same where the view is held up. */
async function read(): Promise<void> {
  raw('ping', {});
  await agent.hears('pong');
}

describe('a flood', () => {
  test('of notices is told in one line, and comes up elsewhere a few times only', async () => {
    many(6_000, (at) => ['error', { message: `error ${at}\n${'x'.repeat(500)}` }]);
    await heard();
    const folded = live.entries.find(({ id }) => id.startsWith('#folded'));
    expect(folded).toMatchObject({ kind: 'notice', level: 'error' });
    const shown = live.entries.length - 2;
    expect(shown).toBeGreaterThanOrEqual(50);
    // Ten more for each second that it took.
    expect(shown).toBeLessThan(600);
    const rest = (6_000 - shown).toLocaleString('en');
    expect(folded).toHaveProperty('text', expect.stringContaining(`… and ${rest} more notices`));
    expect(folded).toHaveProperty('text', expect.stringContaining('the last: error 5999 xxx'));
    expect(live.view.notices[0]).toMatch(/^error: it: error 0 x+…$/u);
    expect(live.view.notices[5]).toBe('error: it: more stands in the conversation');
    expect(live.view.notices.length).toBeLessThan(20);
  });

  test('of notices hides none of the session itself', async () => {
    many(1_000, (at) => ['info', { message: `info ${at}` }]);
    await heard();
    agent.hangUp(1002);
    await live.state('failed');
    await live.eventually(() =>
      expect(live.entries.at(-1)).toMatchObject({
        level: 'error',
        text: live.shown.status?.detail,
      }),
    );
  });

  test('of changed files is looked at a few at a time, each once', async () => {
    many(1_000, (at) => ['file_changed', { path: `f${at % 100}` }]);
    await heard();
    expect(asked).toEqual(['reload /w/f0']);
    gate.open();
    const files = () => asked.flatMap((what) => what.split(' ').slice(1));
    // The first may have changed again since.
    await live.eventually(() => expect(files()).toHaveLength(101));
    expect(new Set(files()).size).toBe(100);
    expect(asked).toHaveLength(11);
  });

  test('of more changed files than could be kept has all that are open looked at', async () => {
    many(5_000, (at) => ['file_changed', { path: `f${at}` }]);
    await heard();
    gate.open();
    await live.eventually(() => expect(asked.join(' ')).toContain('/w/open /w/too'));
    expect(asked.length).toBeLessThan(110);
  });

  test('of files to open opens one at a time, and of those that wait the last', async () => {
    many(1_000, (at) => ['open_file', { path: `f${at % 500}` }]);
    await heard();
    expect(asked).toEqual(['open /w/f0']);
    gate.open();
    await live.eventually(() => expect(asked.at(-1)).toBe('open /w/f499'));
    expect(asked).toHaveLength(21);
  });

  test('of edits is rejected past the fiftieth that waits, and that is said once', async () => {
    many(60, (at) => ['show_diff', { filePath: `f${at}`, newContent: 'x' }]);
    await agent.hears('reject_edit', 10);
    expect(agent.of('reject_edit')[0]?.data).toEqual({
      filePath: 'f50',
      reason: '50 edits wait for review',
    });
    expect(live.reviews).toHaveLength(50);
    await live.eventually(() =>
      expect(live.entries).toMatchObject([
        { text: '50 edits wait for review; further ones are rejected.' },
      ]),
    );
  });

  test('of requests is declined past the thousandth that waits, and that is said once', async () => {
    many(1_010, (at) => ['permission_request', { id: `p${at}`, tool: 'x' }]);
    await agent.hears('permission_decision', 10);
    expect(agent.of('permission_decision')[0]?.data).toEqual({ id: 'p1000', allow: false });
    await live.eventually(() => expect(live.shown.status?.waiting).toBe(1_000));
    expect(live.entries).toMatchObject([{ kind: 'notice', level: 'warn' }]);
  });

  test('of large requests is declined where they would fill the memory', async () => {
    const content = 'x'.repeat(5_000_000);
    many(8, (at) => [
      'permission_request',
      { id: `p${at}`, tool: 'Write', input: { file_path: `f${at}`, content } },
    ]);
    await agent.hears('permission_decision', 2);
    expect(agent.of('permission_decision').map(({ data }) => data)).toEqual([
      { id: 'p6', allow: false },
      { id: 'p7', allow: false },
    ]);
  });

  test('of progress shows the last eight', async () => {
    many(1_000, (at) => ['progress', { id: `${at}`, stage: `s${at}`, percent: 1 }]);
    await live.eventually(() =>
      expect(live.shown.status?.progress.map(({ id }) => id)).toEqual(
        Array.from({ length: 8 }, (_, at) => `${992 + at}`),
      ),
    );
  });
});

describe('while an agent floods', () => {
  beforeEach(() => {
    live.view.onApply = () => gate.passed;
  });

  test('a request and the state do not wait for the rest', async () => {
    many(3_000, (at) => ['tool_use_start', { id: `t${at}`, name: 'Read' }]);
    raw('permission_request', { id: 'p', tool: 'Bash' });
    await read();
    gate.open();
    await live.prompted('permission');
    expect(live.shown.status).toMatchObject({ waiting: 1, busy: true });
    expect(live.entries.length).toBeLessThan(500);
    await live.eventually(() => expect(live.entries).toHaveLength(3_000));
  });

  test('a view that takes nothing is owed no more than a whole conversation', async () => {
    many(20_000, (at) => ['tool_use_start', { id: `t${at}`, name: 'Read' }]);
    for (let at = 0; at < 500; at += 1) {
      raw('permission_request', { id: `p${at}`, tool: 'x' });
      raw('permission_response', { id: `p${at}` });
    }
    await read();
    gate.open();
    await live.eventually(() => expect(live.entries.at(-1)?.id).toBe('tool t19999'));
    expect(live.view.batches.flatMap(({ ops }) => ops).length).toBeLessThan(5_200);
    expect(live.entries).toHaveLength(5_000);
    expect(live.shown.prompt).toBeUndefined();
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

test('a part of a long text does not keep the whole of it in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = z.custom<() => void>().parse(runInNewContext('gc'));
  const conversation = new Conversation();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < 60; at += 1) {
    const long = `${at}${'x'.repeat(5_000_000)}`;
    const fields = { title: long, input: long, output: long };
    conversation.apply({ kind: 'tool', id: `t${at}`, fields });
    conversation.apply({ kind: 'text', role: 'agent', id: `m${at}`, text: long });
  }
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(80_000_000);
});
