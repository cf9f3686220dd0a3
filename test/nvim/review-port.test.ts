/** How long a review may take to open, on a Neovim that is slow or does not answer. */
import { expect, test } from 'vitest';
import { BridgeError } from '../../src/core/errors.ts';
import type { NvimCalls } from '../../src/nvim/calls.ts';
import { reviewPort } from '../../src/nvim/review-port.ts';

const SETTINGS = { layout: 'vertical', focus: true, jump: true } as const;
const LIMITS = { openMs: 100, attemptMs: 100, closeMs: 100 };

/** Opens a review of some slices on a Neovim of which each step takes this long. */
async function open(stepMs: number, slices: number): Promise<string[]> {
  const done: string[] = [];
  const calls: NvimCalls = {
    lua(method, _params, _schema, limitMs = Number.POSITIVE_INFINITY) {
      const answered = stepMs <= limitMs;
      return new Promise((resolve, reject) => {
        const settle = () => {
          if (!answered) return reject(new BridgeError('editor-busy', 'busy'));
          done.push(method);
          resolve(undefined as never);
        };
        setTimeout(settle, Math.min(stepMs, limitMs));
      });
    },
  };
  const proposal = `${'x'.repeat(300_000)}\n`.repeat(slices);
  const view = { id: '1', oldPath: '/a', newPath: '/a', title: 't', editable: true, proposal };
  await reviewPort(calls, SETTINGS, LIMITS).openReview(view, new AbortController().signal);
  return done;
}

test('a long proposal may take its time, as long as Neovim takes slice after slice', async () => {
  expect(await open(30, 6)).toEqual([
    'review.prepare',
    ...Array.from({ length: 5 }, () => 'review.fill'),
    'review.open',
  ]);
});

test('a Neovim that takes none is waited for once', async () => {
  const before = performance.now();
  await expect(open(10_000, 6)).rejects.toMatchObject({ code: 'editor-busy' });
  expect(performance.now() - before).toBeLessThan(2_000);
});
