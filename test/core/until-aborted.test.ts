import { expect, test } from 'vitest';
import { untilAborted } from '../../src/core/until-aborted.ts';

const never = new Promise<never>(() => {});

test('gives what the step gives', async () => {
  const { signal } = new AbortController();
  await expect(untilAborted(Promise.resolve(7), signal)).resolves.toBe(7);
  await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
});

test.each(['before', 'meanwhile'])(
  'rejects with the reason of a signal that aborts %s',
  async (when) => {
    const over = new AbortController();
    if (when === 'before') over.abort(new Error('given up'));
    const waiting = untilAborted(never, over.signal);
    over.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
  },
);
