import { expect, test } from 'vitest';
import { OpenCalls } from '../../src/protocol/open-calls.ts';

test('two calls of one id are both worked on, each once', () => {
  const calls = new OpenCalls();
  calls.open(1, { name: 'a' });
  calls.open(1, { name: 'b' });
  expect(calls.take(1)?.params).toEqual({ name: 'a' });
  expect(calls.take(1)?.params).toEqual({ name: 'b' });
  expect(calls.take(1)).toBeUndefined();
  calls.answered(1);
  expect(calls.size).toBe(1);
  calls.answered(1);
  calls.answered(1);
  expect(calls.size).toBe(0);
});

test('a number and the same digits as text are two ids', () => {
  const calls = new OpenCalls();
  calls.open(1, {});
  calls.open('1', {});
  calls.cancel('1');
  expect(calls.take(1)?.signal.aborted).toBe(false);
  expect(calls.take('1')?.signal.aborted).toBe(true);
});

test('knows the repetition of a call only while the call is open', () => {
  const calls = new OpenCalls();
  calls.open('', { name: 'a', arguments: { x: [1] } });
  expect(calls.isRepeat('', { name: 'a', arguments: { x: [1] } })).toBe(true);
  expect(calls.isRepeat('', { name: 'a', arguments: { x: [2] } })).toBe(false);
  calls.answered('');
  expect(calls.isRepeat('', { name: 'a', arguments: { x: [1] } })).toBe(false);
});

test('is idle when the last call is answered, or when the limit is over', async () => {
  const calls = new OpenCalls();
  await calls.idle(60_000);
  calls.open(1, {});
  calls.open(2, {});
  const idle = calls.idle(60_000);
  calls.answered(1);
  calls.answered(2);
  await idle;
  calls.open(3, {});
  await calls.idle(1);
  expect(calls.size).toBe(1);
});

test('cancelling all reaches each open call', () => {
  const calls = new OpenCalls();
  calls.open(0, {});
  calls.open('', {});
  calls.abortAll();
  expect(calls.take(0)?.signal.aborted).toBe(true);
  expect(calls.take('')?.signal.aborted).toBe(true);
});
