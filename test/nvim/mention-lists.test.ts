/** Mentions from the quickfix list and location lists, and of diagnostics. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Context } from '../support/context.ts';
import { waitFor } from '../support/wait-for.ts';

let context: Context;
let file: string;
beforeEach(async () => {
  context = await Context.start({ args: ['--cmd', 'runtime plugin/claude_bridge.lua'] });
  file = context.write('a b.txt', 'line\n'.repeat(30));
});
afterEach(() => context.dispose());

const mentioned = (...wanted: object[]) =>
  waitFor(() =>
    expect(context.raw.filter(({ kind }) => kind === 'mention')).toEqual(
      wanted.map((one) => ({ kind: 'mention', ...one })),
    ),
  );
const told = (text: string) => expect.poll(() => context.nvim.messages()).toContain(text);

const LISTS = [
  ['quickfix', 'vim.fn.setqflist(...)', 'copen'],
  ['location', 'vim.fn.setloclist(0, ...)', 'lopen'],
] as const;

describe.each(LISTS)('the %s list', (_, fill, open) => {
  beforeEach(async () => {
    await context.nvim.lua(fill, [
      [
        { filename: file, lnum: 3, text: 'one line' },
        { filename: file, lnum: 5, end_lnum: 8, text: 'some lines' },
        { filename: file, text: 'no line' },
        { text: 'no file' },
        { filename: 'scp://host/a.txt', lnum: 2, text: 'not here' },
        { filename: context.path('gone.txt'), lnum: 2, text: 'gone' },
        { filename: file, lnum: 3, col: 4, text: 'one line again' },
      ],
    ]);
    await context.nvim.command(open);
  });

  test('the entry at the cursor, with its lines', async () => {
    await context.nvim.command('2');
    await context.nvim.command('ClaudeMention');
    await mentioned({ path: file, first: 4, last: 7 });
  });

  test('selected entries, each place once, and none that is no file here', async () => {
    await context.nvim.input('ggVG:ClaudeMention<CR>');
    await mentioned(
      { path: file, first: 2, last: 2 },
      { path: file, first: 4, last: 7 },
      { path: file },
    );
  });

  test('an entry without a file is told', async () => {
    await context.nvim.command('4');
    await context.nvim.command('ClaudeMention');
    await told('Claude Bridge: no file or folder of this machine here');
  });
});

describe(':ClaudeMentionDiagnostic', () => {
  const diagnose = (...list: object[]) =>
    context.nvim.lua(
      `vim.diagnostic.set(vim.api.nvim_create_namespace('test'), 0,
        vim.tbl_map(function(one) return vim.tbl_extend('keep', one, { message = 'm' }) end, ...))`,
      [list],
    );
  const mentionAt = async (line: number, column: number) => {
    await context.nvim.lua('vim.api.nvim_win_set_cursor(0, { select(1, ...), select(2, ...) })', [
      line,
      column,
    ]);
    await context.nvim.command('ClaudeMentionDiagnostic');
  };
  beforeEach(() => context.show(file));

  test('the line of the one at the cursor', async () => {
    await diagnose({ lnum: 6, col: 1, end_lnum: 6, end_col: 3 });
    await mentionAt(7, 2);
    await mentioned({ path: file, first: 6, last: 6 });
  });

  test('all lines of one that has several, from each of them', async () => {
    await diagnose({ lnum: 6, col: 1, end_lnum: 9, end_col: 2 });
    await mentionAt(9, 0);
    await mentionAt(7, 0);
    const lines = { path: file, first: 6, last: 9 };
    await mentioned(lines, lines);
  });

  test('not the line before whose first column it ends', async () => {
    await diagnose({ lnum: 6, col: 0, end_lnum: 8, end_col: 0 });
    await mentionAt(7, 0);
    await mentioned({ path: file, first: 6, last: 7 });
  });

  test('of two on a line the one at the cursor', async () => {
    await diagnose(
      { lnum: 6, col: 0, end_lnum: 6, end_col: 2 },
      { lnum: 6, col: 3, end_lnum: 12, end_col: 1 },
    );
    await mentionAt(7, 1);
    await mentioned({ path: file, first: 6, last: 6 });
  });

  test('of none at the cursor those of the line', async () => {
    await diagnose({ lnum: 6, col: 3, end_lnum: 6, end_col: 4 });
    await mentionAt(7, 0);
    await mentioned({ path: file, first: 6, last: 6 });
  });

  test('one that reaches beyond the end of the file', async () => {
    await diagnose({ lnum: 28, col: 0, end_lnum: 99, end_col: 1 });
    await mentionAt(30, 0);
    await mentioned({ path: file, first: 28, last: 29 });
  });

  test('where there is none, the user is told', async () => {
    await diagnose({ lnum: 6, col: 3 });
    await mentionAt(9, 0);
    await told('Claude Bridge: no diagnostic on this line');
    await mentioned();
  });
});

test('the Lua interface takes paths, with lines counted from 1', async () => {
  context.write('folder/b.txt');
  await context.nvim.lua(
    `local bridge = require('claude_bridge')
    bridge.mention({ 'a b.txt', ... })
    bridge.mention('a b.txt', { first = 2, last = 4 })`,
    [context.path('folder')],
  );
  await mentioned(
    { path: file },
    { path: `${context.path('folder')}/` },
    { path: file, first: 1, last: 3 },
  );
});
