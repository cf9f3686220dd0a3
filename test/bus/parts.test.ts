import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  agentMessages,
  editorWishes,
  isAgentMessageType,
  parseAgentMessage,
} from '../../src/bus/agent-messages.ts';
import { backoff } from '../../src/bus/backoff.ts';
import { type EditorMessage, editorMessages, worthOf } from '../../src/bus/editor-messages.ts';
import { decode, encode } from '../../src/bus/envelope.ts';
import { BATCH, CAPACITY, type Queued, SendQueue } from '../../src/bus/send-queue.ts';
import { StateMachine } from '../../src/bus/state-machine.ts';
import type { LinkState } from '../../src/session/model.ts';

describe('the envelope', () => {
  test('carries binary data as base64, both ways and at any depth', () => {
    const text = encode({ type: 'attachment', data: { parts: [Buffer.from('ä'), 1] }, id: '7' });
    expect(text).toBe(
      '{"type":"attachment","data":{"parts":[{"__type":"Buffer","data":"w6Q="},1]},"id":"7"}',
    );
    expect(decode(text)).toEqual({
      problems: [],
      messages: [{ type: 'attachment', data: { parts: [Buffer.from('ä'), 1] }, id: '7' }],
    });
  });

  test('comes back as it was sent', () => {
    const bytes = fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array));
    const data = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), bytes, tie('list'), tie('map')),
      list: fc.array(tie('value'), { maxLength: 3 }),
      map: fc.dictionary(fc.stringMatching(/^[a-z]+$/), tie('value'), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    }));
    fc.assert(
      fc.property(data.value, (value) => {
        const message = { type: 'x', data: value };
        expect(decode(encode(message))).toEqual({ messages: [message], problems: [] });
      }),
    );
  });

  test('may be one of a list', () => {
    expect(decode('[{"type":"ping"},{"type":"info","data":{"message":"m"}}]')).toMatchObject({
      messages: [{ type: 'ping' }, { type: 'info' }],
    });
  });

  test('that is broken is a problem, not a failure', () => {
    for (const text of ['', '{', 'null', '3', '{"data":1}', '{"type":""}', '[[]]', '{"type":3}']) {
      expect(decode(text)).toMatchObject({ messages: [], problems: [expect.any(String)] });
    }
    fc.assert(fc.property(fc.string(), (text) => void decode(text)));
  });

  test('with a false mark of binary data is left as it is', () => {
    const data = { __type: 'Buffer', data: 5 };
    expect(decode(JSON.stringify({ type: 'x', data }))).toMatchObject({ messages: [{ data }] });
  });
});

describe('the messages', () => {
  test('are the 31 types of an agent and the 22 of an editor', () => {
    expect(Object.keys(agentMessages)).toHaveLength(31);
    const own = Object.keys(editorMessages).filter((type) => type !== 'elicitation_response');
    expect(own).toHaveLength(22);
    expect(Object.keys(editorWishes)).toEqual(['open_file', 'show_diff']);
  });

  /** One message of each type, in the form of either list. */
  const examples: Record<string, unknown[]> = {
    message_added: [{ id: 'm', role: 'assistant', content: 'x' }, { message: { content: [] } }],
    message_updated: [{ id: 'm', content: [{ type: 'text', text: 'x' }] }],
    message_removed: [{ id: 'm' }, { id: 3 }],
    tool_use_start: [
      { id: 't', name: 'Bash', input: {} },
      { id: 't', name: 'x', agent: 'a' },
    ],
    tool_use_delta: [{ id: 't', partial: 'x' }],
    tool_use_result: [
      { id: 't', result: 'x', isError: false },
      { id: 't', durationMs: 3 },
    ],
    cost_update: [
      { cost: 1, tokens: 2, model: 'm' },
      { cost: 1, tokens: { input: 1, output: 2 }, model: 'm', totalCost: 3, totalTokens: 4 },
    ],
    status: [
      { sessions: 1, uptime: 2, memory: 3 },
      { sessions: [], model: 'm' },
    ],
    file_changed: [{ path: 'a' }, { path: 'a', kind: 'deleted' }],
    file_created: [{ path: 'a' }],
    file_deleted: [{ path: 'a' }],
    permission_request: [
      { tool: 'x', input: {}, reason: 'r' },
      { id: 'p', tool: 'x' },
    ],
    permission_response: [{ decision: 'allow' }],
    plan_approval_request: [{ plan: 'p' }, { id: 'p', plan: { steps: [] }, agent: 'a' }],
    plan_approval_response: [{ approved: true }, { approved: false, reason: 'r' }],
    question_request: [
      { question: 'q', options: ['a'] },
      { id: 'q', question: 'q', options: [{ label: 'a' }], multiSelect: true },
    ],
    question_response: [{ answer: 'a' }],
    selection_change: [{ text: 't', path: 'p', range: {} }],
    ide_state: [{ openFiles: [], activeFile: 'a' }, { recentFiles: [] }],
    ping: [undefined, {}],
    pong: [undefined],
    error: [{ code: 'c', message: 'm', stack: 's' }, { message: 'm' }],
    warning: [{ message: 'm' }],
    info: [{ message: 'm' }],
    progress: [
      { stage: 's', percent: 5 },
      { id: 'p', stage: 's', percent: 5, message: 'm' },
    ],
    elicitation: [{ schema: {} }, { id: 'e', schema: {}, message: 'm' }],
    elicitation_response: [{ answer: {} }],
    attachment: [
      { path: 'a', type: 'file', size: 3 },
      { path: 'a', mime: 'text/plain' },
    ],
    command_output: [{ stdout: 'a', stderr: 'b' }, {}],
    diagnostic: [{ level: 'error', message: 'm', source: 's' }],
    telemetry_event: [{ event: 'e', properties: {} }],
    open_file: [{ path: 'a' }, { path: 'a', line: 3, column: 1 }],
    show_diff: [{ filePath: 'a', oldContent: '', newContent: '' }],
  };

  test.each(Object.keys(agentMessages).concat(Object.keys(editorWishes)))('%s', (type) => {
    expect(isAgentMessageType(type)).toBe(true);
    if (!isAgentMessageType(type)) return;
    expect(examples[type]).toBeDefined();
    for (const data of examples[type] ?? []) {
      expect(parseAgentMessage(type, data, undefined)).toHaveProperty('message');
    }
    // A type that carries data does not take any odd thing for it.
    const needsData = type !== 'ping' && type !== 'pong';
    expect('problem' in parseAgentMessage(type, 'odd', undefined)).toBe(needsData);
  });

  test('of other names are not known', () => {
    for (const type of ['__proto__', 'toString', 'user_input', '']) {
      expect(isAgentMessageType(type)).toBe(false);
    }
  });
});

