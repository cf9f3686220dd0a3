/** What Claude Code must read and hear, letter by letter. */
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/family.ts';
import type { Environment } from '../../src/agents/family.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { utf16Column } from '../../src/core/positions.ts';
import { openDiff } from '../../src/tools/open-diff.ts';
import { memoryEditor, selectionAt } from './support.ts';

const HEADER = 'x-claude-code-ide-authorization';
const family = claudeCode([]);
const { discovery } = family;

const environment = (
  variables: Record<string, string> = {},
  platform: NodeJS.Platform = 'linux',
): Environment => ({ home: '/home/u', variables, platform, ideName: 'Neovim' });

const advertisement = {
  port: 12345,
  token: '550e8400-e29b-41d4-a716-446655440000',
  editorPid: 4242,
  workspaceFolders: ['/x/link', '/x/real'],
};

test.each([
  [{}, '/home/u/.claude/ide'],
  [{ CLAUDE_CONFIG_DIR: '' }, '/home/u/.claude/ide'],
  [{ CLAUDE_CONFIG_DIR: '  ' }, '/home/u/.claude/ide'],
  [{ CLAUDE_CONFIG_DIR: '/x/cfg' }, '/x/cfg/ide'],
  [{ CLAUDE_CONFIG_DIR: '/x/cfg/' }, '/x/cfg/ide'],
  [{ CLAUDE_CONFIG_DIR: '~/cfg' }, '/home/u/cfg/ide'],
  [{ CLAUDE_CONFIG_DIR: '~' }, '/home/u/ide'],
  [{ CLAUDE_CONFIG_DIR: '/x/~/cfg' }, '/x/~/cfg/ide'],
  [{ CLAUDE_CONFIG_DIR: '~other' }, path.resolve('~other/ide')],
])('with %j the lock is in %s', (variables, folder) => {
  expect(discovery.folder(environment(variables))).toBe(folder);
});

test("the folder that the user set goes before the client's own", () => {
  const own = { ...environment({ CLAUDE_CONFIG_DIR: '/x/cfg' }), lockFolder: '/x/locks' };
  expect(discovery.folder(own)).toBe('/x/locks');
});

test('a `$` in the home folder is no pattern', () => {
  const odd = { ...environment({ CLAUDE_CONFIG_DIR: '~/cfg' }), home: '/home/$&u' };
  expect(discovery.folder(odd)).toBe('/home/$&u/cfg/ide');
});

test('the content of the lock file', () => {
  expect(JSON.stringify(discovery.content(advertisement, environment()))).toBe(
    '{"pid":4242,"workspaceFolders":["/x/link","/x/real"],"ideName":"Neovim","transport":"ws",' +
      '"runningInWindows":false,"authToken":"550e8400-e29b-41d4-a716-446655440000"}',
  );
  const onWindows = discovery.content(advertisement, environment({}, 'win32'));
  expect(onWindows['runningInWindows']).toBe(true);
});

test('the name that the user gave this editor', () => {
  const named = { ...environment(), ideName: 'Neovim (ws)' };
  expect(discovery.content(advertisement, named)['ideName']).toBe('Neovim (ws)');
});

test('the variables by which a child finds this editor', () => {
  expect(discovery.variables(advertisement)).toEqual({
    CLAUDE_CODE_SSE_PORT: '12345',
    ENABLE_IDE_INTEGRATION: 'true',
  });
});

test('its clients put their token into a header of their own', () => {
  expect(family.tokenIn({ [HEADER]: 'secret' })).toBe('secret');
  expect(family.tokenIn({ authorization: 'Bearer secret' })).toBeUndefined();
  expect(family.clientNames).toEqual(['claude-code']);
});

const dialect = family.dialectFor({ headers: { [HEADER]: '' } });

test('a selection', () => {
  expect(dialect.selection(selectionAt('/x/ws/a b#1%é.ts', 3, 'beta'))).toEqual([
    {
      method: 'selection_changed',
      params: {
        text: 'beta',
        filePath: '/x/ws/a b#1%é.ts',
        fileUrl: 'file:///x/ws/a%20b%231%25%C3%A9.ts',
        selection: {
          start: { line: 3, character: 0 },
          end: { line: 3, character: 4 },
          isEmpty: false,
        },
      },
    },
  ]);
});

test('an open file with nothing selected has a range of no width', () => {
  const at = { line: 7, character: utf16Column(2) };
  const [notification] = dialect.selection({
    path: '/x/a.txt',
    text: '',
    range: { start: at, end: at },
  });
  expect(notification?.params).toEqual({
    text: '',
    filePath: '/x/a.txt',
    fileUrl: 'file:///x/a.txt',
    selection: {
      start: { line: 7, character: 2 },
      end: { line: 7, character: 2 },
      isEmpty: true,
    },
  });
});

