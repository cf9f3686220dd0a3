/** Opening files for an agent: which window, what is selected, and what stays as it was. */
import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenFileRequest, OpenTarget } from '../../src/core/ports.ts';
import { Context, type Told, told } from '../support/context.ts';
import { startNvim } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

let context: Context;
beforeEach(async () => {
  context = await Context.start();
});
afterEach(() => context.dispose());

const lua = <T>(code: string, ...args: unknown[]) => context.nvim.lua<T>(code, args);
const current = () => lua<string>('return vim.api.nvim_buf_get_name(0)');
const open = (
  path: string,
  target: OpenTarget = { kind: 'none' },
  rest: Partial<OpenFileRequest> = {},
) => context.port.openFile({ path, target, makeFrontmost: true, preview: false, ...rest });
const find = (startText: string, endText?: string, toEndOfLine = false): OpenTarget => ({
  kind: 'text',
  startText,
  endText,
  toEndOfLine,
});

const NAMES = [
  'a b.ts',
  '$post/index.tsx',
  '[id].vue',
  '100%.md',
  'naïve#1.txt',
  "q'.md",
  'a{b,c}.ts',
  'back\\slash',
  'new\nline',
  '`echo hi`',
  '$(touch pwned)',
  '*.ts',
  'x|quit',
  '-c quit',
  '+quit',
  '~',
  '日本.txt',
];

