/** What opencode must read and hear, letter by letter. */
import { expect, test } from 'vitest';
import { opencode } from '../../src/agents/opencode/family.ts';
import type { Selection } from '../../src/core/ports.ts';
import { utf16Column } from '../../src/core/positions.ts';
import { selectionAt } from './support.ts';

const family = opencode([]);
const dialect = family.dialectFor({ headers: {}, clientName: 'opencode' });

const selected = (text: string, from: [number, number], to: [number, number]): Selection => {
  const at = ([line, character]: [number, number]) => ({ line, character: utf16Column(character) });
  return { path: '/x/a.txt', text, range: { start: at(from), end: at(to) } };
};
const told = (selection: Selection | undefined) => dialect.selection(selection)[0]?.params;

test('a selection counts lines from 1, and characters as ever', () => {
  expect(dialect.selection(selectionAt('/x/a.txt', 3, 'beta'))).toEqual([
    {
      method: 'selection_changed',
      params: {
        text: 'beta',
        filePath: '/x/a.txt',
        fileUrl: 'file:///x/a.txt',
        selection: {
          start: { line: 4, character: 0 },
          end: { line: 4, character: 4 },
          isEmpty: false,
        },
      },
    },
  ]);
});

test.each([
  ['ends at the start of a line', selected('b\nlong\n', [1, 2], [3, 0]), [2, 2], [3, 4]],
  ['is one line and its end', selected('b\n', [1, 2], [2, 0]), [2, 2], [2, 3]],
  ['is an empty line', selected('\n', [1, 0], [2, 0]), [2, 0], [2, 0]],
  ['ends within a line', selected('b\nlo', [1, 2], [2, 2]), [2, 2], [3, 2]],
])('a selection that %s names no line too many', (_name, selection, start, end) => {
  expect(told(selection)?.['selection']).toEqual({
    start: { line: start[0], character: start[1] },
    end: { line: end[0], character: end[1] },
    isEmpty: false,
  });
});

test('an open file with nothing selected', () => {
  const params = told(selected('', [7, 2], [7, 2]));
  expect(params?.['selection']).toEqual({
    start: { line: 8, character: 2 },
    end: { line: 8, character: 2 },
    isEmpty: true,
  });
});

test('no file any more: the text that it knows goes, without a null', () => {
  expect(JSON.stringify(told(undefined))).not.toContain('null');
  expect(told(undefined)).toMatchObject({ text: '', filePath: '' });
});

test.each([
  [{ first: 0, last: 1 }, 1, 2],
  [{ first: 4, last: 4 }, 5, 5],
  [undefined, 1, 1],
])('a mention of the lines %j has both numbers, from 1', (lines, lineStart, lineEnd) => {
  expect(dialect.mention({ path: '/x/a.txt', lines }, [])).toEqual([
    { method: 'at_mentioned', params: { filePath: '/x/a.txt', lineStart, lineEnd } },
  ]);
});

test('it hears from its own word on, and asks for no tools', () => {
  expect(dialect.hearsAfter).toEqual([{ method: 'notifications/initialized', delayMs: 0 }]);
});

test('it looks into the folder of Claude Code in the home, whatever that is told', () => {
  const environment = {
    home: '/home/u',
    variables: { CLAUDE_CONFIG_DIR: '/x/cfg' },
    platform: 'linux',
    ideName: 'Neovim',
    lockFolder: '/x/locks',
  } as const;
  expect(family.discovery.folder(environment)).toBe('/home/u/.claude/ide');
  expect(family.launch).toEqual({
    program: 'opencode',
    blank: ['CLAUDE_CODE_SSE_PORT', 'OPENCODE_EDITOR_SSE_PORT'],
  });
});
