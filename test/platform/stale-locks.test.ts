import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isProcessAlive } from '../../src/platform/process.ts';
import { sweepStaleLocks } from '../../src/platform/stale-locks.ts';
import { MemoryLogger } from '../support/logger.ts';
import { tempDir } from '../support/nvim.ts';

let folder: string;
const logger = new MemoryLogger();
beforeEach(() => {
  folder = tempDir();
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** The id of a process that has just ended. */
const deadPid = () => spawnSync(process.execPath, ['-e', '0']).pid;
const put = (name: string, text: string) => fs.writeFileSync(path.join(folder, name), text);
const sweep = (isAlive = isProcessAlive) => sweepStaleLocks({ folder, logger, isAlive });
const left = () => fs.readdirSync(folder).sort();

test('the lock of a dead editor goes, that of a living one stays', () => {
  put('20001.lock', JSON.stringify({ pid: deadPid() }));
  put('20002.lock', JSON.stringify({ pid: process.pid }));
  sweep();
  expect(left()).toEqual(['20002.lock']);
  expect(logger.records).toMatchObject([
    { message: 'stale lock file removed', fields: { path: path.join(folder, '20001.lock') } },
  ]);
});

test.each([
  ['no JSON', '/x/ws\n/x/other'],
  ['empty', ''],
  ['no process id', '{"workspaceFolders":["/x"]}'],
  ['a process id in words', '{"pid":"1"}'],
  ['a process group', '{"pid":-1}'],
  ['all processes', '{"pid":0}'],
  ['a fraction', '{"pid":1.5}'],
  ['a list', '[1]'],
  ['null', 'null'],
])('a lock with %s stays', (_name, text) => {
  put('20001.lock', text);
  sweep(() => false);
  expect(left()).toEqual(['20001.lock']);
});

test('files that are no locks stay, whatever they hold', () => {
  const names = ['20001.json', '20001.lock.bak', '.20001.lock.a1b2', 'notes.lock', '20001lock'];
  for (const name of names) put(name, '{"pid":1}');
  sweep(() => false);
  expect(left()).toEqual([...names].sort());
});

test('links, folders and pipes stay, and do not make the start wait', () => {
  put('target', '{"pid":1}');
  fs.symlinkSync(path.join(folder, 'target'), path.join(folder, '20001.lock'));
  fs.mkdirSync(path.join(folder, '20002.lock'));
  execFileSync('mkfifo', [path.join(folder, '20003.lock')]);
  sweep(() => false);
  expect(left()).toEqual(['20001.lock', '20002.lock', '20003.lock', 'target']);
});

test('a folder that is not there has no locks', () => {
  fs.rmSync(folder, { recursive: true });
  expect(() => sweep()).not.toThrow();
});

test('takes anything for the content of a lock', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json());
  fc.assert(
    fc.property(text, (content) => {
      put('20001.lock', content);
      sweep(() => true);
      expect(left()).toEqual(['20001.lock']);
    }),
    { numRuns: 200 },
  );
});

test('only a process that does not exist counts as dead', () => {
  expect(isProcessAlive(process.pid)).toBe(true);
  expect(isProcessAlive(deadPid())).toBe(false);
  const notAllowed = Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw notAllowed;
  });
  expect(isProcessAlive(1)).toBe(true);
  kill.mockRestore();
});
