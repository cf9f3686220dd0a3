/** How long a poll for diagnostics waits, and for what. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Diagnostics } from '../../src/core/diagnostics.ts';
import type { FileDiagnostics } from '../../src/core/ports.ts';
import { Privacy } from '../../src/core/privacy.ts';

const A = '/x/a.ts';
const none = new AbortController().signal;

let diagnostics: Diagnostics;
let known: FileDiagnostics[];
let servers: Set<string>;
let reloaded: string[][];
let reads: number[];

beforeEach(() => {
  vi.useFakeTimers();
  known = [{ path: A, diagnostics: [] }];
  servers = new Set([A]);
  reloaded = [];
  reads = [];
  diagnostics = new Diagnostics({
    privacy: new Privacy(),
    port: {
      diagnostics: async (path) => {
        reads.push(Date.now());
        return path === undefined ? known : known.filter((file) => file.path === path);
      },
      document: async (path) => ({
        path,
        isDirty: false,
        isUntitled: false,
        hasLanguageServer: servers.has(path),
      }),
      reloadFiles: async (paths) => void reloaded.push([...paths]),
    },
  });
});
afterEach(() => vi.useRealTimers());

/** How long the poll takes, ms, when what `during` schedules happens meanwhile. */
async function poll(during: () => void = () => {}, signal = none): Promise<number> {
  const began = Date.now();
  let ended: number | undefined;
  const done = diagnostics.ofAllFiles(signal).then(() => {
    ended = Date.now();
  });
  during();
  await vi.advanceTimersByTimeAsync(5_000);
  await done;
  return (ended ?? Number.NaN) - began;
}

test('a poll that nothing was written before answers at once', async () => {
  expect(await poll()).toBe(0);
  expect(reloaded).toEqual([]);
});

test('a poll right after a write waits for news of the file, and until they settle', async () => {
  diagnostics.expectWrite(A);
  expect(await poll(() => setTimeout(() => diagnostics.changed([A]), 300))).toBe(400);
  expect(reloaded).toEqual([[A]]);
});

test('news in steps are awaited while they come', async () => {
  diagnostics.expectWrite(A);
  const publish = () => diagnostics.changed([A]);
  expect(await poll(() => [200, 280, 360].forEach((ms) => void setTimeout(publish, ms)))).toBe(460);
});

test('the wait ends in time for the client, also where no news come', async () => {
  diagnostics.expectWrite(A);
  const took = await poll(() => setTimeout(() => diagnostics.changed(['/x/other.ts']), 100));
  expect(took).toBeGreaterThan(500);
  expect(took).toBeLessThan(1_000);
  expect(await poll()).toBe(0);
});

test('a file that nobody looks at is not waited for', async () => {
  servers.clear();
  diagnostics.expectWrite(A);
  expect(await poll()).toBe(0);
});

test('a file that a linter without a server looks at is waited for', async () => {
  servers.clear();
  diagnostics.changed([A]);
  diagnostics.expectWrite(A);
  expect(await poll(() => setTimeout(() => diagnostics.changed([A]), 300))).toBe(400);
});

test('news that came before the poll are not waited for again', async () => {
  diagnostics.expectWrite(A);
  diagnostics.shown([A]);
  diagnostics.changed([A]);
  expect(await poll()).toBe(0);
});

test('news of the text before the write are not those that are waited for', async () => {
  diagnostics.expectWrite(A);
  diagnostics.changed([A]);
  expect(await poll(() => setTimeout(() => diagnostics.changed([A]), 300))).toBe(400);
});

test('a write long ago is not waited for', async () => {
  diagnostics.expectWrite(A);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await poll()).toBe(0);
});

test('asking for one file announces its writing, and answers at once', async () => {
  await diagnostics.ofFile(A);
  expect(reads).toEqual([Date.now()]);
  expect(await poll(() => setTimeout(() => diagnostics.changed([A]), 300))).toBe(400);
});

test('a withdrawn poll waits no longer', async () => {
  diagnostics.expectWrite(A);
  const controller = new AbortController();
  const took = await poll(() => setTimeout(() => controller.abort(), 200), controller.signal);
  expect(took).toBe(200);
});

test('an editor that does not reload costs no more than the limit', async () => {
  const stuck = new Diagnostics({
    privacy: new Privacy(),
    port: {
      diagnostics: async () => [],
      document: () => new Promise(() => {}),
      reloadFiles: () => new Promise(() => {}),
    },
  });
  stuck.expectWrite(A);
  const done = stuck.ofAllFiles(none);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await done).toEqual([]);
});

test('excluded files are told to nobody', async () => {
  const secret = '/x/.env';
  const entry = (path: string): FileDiagnostics => ({
    path,
    diagnostics: [{ message: 'SECRET', severity: 'error', range: { start: zero, end: zero } }],
  });
  known = [entry(A), entry(secret)];
  expect((await diagnostics.ofAllFiles(none)).map(({ path }) => path)).toEqual([A]);
  expect(await diagnostics.ofFile(secret)).toEqual({ path: secret, diagnostics: [] });
});

const zero = { line: 0, character: 0 as never };
