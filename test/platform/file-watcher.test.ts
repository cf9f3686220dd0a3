import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FileWatcher, type FileWatcherLimits } from '../../src/platform/file-watcher.ts';
import { MemoryLogger } from '../support/logger.ts';
import { tempDir } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

let folder: string;
let told: string[][];
let watcher: FileWatcher | undefined;

const realStat = fs.statSync as (name: fs.PathLike, options: object) => fs.Stats | undefined;

beforeEach(() => {
  folder = tempDir();
  told = [];
});
afterEach(() => {
  watcher?.dispose();
  vi.restoreAllMocks();
  fs.rmSync(folder, { recursive: true, force: true });
});

function start(limits: Partial<FileWatcherLimits> = {}): FileWatcher {
  watcher = new FileWatcher({
    logger: new MemoryLogger(),
    onChange: (paths) => told.push([...paths].sort()),
    limits: { settleMs: 20, pollMs: 10, recentMs: -1_000, goneMs: 100, ...limits },
  });
  return watcher;
}

function file(name: string, content = 'one\n'): string {
  const full = path.join(folder, name);
  fs.mkdirSync(path.dirname(full), { recursive: true });
  fs.writeFileSync(full, content);
  return full;
}

test.each([
  ['written', (name: string) => fs.writeFileSync(name, 'longer\n')],
  ['appended to', (name: string) => fs.appendFileSync(name, 'more\n')],
  ['deleted', (name: string) => fs.rmSync(name)],
  [
    'replaced by a renamed file',
    (name: string) => {
      fs.writeFileSync(`${name}.tmp`, 'one\n');
      fs.renameSync(`${name}.tmp`, name);
    },
  ],
])('a file that is %s is told', async (_, change) => {
  const name = file('a.txt');
  start().watch([name]);
  change(name);
  await expect.poll(() => told).toEqual([[name]]);
});

test('a file that is deleted and comes back is told once, as there', async () => {
  const name = file('a.txt');
  const states: boolean[] = [];
  watcher = new FileWatcher({
    logger: new MemoryLogger(),
    onChange: () => states.push(fs.existsSync(name)),
    limits: { settleMs: 5, goneMs: 2_000, recentMs: -1_000 },
  });
  watcher.watch([name]);
  const stat = vi.spyOn(fs, 'statSync');
  fs.rmSync(name);
  await expect.poll(() => stat.mock.results.some(({ value }) => value === undefined)).toBe(true);
  fs.writeFileSync(name, 'back\n');
  await expect.poll(() => states).toEqual([true]);
  fs.rmSync(name);
  await expect.poll(() => states).toEqual([true, false]);
});

test('a file that appears is told', async () => {
  const name = path.join(folder, 'new.txt');
  start().watch([name]);
  fs.writeFileSync(name, 'one\n');
  await expect.poll(() => told.flat()).toContain(name);
});

test('a file that was changed just before its watch began is told once', async () => {
  const [fresh, old] = [file('fresh.txt'), file('old.txt')];
  const files = start({ recentMs: 5_000 });
  vi.spyOn(fs, 'statSync').mockImplementation(((
    name: fs.PathLike,
    options: { bigint?: boolean },
  ) => {
    const stat = realStat(name, options);
    if (stat && name === old && !options.bigint) stat.ctimeMs -= 6_000;
    return stat;
  }) as never);
  files.watch([fresh, old]);
  expect(told).toEqual([[fresh]]);
  files.watch([fresh, old]);
  fs.writeFileSync(old, 'changed\n');
  await expect.poll(() => told).toEqual([[fresh], [old]]);
});

test.each([
  ['the file', 'link.txt', (real: string) => real],
  ['the folder', 'link/a.txt', (real: string) => path.dirname(real)],
])('a change behind a link to %s is told', async (_, name, target) => {
  const real = file('real/a.txt');
  const link = path.join(folder, 'links', name.split('/')[0] ?? '');
  fs.mkdirSync(path.dirname(link));
  fs.symlinkSync(target(real), link);
  const seen = path.join(folder, 'links', name);
  start().watch([seen]);
  fs.writeFileSync(real, 'changed\n');
  await expect.poll(() => told).toEqual([[seen]]);
});