test('no selection clears what the client knows, without a null', () => {
  expect(dialect.selection(undefined)).toEqual([
    {
      method: 'selection_changed',
      params: {
        text: '',
        filePath: '',
        fileUrl: '',
        selection: {
          start: { line: 0, character: 0 },
          end: { line: 0, character: 0 },
          isEmpty: true,
        },
      },
    },
  ]);
});

describe('a folder', () => {
  const told = (path: string, folders = ['/x/ws']) =>
    dialect.mention({ path }, folders)[0]?.params['filePath'];

  test.each([
    ['/x/ws/', '"/x/ws/"'],
    ['/x/', '"/x/"'],
    ['/', '"/"'],
    ['/x/ws/sub/', '/x/ws/sub/'],
    ['/x/ws2/', '/x/ws2/'],
    ['/x/w/', '/x/w/'],
  ])('%j is told as %j to a client in /x/ws, which would make it a bare @', (path, spelled) => {
    expect(told(path)).toBe(spelled);
  });

  test('that cannot be put in quotes is told as it is', () => {
    expect(told('/x/a"b/', ['/x/a"b'])).toBe('/x/a"b/');
  });

  test('is no file: one of that name is told as it is', () => {
    expect(told('/x/ws')).toBe('/x/ws');
  });
});

test('a mention has both lines or none', () => {
  expect(dialect.mention({ path: '/x/a.txt', lines: { first: 0, last: 1 } }, [])).toEqual([
    { method: 'at_mentioned', params: { filePath: '/x/a.txt', lineStart: 0, lineEnd: 1 } },
  ]);
  expect(JSON.stringify(dialect.mention({ path: '/x/sub' }, []))).toBe(
    '[{"method":"at_mentioned","params":{"filePath":"/x/sub"}}]',
  );
});

test('the answers to a review; a closed one is told as rejected, never as `TAB_CLOSED`', () => {
  const { answers } = dialect;
  const texts = (...expected: string[]) => ({
    content: expected.map((text) => ({ type: 'text', text })),
  });
  expect(answers.accepted('new\r\ntext', true)).toEqual(texts('FILE_SAVED', 'new\r\ntext'));
  expect(answers.accepted('', false)).toEqual(texts('FILE_SAVED', ''));
  expect(answers.rejected('✻ a.txt ⧉', 'no')).toEqual(texts('DIFF_REJECTED', '✻ a.txt ⧉'));
  expect(answers.closed('✻ a.txt ⧉', 'withdrawn')).toEqual(texts('DIFF_REJECTED', '✻ a.txt ⧉'));
  expect(answers.closed('✻ a.txt ⧉', 'stopped')).toEqual({
    ...texts('The bridge of Neovim has stopped: decide in the terminal'),
    isError: true,
  });
});

test('the client hears from 250 ms after the tool list', () => {
  expect(dialect.hearsAfter).toEqual([{ method: 'tools/list', delayMs: 250 }]);
  expect(dialect.greeting).toBe('ide_connected');
});

describe('an edit that is not shown in the editor', () => {
  const args = {
    old_file_path: '/x/a.txt',
    new_file_path: '/x/a.txt',
    new_file_contents: 'new\n',
    tab_name: '✻ [Claude Code] a.txt (1a9952) ⧉',
  };

  /** Proposes edits to an editor that fails to show them; what the user is told. */
  function failing(error: Error) {
    const { editor, editorPort } = memoryEditor();
    editorPort.openReview = () => Promise.reject(error);
    const notify = vi.spyOn(editorPort, 'notify');
    const { tools, answers } = claudeCode([openDiff]).dialectFor({
      clientName: 'claude-code',
      headers: {},
    });
    const signal = new AbortController().signal;
    const call = (given: object = args, requestId = 1) =>
      tools[0]?.call(given, { editor, sessionId: 's', requestId, signal, answers });
    return { call, notify };
  }

  test('is decided in the terminal of the client: it gets an error, and the user hears of it', async () => {
    const busy = new BridgeError('editor-busy', 'Neovim waits at a prompt');
    const { call, notify } = failing(busy);
    await expect(call()).rejects.toBe(busy);
    expect(notify).toHaveBeenCalledWith(
      'warn',
      'Claude Code asks about a.txt in its terminal: Neovim waits at a prompt',
    );
  });

  test('where reviews are turned off the user is told once', async () => {
    const off = new BridgeError('turned-off', 'off');
    const { call, notify } = failing(off);
    await expect(call()).rejects.toBe(off);
    await expect(call(args, 2)).rejects.toBe(off);
    expect(notify.mock.calls).toEqual([
      ['info', expect.stringContaining('"Diff tool: terminal" in its /config')],
    ]);
  });

  test.each([
    ['the client withdrew it', new BridgeError('cancelled', 'withdrawn'), args],
    ['its arguments make no sense', new BridgeError('refused', 'not reached'), {}],
  ])('nothing is told where %s', async (_, error, given) => {
    const { call, notify } = failing(error);
    await expect(call(given)).rejects.toThrow();
    expect(notify).not.toHaveBeenCalled();
  });
});
