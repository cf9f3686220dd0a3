/** What sid-code must read and hear, letter by letter. */
import { expect, test } from 'vitest';
import type { Environment } from '../../src/agents/family.ts';
import { sidCode } from '../../src/agents/sid-code/family.ts';
import { ideTools } from '../../src/tools/ide-tools.ts';
import { selectionAt } from './support.ts';

const family = sidCode(ideTools);
const { discovery } = family;
const dialect = family.dialectFor({ headers: {}, clientName: 'sid-code' });

const environment = (variables: Record<string, string> = {}): Environment => ({
  home: '/home/u',
  variables,
  platform: 'linux',
  ideName: 'Neovim',
});
const advertisement = {
  port: 12345,
  token: '550e8400-e29b-41d4-a716-446655440000',
  editorPid: 4242,
  workspaceFolders: ['/x/link', '/x/real'],
};

test.each([
  [{}, '/home/u/.sid-code'],
  [{ SID_CONFIG_DIR: ' ' }, '/home/u/.sid-code'],
  [{ SID_CONFIG_DIR: '/x/cfg' }, '/x/cfg'],
  [{ SID_CONFIG_DIR: '~/cfg' }, '/home/u/cfg'],
])('with %j the lock is in %s/ide', (variables, folder) => {
  expect(discovery.folder(environment(variables))).toBe(`${folder}/ide`);
  expect(discovery.trace?.(environment(variables))).toBe(folder);
});

test('the content of the lock file; a transport always stands in it', () => {
  expect(JSON.stringify(discovery.content(advertisement, environment()))).toBe(
    '{"pid":4242,"workspaceFolders":["/x/link","/x/real"],"ideName":"Neovim","transport":"ws",' +
      '"runningInWindows":false,"authToken":"550e8400-e29b-41d4-a716-446655440000"}',
  );
  const bySse = { ...environment(), transport: 'sse' } as const;
  expect(discovery.content(advertisement, bySse)).toMatchObject({ transport: 'sse' });
});

test('the variables by which a child finds this editor', () => {
  expect(discovery.variables(advertisement)).toEqual({
    SID_CODE_SSE_PORT: '12345',
    SID_CODE_AUTO_CONNECT_IDE: 'true',
  });
});

test.each([
  [{ authorization: 'Bearer secret' }, 'secret'],
  [{ authorization: 'bearer secret' }, 'secret'],
  [{ authorization: 'Basic secret' }, undefined],
  [{ authorization: 'Bearer ' }, undefined],
  [{ 'x-claude-code-ide-authorization': 'secret' }, undefined],
  [{}, undefined],
])('the token in %j is %j', (headers, token) => {
  expect(family.tokenIn(headers)).toBe(token);
});

const SELECTION = {
  text: 'beta',
  filePath: '/x/a b.ts',
  fileUrl: 'file:///x/a%20b.ts',
  selection: {
    start: { line: 3, character: 0 },
    end: { line: 3, character: 4 },
    isEmpty: false,
  },
};

test('each generation hears of a selection in its own spelling', () => {
  expect(dialect.selection(selectionAt('/x/a b.ts', 3, 'beta'))).toEqual([
    { method: 'selection_changed', params: SELECTION },
    { method: 'notifications/selection_changed', params: SELECTION },
  ]);
});

test('and of a mention, 0-based', () => {
  const params = { filePath: '/x/a.txt', lineStart: 0, lineEnd: 1 };
  expect(dialect.mention({ path: '/x/a.txt', lines: { first: 0, last: 1 } }, [])).toEqual([
    { method: 'at_mentioned', params },
    { method: 'notifications/at_mentioned', params },
  ]);
});

test('no selection clears what it knows: an object, an empty text, a path', () => {
  const [told] = dialect.selection(undefined);
  const zero = { line: 0, character: 0 };
  expect(told?.params).toEqual({
    text: '',
    filePath: '',
    fileUrl: '',
    selection: { start: zero, end: zero, isEmpty: true },
  });
});

test.each([undefined, 'another-client'])('a client named %j hears the plain spelling', (name) => {
  const other = family.dialectFor({ headers: {}, clientName: name });
  const heard = [...other.selection(undefined), ...other.mention({ path: '/x/a.txt' }, [])];
  expect(heard.map(({ method }) => method)).toEqual(['selection_changed', 'at_mentioned']);
});

test('its model is not shown what is for the client alone, which may call all', () => {
  const all = ideTools.map(({ name }) => name);
  const forClient = ['openDiff', 'close_tab', 'closeAllDiffTabs'];
  expect(dialect.tools.map(({ name }) => name)).toEqual(all);
  expect(dialect.listed.map(({ name }) => name)).toEqual(
    all.filter((name) => !forClient.includes(name)),
  );
});