test('a link that leads elsewhere is told, and then what happens there', async () => {
  const [one, two] = [file('one/a.txt'), file('two/a.txt', 'other\n')];
  const link = path.join(folder, 'link.txt');
  fs.symlinkSync(one, link);
  start().watch([link]);
  fs.symlinkSync(two, `${link}.new`);
  fs.renameSync(`${link}.new`, link);
  await expect.poll(() => told).toEqual([[link]]);
  fs.writeFileSync(two, 'changed\n');
  await expect.poll(() => told).toEqual([[link], [link]]);
});

test('a folder that goes and comes back is watched again', async () => {
  const name = file('sub/deep/a.txt');
  start().watch([name]);
  fs.rmSync(path.join(folder, 'sub'), { recursive: true });
  await expect.poll(() => told).toEqual([[name]]);
  file('sub/deep/a.txt', 'back\n');
  await expect.poll(() => told).toEqual([[name], [name]]);
  fs.writeFileSync(name, 'changed\n');
  await expect.poll(() => told).toEqual([[name], [name], [name]]);
});

test('a folder that is replaced at once is watched again', async () => {
  const name = file('sub/a.txt');
  start().watch([name]);
  fs.renameSync(path.join(folder, 'sub'), path.join(folder, 'before'));
  file('sub/a.txt', 'another\n');
  await expect.poll(() => told).toEqual([[name]]);
  fs.writeFileSync(name, 'changed\n');
  await expect.poll(() => told).toEqual([[name], [name]]);
});

test('a file in a folder that does not exist yet is told when it appears', async () => {
  const name = path.join(folder, 'new/er/a.txt');
  start().watch([name]);
  file('new/er/a.txt');
  await expect.poll(() => told.at(-1)).toEqual([name]);
});

test('many changes at once are told together, other files not at all', async () => {
  const names = ['a', 'b', 'c'].map((name) => file(name));
  const other = file('other');
  start({ settleMs: 100 }).watch(names);
  for (const name of [...names, other]) fs.writeFileSync(name, 'changed\n');
  await expect.poll(() => told).toEqual([names]);
});

test('what is no longer watched is not told', async () => {
  const [a, b] = [file('a'), file('sub/b')];
  const files = start();
  files.watch([a, b]);
  files.watch([b]);
  fs.writeFileSync(a, 'changed\n');
  fs.writeFileSync(b, 'changed\n');
  await expect.poll(() => told).toEqual([[b]]);
});

test('an expected write is seen where no watch is possible', async () => {
  vi.spyOn(fs, 'watch').mockImplementation(() => {
    throw new Error('no watches left');
  });
  const name = path.join(folder, 'not/there/yet.txt');
  const files = start();
  files.watch([name]);
  files.expect(name);
  file('not/there/yet.txt');
  await expect.poll(() => told).toEqual([[name]]);
});

test('an expected file need not be among the watched ones', async () => {
  const name = file('a.txt');
  start().expect(name);
  fs.writeFileSync(name, 'changed\n');
  await expect.poll(() => told).toEqual([[name]]);
});

test('looking for an expected write ends', async () => {
  const name = file('a.txt');
  const stat = vi.spyOn(fs, 'statSync');
  const files = start({ expectMs: 30 });
  files.expect(name);
  await waitFor(() => expect(stat.mock.calls.length).toBeGreaterThan(2));
  const looks = async () => {
    const count = stat.mock.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 40));
    return stat.mock.calls.length - count;
  };
  await expect.poll(looks).toBe(0);
});

test('after its end nothing is told, and ending twice is no error', async () => {
  const name = file('a.txt');
  const files = start();
  files.watch([name]);
  files.dispose();
  files.dispose();
  files.watch([name]);
  files.expect(name);
  fs.writeFileSync(name, 'changed\n');
  const second = start();
  second.watch([name]);
  fs.writeFileSync(name, 'changed again\n');
  await expect.poll(() => told).toEqual([[name]]);
});
