import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Announcement } from '../../src/agents/announcement.ts';
import { agentFamilies, servedFamilies } from '../../src/agents/families.ts';
import type { Environment } from '../../src/agents/family.ts';
import { AgentRegistry } from '../../src/agents/registry.ts';
import { MemoryLogger } from '../support/logger.ts';
import { tempDir } from '../support/nvim.ts';

const CLAUDE = { 'x-claude-code-ide-authorization': 'secret' };
const BEARER = { authorization: 'Bearer secret' };
const families = agentFamilies([]);
const idOf = (id: string) => families.filter((family) => family.id === id);

let home: string;
beforeEach(() => {
  home = tempDir();
});
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

const environment = (variables: Record<string, string> = {}): Environment => ({
  home,
  variables,
  platform: 'linux',
  ideName: 'Neovim',
});
const served = (names: string[] | undefined, env = environment()) =>
  servedFamilies(families, names, env, (folder) => fs.existsSync(folder));
const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);

describe('who is served', () => {
  test('without a word all, but sid-code only where somebody uses it', () => {
    expect(ids(served(undefined))).toEqual(['claude-code', 'opencode']);
    fs.mkdirSync(path.join(home, '.sid-code'));
    expect(ids(served(undefined))).toEqual(['claude-code', 'sid-code', 'opencode']);
  });

  test('a folder of its own choice counts as well', () => {
    fs.mkdirSync(path.join(home, 'mine'));
    const env = environment({ SID_CONFIG_DIR: path.join(home, 'mine') });
    expect(ids(served(undefined, env))).toContain('sid-code');
  });

  test('those that are named, and no others', () => {
    expect(ids(served(['sid-code']))).toEqual(['sid-code']);
    expect(ids(served(['opencode', 'claude-code']))).toEqual(['claude-code', 'opencode']);
    expect(served([])).toEqual([]);
  });
});

describe('how a client is spoken to', () => {
  const registry = new AgentRegistry(families);
  const spoken = (hello: Parameters<AgentRegistry['dialectFor']>[0], of = registry) => {
    const told = of.dialectFor(hello)?.mention({ path: '/x/a.txt' }, []) ?? [];
    return told.map(({ method, params }) => `${method} ${Object.keys(params).length}`);
  };
  const PLAIN = ['at_mentioned 1'];
  const BOTH = ['at_mentioned 1', 'notifications/at_mentioned 1'];
  const WITH_LINES = ['at_mentioned 3'];

  test.each([
    [CLAUDE, undefined, PLAIN],
    [CLAUDE, 'claude-code', PLAIN],
    [CLAUDE, 'a stranger', PLAIN],
    [CLAUDE, 'opencode', WITH_LINES],
    [CLAUDE, 'sid-code', BOTH],
    [BEARER, undefined, PLAIN],
    [BEARER, 'a stranger', PLAIN],
    [BEARER, 'sid-code', BOTH],
    [BEARER, 'opencode', WITH_LINES],
    [{}, 'a stranger', []],
  ])('with %j and the name %j', (headers, clientName, expected) => {
    expect(spoken({ headers, clientName })).toEqual(expected);
  });

  test('the name Claude Code brings its own answers, wherever the token stood', () => {
    const dialect = registry.dialectFor({ headers: BEARER, clientName: 'claude-code' });
    expect(dialect?.answers.accepted('text', true).content).toHaveLength(2);
  });

  test('a client that came by the lock of another family keeps its own way', () => {
    const claudeOnly = new AgentRegistry(idOf('claude-code'), families);
    expect(spoken({ headers: CLAUDE, clientName: 'opencode' }, claudeOnly)).toEqual(WITH_LINES);
  });

  test('the token of a family that is not served counts for nothing', () => {
    const claudeOnly = new AgentRegistry(idOf('claude-code'), families);
    expect(claudeOnly.tokenIn(BEARER)).toBeUndefined();
    expect(claudeOnly.dialectFor({ headers: BEARER })).toBeUndefined();
    expect(registry.tokenIn(BEARER)).toBe('secret');
  });

  test('what an agent is started without', () => {
    expect(registry.blank).toEqual({
      opencode: ['CLAUDE_CODE_SSE_PORT', 'OPENCODE_EDITOR_SSE_PORT'],
    });
  });
});

describe('the lock files', () => {
  const announce = (names: string[], env = environment(), workspaceFolders = ['/x/ws']) => {
    const advertisement = { port: 12345, token: 'token', editorPid: process.pid, workspaceFolders };
    const logger = new MemoryLogger();
    return new Announcement({ families: served(names), environment: env, advertisement, logger });
  };
  const inHome = (...parts: string[]) => path.join(home, ...parts);
  const ALL = ['claude-code', 'sid-code', 'opencode'];

  test('two families of one folder have one file there', () => {
    expect(announce(ALL).paths).toEqual([
      inHome('.claude/ide/12345.lock'),
      inHome('.sid-code/ide/12345.lock'),
    ]);
  });

  test('all are written and removed together', () => {
    const announcement = announce(ALL);
    announcement.publish();
    expect(announcement.paths.every((file) => fs.existsSync(file))).toBe(true);
    expect(announcement.variables).toEqual({
      CLAUDE_CODE_SSE_PORT: '12345',
      ENABLE_IDE_INTEGRATION: 'true',
      SID_CODE_SSE_PORT: '12345',
      SID_CODE_AUTO_CONNECT_IDE: 'true',
    });
    announcement.withdraw();
    expect(announcement.paths.some((file) => fs.existsSync(file))).toBe(false);
  });

  test('Claude Code reads the folder of opencode too, and must not find two', () => {
    const elsewhere = environment({ CLAUDE_CONFIG_DIR: '/x/cfg' });
    expect(announce(['claude-code', 'opencode'], elsewhere).paths).toEqual([
      '/x/cfg/ide/12345.lock',
    ]);
    expect(announce(['opencode'], elsewhere).paths).toEqual([inHome('.claude/ide/12345.lock')]);
  });

  test('nobody is told of anything where no family is wished for', () => {
    const announcement = announce([]);
    announcement.publish();
    expect(fs.readdirSync(home)).toEqual([]);
  });

  test.each([
    [['/x/ws'], true],
    [['/x'], true],
    [['/'], true],
    [['/x/ws/package'], true],
    [['/x/ws2'], false],
    [['/y', '/x/ws'], true],
    [[], false],
  ])('another living editor in %j is a rival: %s', (workspaceFolders, expected) => {
    const announcement = announce(ALL);
    announcement.publish();
    const other = { pid: process.pid, ideName: 'Other', workspaceFolders };
    fs.writeFileSync(inHome('.sid-code/ide/20000.lock'), JSON.stringify(other));
    fs.writeFileSync(inHome('.sid-code/ide/20001.lock'), 'no lock');
    fs.writeFileSync(
      inHome('.sid-code/ide/20002.lock'),
      JSON.stringify({ ...other, pid: 2 ** 30 }),
    );
    const rivals = announcement.rivals();
    expect(rivals.map(({ path: file }) => path.basename(file))).toEqual(
      expected ? ['20000.lock'] : [],
    );
    expect(rivals.every(({ ideName }) => ideName === 'Other')).toBe(true);
    announcement.withdraw();
  });
});
