import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Conversation } from '../../src/session/conversation.ts';
import { OUTPUT_LIMITS } from '../../src/session/limits.ts';
import { BATCH_CHARACTERS, BATCH_OPS, OpQueue } from '../../src/session/op-queue.ts';
import type { ViewOp } from '../../src/session/ports.ts';
import { ShownSession } from '../support/session-doubles.ts';

type Update = Parameters<Conversation['apply']>[0];

const ids = fc.constantFrom('a', 'b', 'c');
const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const state = fc.constantFrom('pending' as const, 'running' as const, 'done' as const);

const update: fc.Arbitrary<Update> = fc.oneof(
  fc.record({
    kind: fc.constant('text' as const),
    role: fc.constantFrom('agent' as const, 'thought' as const),
    text,
  }),
  fc.record({
    kind: fc.constant('text' as const),
    role: fc.constant('agent' as const),
    id: ids.map((id) => `m${id}`),
    text,
  }),
  fc.record({
    kind: fc.constant('message' as const),
    role: fc.constant('agent' as const),
    id: ids.map((id) => `m${id}`),
    fields: fc.record({ text, streaming: fc.boolean() }, { requiredKeys: [] }),
  }),
  fc.record({
    kind: fc.constant('tool' as const),
    id: ids.map((id) => `t${id}`),
    fields: fc.record({ title: text, state, output: text, input: text }, { requiredKeys: [] }),
  }),
  fc.record({
    kind: fc.constant('tool-output' as const),
    id: ids.map((id) => `t${id}`),
    text,
  }),
  fc.record({
    kind: fc.constant('plan' as const),
    items: fc.array(fc.record({ text, state: fc.constant('pending' as const) }), { maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant('notice' as const),
    level: fc.constant('warn' as const),
    text,
  }),
);

type Step =
  | { readonly do: 'update'; readonly update: Update }
  | { readonly do: 'remove'; readonly id: string }
  | { readonly do: 'clear' | 'end' | 'take' }
  | { readonly do: 'say'; readonly text: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: update.map((u): Step => ({ do: 'update', update: u })) },
  { weight: 1, arbitrary: ids.map((id): Step => ({ do: 'remove', id: `t${id}` })) },
  { weight: 4, arbitrary: fc.constant<Step>({ do: 'take' }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'clear' }, { do: 'end' }) },
  { weight: 1, arbitrary: text.map((said): Step => ({ do: 'say', text: said })) },
);

function run(conversation: Conversation, at: Exclude<Step, { do: 'take' }>): readonly ViewOp[] {
  switch (at.do) {
    case 'update':
      return conversation.apply(at.update);
    case 'remove':
      return conversation.remove(at.id);
    case 'clear':
      return conversation.clear();
    case 'end':
      return conversation.endTurn('done');
    case 'say':
      return conversation.say(at.text, []).ops;
    default:
      throw new Error('no such step');
  }
}

describe('a conversation', () => {
  test('a view that is told the changes in any batches shows the conversation itself', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const conversation = new Conversation();
        const queue = new OpQueue();
        const view = new ShownSession();
        for (const at of steps) {
          if (at.do === 'take') for (const op of queue.take()) view.apply(op);
          else for (const op of run(conversation, at)) queue.push(op);
        }
        while (!queue.isEmpty) for (const op of queue.take()) view.apply(op);
        expect([...view.entries.values()]).toEqual(conversation.entries());
      }),
      { numRuns: 500 },
    );
  });

  test('text in any pieces gives the message as a whole', () => {
    const piece = fc.string({ unit: 'binary', minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1 }), (pieces) => {
        const conversation = new Conversation();
        for (const part of pieces) {
          conversation.apply({ kind: 'text', role: 'agent', text: part });
        }
        const [entry, ...others] = conversation.entries();
        expect(others).toEqual([]);
        expect(entry).toMatchObject({ kind: 'agent', text: pieces.join(''), streaming: true });
      }),
    );
  });

  test('a piece of nothing is no message', () => {
    const conversation = new Conversation();
    expect(conversation.apply({ kind: 'text', role: 'agent', text: '' })).toEqual([]);
    expect(conversation.entries()).toEqual([]);
  });

  test('a message told as a whole each time is passed on as what was added', () => {
    const conversation = new Conversation();
    const told = (said: string): readonly ViewOp[] =>
      conversation.apply({ kind: 'message', role: 'agent', id: 'm', fields: { text: said } });
    told('one');
    expect(told('one two')).toEqual([{ op: 'append', id: 'm', field: 'text', text: ' two' }]);
    expect(told('other')).toEqual([{ op: 'patch', id: 'm', fields: { text: 'other' } }]);
  });

  test('a tool call ends the message before it, and later text begins a new one', () => {
    const conversation = new Conversation();
    conversation.apply({ kind: 'text', role: 'agent', text: 'before' });
    conversation.apply({ kind: 'tool', id: 't', fields: { title: 'Read' } });
    conversation.apply({ kind: 'text', role: 'agent', text: 'after' });
    const seen = conversation.entries().map((entry) => ('text' in entry ? entry.text : entry.kind));
    expect(seen).toEqual(['before', 'tool', 'after']);
    expect(conversation.entries()[0]).toMatchObject({ streaming: false });
  });

  test('the end of a turn ends what streams and the tools that run', () => {
    const conversation = new Conversation();
    conversation.apply({ kind: 'tool', id: 't', fields: { title: 'Run' } });
    conversation.apply({ kind: 'text', role: 'agent', text: 'so' });
    conversation.endTurn('cancelled');
    expect(conversation.entries()).toMatchObject([{ state: 'cancelled' }, { streaming: false }]);
  });

  test('of a long output the head and the tail are kept, and what is left out is told', () => {
    const conversation = new Conversation();
    const line = `${'x'.repeat(99)}\n`;
    for (let sent = 0; sent < 50_000; sent += 1) {
      conversation.apply({ kind: 'tool-output', id: 't', text: line });
    }
    conversation.apply({ kind: 'tool-output', id: 't', text: 'the last line' });
    conversation.apply({ kind: 'tool', id: 't', fields: { state: 'done' } });
    const [tool] = conversation.entries();
    const output = tool?.kind === 'tool' ? tool.output : '';
    const left = 50_000 * 100 + 13 - OUTPUT_LIMITS.head - OUTPUT_LIMITS.tail;
    expect(output.slice(0, OUTPUT_LIMITS.head)).toBe(
      line.repeat(2000).slice(0, OUTPUT_LIMITS.head),
    );
    expect(output).toContain(`\n… ${left} characters left out …\n`);
    expect(output.endsWith('the last line')).toBe(true);
  });

  test('a long output goes to the view as it comes, to its end', () => {
    const conversation = new Conversation();
    const line = `${'x'.repeat(99)}\n`;
    let seen = '';
    let whole = '';
    for (let sent = 0; sent < 5_000; sent += 1) {
      whole += `${sent} ${line}`;
      // Some agents tell all of it each time.
      const update =
        sent % 500 === 0
          ? conversation.apply({ kind: 'tool', id: 't', fields: { output: whole } })
          : conversation.apply({ kind: 'tool-output', id: 't', text: `${sent} ${line}` });
      for (const op of update) {
        if (op.op === 'put' && op.entry.kind === 'tool') seen = op.entry.output;
        else if (op.op === 'append') seen += op.text;
        else throw new Error(`it is told by ${op.op}`);
      }
    }
    expect(seen === whole).toBe(true);
  });

  test('the oldest entries go when there are too many', () => {
    const conversation = new Conversation();
    for (let at = 0; at < 5_010; at += 1) {
      conversation.apply({ kind: 'notice', level: 'info', text: String(at) });
    }
    expect(conversation.entries()).toHaveLength(5_000);
    expect(conversation.entries()[0]).toMatchObject({ text: '10' });
  });
});

