import { expect, test } from 'vitest';
import { Execution } from '../../src/kernel/execution.ts';
import type { KernelLink, KernelRequest } from '../../src/kernel/link.ts';
import { textOf } from '../support/kernel.ts';

/** Code on a kernel that puts nothing out and replies at once. */
function runWith(content: object) {
  const request: KernelRequest = {
    id: 'x',
    reply: Promise.resolve({ type: 'execute_reply', content, parentId: 'x' }),
    idle: Promise.resolve(),
    dispose() {},
  };
  const link: Pick<KernelLink, 'request'> = { request: () => request };
  const kernel = { link, ended: new Promise<string>(() => {}), interrupt() {} };
  const limits = { timeoutMs: 0, maxOutputBytes: 1_000, maxImageBytes: 100 };
  return new Execution(kernel, 'x', limits).result(new AbortController().signal);
}

test.each([
  [{ status: 'error', ename: 'UsageError', evalue: 'no such magic' }, 'UsageError: no such magic'],
  [{ status: 'error', ename: 'KeyboardInterrupt', evalue: '' }, 'KeyboardInterrupt'],
  [{ status: 'error', ename: 3 }, 'The kernel reported an error without saying which.'],
  [{}, 'The kernel reported an error without saying which.'],
  [
    { status: 'aborted' },
    'The kernel left the code out, because other code failed just before it. Run it again.',
  ],
])('an error that only the reply tells: %j', async (reply, said) => {
  const result = await runWith(reply);
  expect(result.ok).toBe(false);
  expect(textOf(result)).toBe(said);
});
