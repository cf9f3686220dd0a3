import { beforeEach, expect, test } from 'vitest';
import type { CodeQuestion } from '../../src/core/code-runner.ts';
import { Permission } from '../../src/kernel/permission.ts';

let asked: CodeQuestion[];
let withdrawn: string[];
let permission: Permission;

beforeEach(() => {
  asked = [];
  withdrawn = [];
  permission = new Permission({
    ask: async (question) => void asked.push(question),
    withdraw: async (id) => void withdrawn.push(id),
  });
});

const QUESTION = { path: '/w/a.py', kernel: 'python3 of a.py', code: '1' };
const never = new AbortController().signal;
const obtain = (session: string, signal = never) => permission.obtain(session, QUESTION, signal);
const answer = (index: number, allowed: boolean) =>
  permission.answer(asked[index]?.id ?? '', allowed);

test('the user is asked once for each session', async () => {
  const first = obtain('a');
  answer(0, true);
  await first;
  await obtain('a');
  expect(asked).toEqual([{ ...QUESTION, id: expect.any(String) }]);
  const other = obtain('b');
  expect(asked).toHaveLength(2);
  answer(1, true);
  await other;
});

test('a refusal holds for this call; the next one asks again', async () => {
  const refused = obtain('a');
  answer(0, false);
  await expect(refused).rejects.toMatchObject({ code: 'refused' });
  const again = obtain('a');
  expect(asked).toHaveLength(2);
  answer(1, true);
  await again;
});

test('calls that come while the question is open share the answer', async () => {
  const both = [obtain('a'), obtain('a')];
  await Promise.resolve();
  answer(0, true);
  await Promise.all(both);
  expect(asked).toHaveLength(1);
});

test('a cancelled call takes its question away, unless another still waits for it', async () => {
  const first = new AbortController();
  const second = new AbortController();
  const calls = [obtain('a', first.signal), obtain('a', second.signal)];
  first.abort();
  await expect(calls[0]).rejects.toMatchObject({ code: 'cancelled' });
  expect(withdrawn).toEqual([]);
  second.abort();
  await expect(calls[1]).rejects.toMatchObject({ code: 'cancelled' });
  expect(withdrawn).toEqual([asked[0]?.id]);
  answer(0, true);
  const later = obtain('a');
  expect(asked).toHaveLength(2);
  answer(1, true);
  await later;
});

test('an editor that cannot ask fails the call, and the next one asks again', async () => {
  const busy = new Error('busy');
  let fail = true;
  permission = new Permission({
    ask: async (question) => {
      if (fail) throw busy;
      asked.push(question);
    },
    withdraw: async () => {},
  });
  const calls = [obtain('a'), obtain('a')];
  expect(await Promise.allSettled(calls)).toEqual([
    { status: 'rejected', reason: busy },
    { status: 'rejected', reason: busy },
  ]);
  fail = false;
  const again = obtain('a');
  answer(0, true);
  await again;
});