describe('the queue of changes', () => {
  test('deltas of one entry melt into one change', () => {
    const queue = new OpQueue();
    for (let at = 0; at < 10_000; at += 1) {
      queue.push({ op: 'append', id: 'm', field: 'text', text: 'ab' });
    }
    expect(queue.take()).toEqual([
      { op: 'append', id: 'm', field: 'text', text: 'ab'.repeat(10_000) },
    ]);
    expect(queue.isEmpty).toBe(true);
  });

  test('no batch is larger than the limits', () => {
    const size = fc.integer({ min: 0, max: 3 * BATCH_CHARACTERS });
    const entry = fc.tuple(fc.constantFrom('a', 'b', 'c'), size, fc.boolean());
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 100 }), (entries) => {
        const queue = new OpQueue();
        for (const [id, length, put] of entries) {
          const long = '𝄞'.repeat(length / 2);
          if (put) queue.push({ op: 'put', entry: { id, kind: 'agent', text: long } });
          else queue.push({ op: 'append', id, field: 'text', text: long });
        }
        while (!queue.isEmpty) {
          const batch = queue.take();
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(BATCH_OPS);
          const characters = batch.map((op) => JSON.stringify(op).length);
          const total = characters.reduce((sum, count) => sum + count, 0);
          expect(total).toBeLessThan(BATCH_CHARACTERS + BATCH_OPS * 200);
          expect(batch.map((op) => JSON.stringify(op)).join('')).not.toMatch(/\\ud/);
        }
      }),
      { numRuns: 50 },
    );
  });

  test.each(['put', 'append', 'patch'] as const)('what waits after a %s is bounded', (kind) => {
    const queue = new OpQueue();
    if (kind === 'put') queue.push({ op: 'put', entry: { id: 'm', kind: 'agent', text: '' } });
    if (kind === 'patch') queue.push({ op: 'patch', id: 'm', fields: { text: 'a' } });
    for (let megabyte = 0; megabyte < 20; megabyte += 1) {
      queue.push({ op: 'append', id: 'm', field: 'text', text: 'x'.repeat(1024 * 1024) });
    }
    queue.push({ op: 'append', id: 'm', field: 'text', text: 'the end' });
    let told = '';
    while (!queue.isEmpty) {
      for (const op of queue.take()) {
        if (op.op === 'put' && op.entry.kind === 'agent') told += op.entry.text;
        if (op.op === 'append') told += op.text;
        if (op.op === 'patch') told += op.fields.text ?? '';
      }
    }
    expect(told.length).toBeLessThan(3 * 1024 * 1024);
    expect(told).toMatch(/characters left out/u);
    expect(told.endsWith('the end')).toBe(true);
  });

  test('only the latest status waits', () => {
    const queue = new OpQueue();
    const base = {
      agent: 'x',
      state: 'connected' as const,
      busy: false,
      progress: [],
      waiting: 0,
      queued: 0,
      abilities: { pause: false, reset: false, list: false, load: false, images: false },
    };
    for (let waiting = 0; waiting < 100; waiting += 1) {
      queue.push({ op: 'status', status: { ...base, waiting } });
    }
    expect(queue.take()).toEqual([{ op: 'status', status: { ...base, waiting: 99 } }]);
  });
});
