import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LockFile } from '../../src/platform/lock-file.ts';
import { MemoryLogger } from '../support/logger.ts';
import { tempDir } from '../support/nvim.ts';

const TOKEN = '11111111-2222-4333-8444-555555555555';
const isRoot = process.getuid?.() === 0;
let home: string;
let folder: string;
let logger: MemoryLogger;

beforeEach(() => {
  home = tempDir();
  folder = path.join(home, '.claude', 'ide');
  logger = new MemoryLogger();
});
afterEach(() => {
  fs.chmodSync(home, 0o700);
  fs.rmSync(home, { recursive: true, force: true });
});

const lock = (port = 12345, token = TOKEN) => new LockFile({ folder, port, token, logger });
const content = (folders = ['/x/ws']) => ({ pid: 1, workspaceFolders: folders, authToken: TOKEN });
const modeOf = (file: string) => (fs.lstatSync(file).mode & 0o777).toString(8);
const read = (file: string) => JSON.parse(fs.readFileSync(file, 'utf8')) as unknown;

test('makes a private folder and a private file whose name is the port', () => {
  const file = lock();
  file.write(content());
  expect(file.path).toBe(path.join(folder, '12345.lock'));
  expect(read(file.path)).toEqual(content());
  expect(modeOf(folder)).toBe('700');
  expect(modeOf(file.path)).toBe('600');
  expect(fs.readdirSync(folder)).toEqual(['12345.lock']);
});

test.each([0o000, 0o022, 0o777])('the modes hold under umask %i', (mask) => {
  const before = process.umask(mask);
  try {
    fs.mkdirSync(path.dirname(folder), { mode: 0o700 });
    fs.chmodSync(path.dirname(folder), 0o700);
    lock().write(content());
    expect([modeOf(folder), modeOf(lock().path)]).toEqual(['700', '600']);
  } finally {
    process.umask(before);
  }
});

test('a folder and a file that were open to others are made private', () => {
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
  fs.chmodSync(folder, 0o755);
  fs.writeFileSync(lock().path, 'left by a crash', { mode: 0o666 });
  fs.chmodSync(lock().path, 0o666);
  lock().write(content());
  expect([modeOf(folder), modeOf(lock().path)]).toEqual(['700', '600']);
  expect(read(lock().path)).toEqual(content());
});

test('a link at the path is replaced, and what it points to is left alone', () => {
  const victim = path.join(home, 'victim');
  fs.writeFileSync(victim, 'precious');
  fs.mkdirSync(folder, { recursive: true });
  fs.symlinkSync(victim, lock().path);
  lock().write(content());
  expect(fs.readFileSync(victim, 'utf8')).toBe('precious');
  expect(fs.lstatSync(lock().path).isSymbolicLink()).toBe(false);
  expect(read(lock().path)).toEqual(content());
});

test('a configuration folder that is a link elsewhere works', () => {
  fs.mkdirSync(path.join(home, 'dotfiles'));
  fs.symlinkSync(path.join(home, 'dotfiles'), path.join(home, '.claude'));
  lock().write(content());
  expect(read(path.join(home, 'dotfiles', 'ide', '12345.lock'))).toEqual(content());
});

test('an update replaces the file whole: a reader sees the old or the new text', () => {
  const file = lock();
  file.write(content());
  const reader = fs.openSync(file.path, 'r');
  file.write(content(['/x/ws2', '/x/ws']));
  expect(JSON.parse(fs.readFileSync(reader, 'utf8'))).toEqual(content());
  fs.closeSync(reader);
  expect(read(file.path)).toEqual(content(['/x/ws2', '/x/ws']));
  expect(fs.readdirSync(folder)).toEqual(['12345.lock']);
});

test.runIf(!isRoot)('a folder that cannot be written is an error that says what to do', () => {
  fs.chmodSync(home, 0o500);
  expect(() => lock().write(content())).toThrow(
    expect.objectContaining({
      code: 'startup-failed',
      message: expect.stringMatching(
        /^Cannot write the lock file .*12345\.lock: EACCES.* make its/,
      ),
    }),
  );
});

test('where the folder should be is a file: an error, and nothing is changed', () => {
  fs.writeFileSync(path.join(home, '.claude'), 'a file');
  expect(() => lock().write(content())).toThrow(/^Cannot write the lock file/);
  expect(fs.readFileSync(path.join(home, '.claude'), 'utf8')).toBe('a file');
});

test('a failed write leaves no temporary file', () => {
  fs.mkdirSync(path.join(lock().path, 'in the way'), { recursive: true });
  expect(() => lock().write(content())).toThrow(/^Cannot write the lock file/);
  expect(fs.readdirSync(folder)).toEqual(['12345.lock']);
});

test('is removed while it is ours, even with other modes', () => {
  const file = lock();
  file.write(content());
  fs.chmodSync(file.path, 0o644);
  file.remove();
  file.remove();
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('a file of another editor at our path is not removed', () => {
  const file = lock();
  file.write(content());
  const other = { ...content(), authToken: 'another' };
  fs.writeFileSync(file.path, JSON.stringify(other));
  file.remove();
  expect(read(file.path)).toEqual(other);
});

test('a link at our path is not removed, nor what it points to', () => {
  const file = lock();
  file.write(content());
  const elsewhere = path.join(home, 'elsewhere');
  fs.renameSync(file.path, elsewhere);
  fs.symlinkSync(elsewhere, file.path);
  file.remove();
  expect(fs.existsSync(elsewhere)).toBe(true);
  expect(fs.lstatSync(file.path).isSymbolicLink()).toBe(true);
});

test('what is gone already is removed in silence', () => {
  const file = lock();
  file.remove();
  file.write(content());
  fs.rmSync(folder, { recursive: true });
  file.remove();
  expect(logger.records).toEqual([]);
});

test('is put back as it was last, where something removed it', () => {
  const file = lock();
  expect(file.ensure()).toBe('missing');
  file.write(content());
  file.write(content(['/x/ws2']));
  expect(file.ensure()).toBe('present');
  fs.rmSync(path.join(home, '.claude'), { recursive: true });
  expect(file.ensure()).toBe('restored');
  expect(read(file.path)).toEqual(content(['/x/ws2']));
  expect(file.ensure()).toBe('present');
});

test.each<[string, (file: string) => void]>([
  ['overwritten', (file) => fs.writeFileSync(file, '{}')],
  ['made readable for others', (file) => fs.chmodSync(file, 0o644)],
  [
    'replaced by a link',
    (file) => {
      fs.renameSync(file, path.join(home, 'moved'));
      fs.symlinkSync(path.join(home, 'moved'), file);
    },
  ],
])('is put back when it was %s', (_name, spoil) => {
  const file = lock();
  file.write(content());
  spoil(file.path);
  expect(file.ensure()).toBe('restored');
  expect(read(file.path)).toEqual(content());
  expect(modeOf(file.path)).toBe('600');
});

test('is not put back after it was removed', () => {
  const file = lock();
  file.write(content());
  file.remove();
  expect(file.ensure()).toBe('missing');
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('what cannot be put back is logged, not thrown', () => {
  const file = lock();
  file.write(content());
  fs.rmSync(path.join(home, '.claude'), { recursive: true });
  fs.writeFileSync(path.join(home, '.claude'), 'in the way');
  expect(file.ensure()).toBe('missing');
  expect(logger.records).toMatchObject([{ level: 'warn', message: 'lock file not restored' }]);
});

test('the token is in no error and in no record', () => {
  const file = lock();
  file.write(content());
  fs.rmSync(folder, { recursive: true });
  file.ensure();
  expect(logger.text).not.toContain(TOKEN);
});