describe('the send queue', () => {
  const item = (type: string, at: number, log: string[]): Queued => ({
    message: { type } as EditorMessage,
    key: type,
    text: `${type} ${at}`,
    worth: worthOf(type),
    onSent: () => {},
    onDropped: () => void log.push(`${type} ${at}`),
  });

  test('never drops the user’s word, keeps its order, and is bounded but for it', () => {
    const type = fc.constantFrom(
      'user_input',
      'permission_decision',
      'apply_edit',
      'reject_edit',
      'cancel_request',
      'selection_changed',
      'file_saved',
      'progress',
    );
    const step = fc.oneof(type, fc.constantFrom('take', 'fail'));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const queue = new SendQueue();
        const dropped: string[] = [];
        const sent: string[] = [];
        const said: string[] = [];
        steps.forEach((at, index) => {
          if (at === 'take') sent.push(...queue.take().map((one) => one.text));
          else if (at === 'fail') queue.putBack(queue.take());
          else {
            queue.enqueue(item(at, index, dropped));
            if (worthOf(at) === 'never') said.push(`${at} ${index}`);
          }
        });
        while (queue.size > 0) {
          const batch = queue.take();
          expect(batch.length).toBeLessThanOrEqual(BATCH);
          sent.push(...batch.map((one) => one.text));
        }
        expect(sent.filter((text) => said.includes(text))).toEqual(said);
        expect(dropped.filter((text) => said.includes(text))).toEqual([]);
      }),
    );
  });

  test('makes room for the user’s word by dropping what is worth less', () => {
    const queue = new SendQueue();
    const dropped: string[] = [];
    queue.enqueue(item('selection_changed', 0, dropped));
    for (let at = 1; at < CAPACITY; at += 1) queue.enqueue(item('user_input', at, dropped));
    expect(queue.enqueue(item('user_input', CAPACITY, dropped))).toBe('queued');
    expect(dropped).toEqual(['selection_changed 0']);
    expect(queue.size).toBe(CAPACITY);
    expect(queue.enqueue(item('set_ide_theme', 1, dropped))).toBe('dropped');
    expect(queue.enqueue(item('apply_edit', 1, dropped))).toBe('queued');
    expect(queue.size).toBe(CAPACITY + 1);
  });

  test('keeps only the newest of what tells the same', () => {
    const queue = new SendQueue();
    const dropped: string[] = [];
    queue.enqueue(item('selection_changed', 1, dropped));
    expect(queue.enqueue(item('selection_changed', 2, dropped))).toBe('replaced');
    expect(queue.take().map((one) => one.text)).toEqual(['selection_changed 2']);
    expect(dropped).toEqual(['selection_changed 1']);
  });
});

describe('reconnection', () => {
  test('waits 1 s, doubling to 30 s, give or take a fifth', () => {
    const middle = [0, 1, 2, 3, 4, 5, 50].map((attempt) => backoff(attempt, () => 0.5));
    expect(middle).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    fc.assert(
      fc.property(fc.nat(40), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, random) => {
        const base = Math.min(1000 * 2 ** attempt, 30_000);
        const wait = backoff(attempt, () => random);
        expect(wait).toBeGreaterThanOrEqual(base * 0.8);
        expect(wait).toBeLessThanOrEqual(base * 1.2);
      }),
    );
  });
});

describe('the state machine', () => {
  const states: LinkState[] = [
    'disconnected',
    'connecting',
    'handshaking',
    'connected',
    'paused',
    'failed',
  ];

  test('goes the ways of the diagram', () => {
    const seen: LinkState[] = [];
    const machine = new StateMachine((state) => seen.push(state));
    const ways: LinkState[] = ['connecting', 'handshaking', 'connected', 'paused', 'connected'];
    for (const state of [...ways, 'disconnected', 'connecting', 'failed', 'connecting'] as const) {
      expect(machine.to(state)).toBe(true);
    }
    expect(seen).toHaveLength(9);
  });

  test('is connected only after a handshake, and paused only while connected', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...states)), (wishes) => {
        const seen: LinkState[] = ['disconnected'];
        const machine = new StateMachine((state) => seen.push(state));
        for (const wish of wishes) machine.to(wish);
        seen.forEach((state, at) => {
          const before = seen[at - 1];
          if (state === 'connected') expect(['handshaking', 'paused']).toContain(before);
          if (state === 'paused') expect(before).toBe('connected');
          if (state === 'handshaking') expect(before).toBe('connecting');
        });
      }),
    );
  });
});
