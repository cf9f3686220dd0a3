import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Announcement } from '../../src/agents/announcement.ts';
import { claudeCode } from '../../src/agents/claude-code/family.ts';
import type { AgentFamily, Environment } from '../../src/agents/family.ts';
import { MemoryLogger } from '../support/logger.ts';
import { tempDir } from '../support/nvim.ts';

let home: string;
let environment: Environment;
beforeEach(() => {
  home = tempDir();
  environment = { home, variables: {}, platform: 'linux', ideName: 'Neovim' };
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

/** A second kind of client with a folder and a variable of its own. */
function otherFamily(): AgentFamily {
  const base = claudeCode([]);
  return {
    ...base,
    id: 'other',
    discovery: {
      folder: (env) => path.join(env.home, '.other'),
      content: ({ token, editorPid }) => ({ pid: editorPid, secret: token }),
      variables: ({ port }) => ({ OTHER_PORT: String(port) }),
    },
  };
}

function announce(families: readonly AgentFamily[] = [claudeCode([])]) {
  return new Announcement({
    families,
    environment,
    advertisement: {
      port: 12345,
      token: 'the token',
      editorPid: process.pid,
      workspaceFolders: ['/x/ws'],
    },
    logger: new MemoryLogger(),
  });
}

const claudeLock = () => path.join(home, '.claude', 'ide', '12345.lock');
const foldersIn = (file: string) =>
  (JSON.parse(fs.readFileSync(file, 'utf8')) as { workspaceFolders: string[] }).workspaceFolders;

test('writes the files of all families, follows the folders and removes them together', () => {
  const announcement = announce([claudeCode([]), otherFamily()]);
  const otherLock = path.join(home, '.other', '12345.lock');
  expect(announcement.paths).toEqual([claudeLock(), otherLock]);
  announcement.publish();
  expect(announcement.variables).toEqual({
    CLAUDE_CODE_SSE_PORT: '12345',
    ENABLE_IDE_INTEGRATION: 'true',
    OTHER_PORT: '12345',
  });
  announcement.updateFolders(['/x/ws2', '/x/ws']);
  expect(foldersIn(claudeLock())).toEqual(['/x/ws2', '/x/ws']);
  expect(fs.existsSync(otherLock)).toBe(true);
  announcement.withdraw();
  announcement.withdraw();
  expect([claudeLock(), otherLock].filter((file) => fs.existsSync(file))).toEqual([]);
});

test('a file that cannot be written leaves none of the others', () => {
  fs.writeFileSync(path.join(home, '.other'), 'in the way');
  expect(() => announce([claudeCode([]), otherFamily()]).publish()).toThrow(
    expect.objectContaining({ code: 'startup-failed' }),
  );
  expect(fs.readdirSync(path.dirname(claudeLock()))).toEqual([]);
});

test('sweeps the folder of each family at the start', () => {
  const folder = path.dirname(claudeLock());
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  fs.writeFileSync(path.join(folder, '20001.lock'), JSON.stringify({ pid }));
  fs.writeFileSync(path.join(folder, '20002.lock'), JSON.stringify({ pid: process.pid }));
  announce().publish();
  expect(fs.readdirSync(folder).sort()).toEqual(['12345.lock', '20002.lock']);
});

test('tells of each file whether it is there, and puts it back', () => {
  const announcement = announce();
  announcement.publish();
  expect(announcement.ensure()).toEqual([{ path: claudeLock(), state: 'present' }]);
  fs.rmSync(claudeLock());
  expect(announcement.ensure()).toEqual([
    { path: claudeLock(), state: 'restored', restoredAt: expect.any(Date) },
  ]);
  expect(announcement.ensure()).toEqual([
    { path: claudeLock(), state: 'present', restoredAt: expect.any(Date) },
  ]);
});

test('after the end nothing brings the file back', () => {
  const announcement = announce();
  announcement.publish();
  announcement.withdraw();
  announcement.updateFolders(['/x/ws3']);
  announcement.ensure();
  expect(fs.readdirSync(path.dirname(claudeLock()))).toEqual([]);
});
