/** What lies in the folder of the lock files may be anything, by anybody. */
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LockFile } from '../../src/platform/lock-file.ts';
import { readOtherLocks } from '../../src/platform/other-locks.ts';
import { sweepStaleLocks } from '../../src/platform/stale-locks.ts';
import { MemoryLogger } from '../support/logger.ts';
import { tempDir } from '../support/nvim.ts';
import { anyJson, anyText, nearly, runs } from './support.ts';

const DEAD = 4_194_304;
const TOKEN = 'the-token-of-this-editor';

const content = fc.oneof(
  {
    weight: 4,
    arbitrary: nearly({
      pid: fc.constantFrom(DEAD, process.pid),
      workspaceFolders: fc.array(anyText),
      ideName: anyText,
      authToken: anyText,
    }).map((value) => JSON.stringify(value)),
  },
  { weight: 1, arbitrary: fc.constant('{"pid":'.repeat(5_000)) },
  { weight: 1, arbitrary: fc.constant('['.repeat(10_000) + ']'.repeat(10_000)) },
  { weight: 1, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.uint8Array().map((bytes) => Buffer.from(bytes)) },
);
const kind = fc.oneof(
  { weight: 5, arbitrary: fc.constant('file') },
  fc.constantFrom('folder', 'link', 'loop', 'dangling'),
);
const name = fc.oneof(
  { weight: 5, arbitrary: fc.nat(70_000).map((port) => `${port}.lock`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'x.lock',
      '-1.lock',
      '1.lock~',
      '.lock',
      '1e3.lock',
      'lock',
      '00001.lock',
    ),
  },
);
const entry = fc.record({ name, kind, content });

function put(
  folder: string,
  elsewhere: string,
  { name, kind, content }: { name: string; kind: string; content: string | Buffer },
): void {
  const file = path.join(folder, name);
  if (kind === 'file') fs.writeFileSync(file, content);
  else if (kind === 'folder') fs.mkdirSync(file);
  else if (kind === 'loop') fs.symlinkSync(file, file);
  else if (kind === 'dangling') fs.symlinkSync('/nowhere/at/all', file);
  else {
    const target = path.join(elsewhere, name);
    fs.writeFileSync(target, content);
    fs.symlinkSync(target, file);
  }
}

/** The process that a plain file names, as far as anybody can tell. */
function pidIn(text: string | Buffer): unknown {
  try {
    return JSON.parse(text.toString()).pid;
  } catch {
    return undefined;
  }
}

test("only locks of the dead are removed, nothing is followed, and one's own is written", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(entry, { selector: (one) => one.name, maxLength: 12 }),
      fc.nat(70_000),
      (entries, port) => {
        const [folder, elsewhere] = [tempDir(), tempDir()];
        try {
          for (const one of entries) put(folder, elsewhere, one);
          const before = fs
            .readdirSync(elsewhere)
            .map((file) => fs.readFileSync(path.join(elsewhere, file)));
          const logger = new MemoryLogger();
          sweepStaleLocks({ folder, logger, isAlive: (pid) => pid !== DEAD });
          const left = new Set(fs.readdirSync(folder));
          for (const { name, kind, content } of entries) {
            const isDead = kind === 'file' && /^\d+\.lock$/.test(name) && pidIn(content) === DEAD;
            expect([name, left.has(name)]).toEqual([name, !isDead]);
          }
          readOtherLocks(folder, path.join(folder, `${port}.lock`));
          const own = new LockFile({ folder, port, token: TOKEN, logger });
          const isFolder = entries.some(
            (one) => one.kind === 'folder' && one.name === `${port}.lock`,
          );
          if (isFolder)
            expect(() => own.write({ authToken: TOKEN })).toThrow(/Cannot write the lock file/);
          else {
            own.write({ authToken: TOKEN });
            expect(own.ensure()).toBe('present');
            own.remove();
            expect(fs.existsSync(own.path)).toBe(false);
          }
          expect(fs.readdirSync(folder).filter((file) => file.includes(`.${port}.lock.`))).toEqual(
            [],
          );
          const after = fs
            .readdirSync(elsewhere)
            .map((file) => fs.readFileSync(path.join(elsewhere, file)));
          expect(after).toEqual(before);
        } finally {
          fs.rmSync(folder, { recursive: true });
          fs.rmSync(elsewhere, { recursive: true });
        }
      },
    ),
    runs(60),
  );
});

test("what others make of one's own file is put right, and never removed by mistake", () => {
  fc.assert(
    fc.property(
      fc.oneof(content, anyText),
      fc.constantFrom('file', 'link', 'dangling', 'loop', 'gone'),
      (text, kind) => {
        const [folder, elsewhere] = [tempDir(), tempDir()];
        try {
          const lock = new LockFile({ folder, port: 7, token: TOKEN, logger: new MemoryLogger() });
          lock.write({ authToken: TOKEN });
          fs.rmSync(lock.path);
          if (kind !== 'gone') put(folder, elsewhere, { name: '7.lock', kind, content: text });
          expect(['restored', 'present']).toContain(lock.ensure());
          expect(JSON.parse(fs.readFileSync(lock.path, 'utf8'))).toEqual({ authToken: TOKEN });
          fs.rmSync(lock.path);
          put(folder, elsewhere, { name: '7.lock', kind: 'file', content: text });
          lock.remove();
          expect(fs.existsSync(lock.path)).toBe(true);
        } finally {
          fs.rmSync(folder, { recursive: true });
          fs.rmSync(elsewhere, { recursive: true });
        }
      },
    ),
    runs(150),
  );
});