test.each(NAMES)('opens a file named %j as that, and no other', async (name) => {
  context.write('id.vue', 'a decoy');
  const file = context.write(name, 'text\n');
  expect(await open(file)).toEqual({ path: file, languageId: expect.any(String), lineCount: 1 });
  expect(await current()).toBe(file);
  expect(await lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')).toEqual(['text']);
  expect(await context.port.document(file)).toMatchObject({ path: file, isDirty: false });
  expect(fs.existsSync(context.path('pwned'))).toBe(false);
});

test('tells the language and the number of lines', async () => {
  await context.nvim.command('filetype on');
  const file = context.write('a.lua', 'one\ntwo\nthree\n');
  expect(await open(file)).toEqual({ path: file, languageId: 'lua', lineCount: 3 });
});

describe('a file that cannot be opened', () => {
  test.each([
    ['is missing', 'gone.txt', 'not-found', /^File not found: /],
    ['is a folder', '.', 'refused', /a directory/],
    ['is a pipe', 'pipe', 'refused', /a fifo/],
  ])('because it %s is refused in words', async (_, name, code, message) => {
    await lua(`vim.fn.system({ 'mkfifo', ... })`, context.path('pipe'));
    await expect(open(context.path(name))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(await lua('return #vim.api.nvim_list_bufs()')).toBe(1);
  });
});

test("a fault in the user's autocommands does not keep a file from being opened", async () => {
  await context.nvim.command('autocmd BufReadPost * throw "my fault"');
  const file = context.write('a.txt', 'text');
  await open(file);
  expect(await current()).toBe(file);
});

describe('what is selected', () => {
  const text = 'first\nconst x = 1;\nfunction hello() {\n  return "日本" + x;\n}\nlast\n';
  test.each([
    ['a text', find('hello'), ['hello', 2, 9, 2, 14]],
    ['its first occurrence', find('st'), ['st', 0, 3, 0, 5]],
    [
      'to an end text',
      find('function', '}'),
      ['function hello() {\n  return "日本" + x;\n}', 2, 0, 4, 1],
    ],
    ['to the end of the line', find('const', undefined, true), ['const x = 1;', 1, 0, 1, 12]],
    ['after non-ASCII text', find('+ x'), ['+ x', 3, 14, 3, 17]],
    ['non-ASCII text', find('"日', '本'), ['"日本', 3, 9, 3, 12]],
    ['a text over lines', find('first\nconst'), ['first\nconst', 0, 0, 1, 5]],
    ['a text with other line ends', find('first\r\nconst'), ['first\nconst', 0, 0, 1, 5]],
    ['a text that ends a line', find('last\n'), ['last', 5, 0, 5, 4]],
    ['one text where the end is missing', find('hello', 'nowhere'), ['hello', 2, 9, 2, 14]],
    ['no pattern', find('x = 1.'), ['', 0, 0, 0, 0]],
    [
      'lines',
      { kind: 'lines', lines: { first: 1, last: 2 } },
      ['const x = 1;\nfunction hello() {', 1, 0, 2, 18],
    ],
    ['lines past the end', { kind: 'lines', lines: { first: 5, last: 99 } }, ['last', 5, 0, 5, 4]],
  ] satisfies [string, OpenTarget, Told][])('%s', async (_, target, wanted) => {
    const file = context.write('a.ts', text);
    await open(file, target);
    await context.told(...wanted);
    expect(told(await context.port.currentSelection())).toEqual(wanted);
  });

  test('the same with selection=exclusive', async () => {
    await context.nvim.command('set selection=exclusive');
    await open(context.write('a.ts', text), find('const', undefined, true));
    await context.told('const x = 1;', 1, 0, 1, 12);
  });

  test('a text that is missing opens the file at its top', async () => {
    const file = await context.open('a.ts', text);
    await context.nvim.feed('G');
    await open(file, find('nowhere'));
    expect(await lua('return vim.api.nvim_win_get_cursor(0)')).toEqual([1, 0]);
    expect(await lua('return vim.fn.mode()')).toBe('n');
  });

  test('nothing, and the cursor stays, where no target is given', async () => {
    const file = await context.open('a.ts', text);
    await context.nvim.feed('4G');
    await context.show(context.write('b.ts'));
    await open(file);
    expect(await lua('return vim.fn.line(".")')).toBe(4);
  });

  test('replaces a selection that stands', async () => {
    const file = await context.open('a.ts', text);
    await context.nvim.input('ggVG');
    await waitFor(() => expect(context.selections.at(-1)?.range.end.line).toBe(5));
    await open(file, find('hello'));
    await context.told('hello', 2, 9, 2, 14);
  });
});

describe('which window', () => {
  const layout = () =>
    lua<string[]>(`return vim.tbl_map(function(win)
      return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)), ':t')
    end, vim.api.nvim_tabpage_list_wins(0))`);

  test.each([
    ['a terminal', 'botright vsplit | terminal'],
    ['a sidebar', 'topleft vnew | setlocal buftype=nofile winfixwidth'],
    ['a preview', 'pedit b.txt | wincmd P'],
    ['a pinned window', 'new | setlocal winfixbuf'],
    ['the quickfix list', 'copen'],
    ['help', 'help'],
  ])('%s keeps its buffer; the file goes to the file window', async (_, command) => {
    context.write('b.txt', 'b');
    await context.open('a.txt', 'a');
    const win = await lua<number>('return vim.api.nvim_get_current_win()');
    await context.nvim.command(command);
    const count = (await layout()).length;
    const file = context.write('c.txt', 'c');
    await open(file);
    expect(await current()).toBe(file);
    expect(await lua('return vim.api.nvim_get_current_win()')).toBe(win);
    expect(await layout()).toHaveLength(count);
  });

  test('a float keeps its buffer', async () => {
    await context.open('a.txt', 'a');
    await lua(`vim.api.nvim_open_win(vim.api.nvim_create_buf(true, false), true,
      { relative = 'editor', row = 1, col = 1, width = 10, height = 3 })`);
    const file = context.write('c.txt', 'c');
    await open(file);
    expect(await current()).toBe(file);
    expect(await lua('return vim.api.nvim_win_get_config(0).relative')).toBe('');
  });

  test('a foreign diff stays a diff of two', async () => {
    await context.open('a.txt', 'a');
    await context.nvim.command('diffthis | vnew | diffthis');
    await open(context.write('c.txt', 'c'));
    expect(
      await lua(`return #vim.tbl_filter(function(win) return vim.wo[win].diff end,
        vim.api.nvim_list_wins())`),
    ).toBe(2);
    expect(await lua('return vim.wo.diff')).toBe(false);
    expect(await layout()).toHaveLength(3);
  });

  test.each(['terminal', 'setlocal buftype=nofile', 'setlocal winfixbuf'])(
    'beside the only window, where that is taken: %s',
    async (command) => {
      await context.nvim.command(command);
      const only = await lua('return vim.api.nvim_get_current_win()');
      const file = context.write('c.txt', 'c');
      await open(file);
      expect(await current()).toBe(file);
      expect(await layout()).toHaveLength(2);
      expect(await lua('return vim.api.nvim_win_is_valid(...)', only)).toBe(true);
    },
  );

  test('a window that shows the file already is used', async () => {
    const file = await context.open('a.txt', 'a');
    await context.nvim.command('vsplit');
    await context.show(context.write('b.txt'));
    await open(file);
    expect(await layout()).toEqual(['b.txt', 'a.txt']);
    expect(await current()).toBe(file);
  });

  test('unsaved text is left alone without a question', async () => {
    await context.nvim.command('set nohidden');
    await context.open('a.txt', 'a');
    await context.nvim.feed('iunsaved <Esc>');
    const file = context.write('c.txt', 'c');
    await open(file);
    expect(await current()).toBe(file);
    expect(await context.port.document(context.path('a.txt'))).toMatchObject({ isDirty: true });
  });
});

describe('the user', () => {
  test('comes from terminal mode into normal mode', async () => {
    await context.nvim.command('terminal');
    await context.nvim.input('i');
    await waitFor(async () => expect(await lua('return vim.fn.mode()')).toBe('t'));
    const file = context.write('c.txt', 'one two');
    await open(file, find('two'));
    await context.told('two', 0, 4, 0, 7);
    expect(await current()).toBe(file);
  });

  test.each([
    ['inserts text', 'i', 'i'],
    ['types a command', ':echo', 'c'],
    ['is about to move by an operator', 'd', 'no'],
  ])('who %s keeps window and mode', async (_, keys, mode) => {
    const a = await context.open('a.txt', 'alpha beta');
    await context.nvim.input(keys);
    const modeNow = () => lua<string>('return vim.api.nvim_get_mode().mode');
    await waitFor(async () => expect(await modeNow()).toBe(mode));
    const file = context.write('c.txt', 'one two');
    await open(file, find('two'));
    expect(await current()).toBe(a);
    expect(await modeNow()).toBe(mode);
    expect(await lua('return #vim.fn.win_findbuf(vim.fn.bufadd(...))', file)).toBe(1);
  });
});

test('in the background only the buffer list grows', async () => {
  await context.open('a.txt', 'a');
  await context.open('b.txt', 'b');
  const state = () =>
    lua(`return { vim.api.nvim_list_wins(), vim.api.nvim_get_current_win(),
      vim.api.nvim_get_current_buf(), vim.fn.bufnr('#'), vim.fn.winrestcmd() }`);
  const before = await state();
  const file = context.write('c.txt', 'one\ntwo');
  expect(await open(file, find('two'), { makeFrontmost: false })).toMatchObject({ lineCount: 2 });
  expect(await state()).toEqual(before);
  expect((await context.port.openEditors()).map(({ path }) => path)).toEqual([
    context.path('a.txt'),
    context.path('b.txt'),
    file,
  ]);
});

test('a swap file asks no question', async () => {
  const file = context.write('a.txt', 'text');
  const other = await startNvim({ cwd: context.workspace });
  try {
    const swap = `set updatecount=200 swapfile directory=${context.workspace}`;
    await other.command(`${swap} | edit a.txt | preserve`);
    expect(fs.existsSync(context.path('a.txt.swp'))).toBe(true);
    await context.nvim.command(swap);
    await open(file);
    expect(await current()).toBe(file);
    expect(await context.nvim.client.request('nvim_get_mode', [])).toMatchObject({
      blocking: false,
    });
    expect(await lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')).toEqual(['text']);
    expect(await context.nvim.messages()).toMatch(/^.*: another Neovim may be editing .*$/);
  } finally {
    await other.dispose();
  }
});
