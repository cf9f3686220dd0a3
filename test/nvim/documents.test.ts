/** The list of open files, their state, and saving them without a question. */
import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Context } from '../support/context.ts';
import { waitFor } from '../support/wait-for.ts';

let context: Context;
beforeEach(async () => {
  context = await Context.start({ ui: true });
});
afterEach(() => context.dispose());

const names = async () => (await context.port.openEditors()).map(({ path }) => path);
const active = async () =>
  (await context.port.openEditors()).filter(({ isActive }) => isActive).map(({ path }) => path);
const read = (file: string) => fs.readFileSync(file, 'utf8');
const mode = () => context.nvim.client.request('nvim_get_mode', []);

describe('the list', () => {
  test('has the files alone, with language, lines and unsaved text', async () => {
    await context.nvim.command('filetype on');
    const a = await context.open('a.lua', 'one\ntwo\n');
    const b = await context.open('b', 'x');
    await context.nvim.feed('ia<Esc>');
    await context.nvim.command('new | new plugin://x | help | terminal');
    expect(await context.port.openEditors()).toEqual([
      { path: a, languageId: 'lua', isActive: false, isDirty: false, lineCount: 2 },
      { path: b, languageId: 'plaintext', isActive: true, isDirty: true, lineCount: 1 },
    ]);
  });

  test('loses a file with its buffer', async () => {
    const a = await context.open('a.txt');
    const b = await context.open('b.txt');
    await context.nvim.command(`bwipeout ${a}`);
    expect(await names()).toEqual([b]);
    await waitFor(() => expect(context.of('documents').at(-1)?.paths).toEqual([b]));
  });

  test('is told when it changes', async () => {
    const a = await context.open('a.txt');
    await waitFor(() => expect(context.of('documents').at(-1)?.paths).toEqual([a]));
  });

  test.each(['new | terminal', 'topleft vnew | setlocal buftype=nofile', 'copen'])(
    'keeps the last file active beside %s',
    async (command) => {
      const a = await context.open('a.txt');
      await context.nvim.command('vsplit');
      const b = await context.open('b.txt');
      expect(await active()).toEqual([b]);
      await waitFor(() => expect(context.selections.at(-1)?.path).toBe(b));
      await context.nvim.command(command);
      expect(await active()).toEqual([b]);
      expect(a).not.toBe(b);
    },
  );
});

describe('the state', () => {
  test('is of exactly the file that is asked for', async () => {
    await context.open('some_service.ts', 'x');
    context.write('service.ts', 'y');
    await context.open('i.ts', 'z');
    await context.nvim.feed('ix<Esc>');
    context.write('[id].ts', '');
    expect(await context.port.document(context.path('service.ts'))).toBeUndefined();
    expect(await context.port.document(context.path('[id].ts'))).toBeUndefined();
    expect(await context.port.document(context.path('i.ts'))).toEqual({
      path: context.path('i.ts'),
      isDirty: true,
      isUntitled: false,
      hasLanguageServer: false,
    });
  });

  test('is found by a linked folder, also for a file that is not on disk', async () => {
    fs.symlinkSync(context.workspace, context.path('link'));
    const a = await context.open('a.txt');
    await context.nvim.command('edit new.txt');
    expect(await context.port.document(context.path('link/a.txt'))).toMatchObject({ path: a });
    expect(await context.port.document(context.path('link/new.txt'))).toMatchObject({
      path: context.path('new.txt'),
    });
  });

  test('is unknown of a file that is only listed', async () => {
    const a = context.write('a.txt');
    await context.nvim.command(`badd ${a}`);
    expect(await context.port.document(a)).toBeUndefined();
  });
});

describe('saving', () => {
  const edit = async (name: string, content = 'old\n') => {
    const file = await context.open(name, content);
    await context.nvim.feed('ccnew<Esc>');
    return file;
  };

  test.each(['a.txt', '[id].vue', "q' $x|y.md"])('writes %j', async (name) => {
    const file = await edit(name);
    expect(await context.port.saveDocument(file)).toEqual({ kind: 'saved' });
    expect(read(file)).toBe('new\n');
    expect(await context.port.document(file)).toMatchObject({ isDirty: false });
  });

  test("runs the user's autocommands, also in a hidden buffer", async () => {
    await context.nvim.command('autocmd BufWritePre * call append(0, "header")');
    const file = await edit('a.txt');
    await context.open('b.txt');
    expect(await context.port.saveDocument(file)).toEqual({ kind: 'saved' });
    expect(read(file)).toBe('header\nnew\n');
  });

  test('leaves an unchanged file untouched', async () => {
    const file = await context.open('a.txt', 'old');
    const before = fs.statSync(file).mtimeMs;
    expect(await context.port.saveDocument(file)).toEqual({ kind: 'saved' });
    expect(fs.statSync(file).mtimeMs).toBe(before);
  });

  test('knows a file that is not open', async () => {
    const file = context.write('a.txt');
    expect(await context.port.saveDocument(file)).toEqual({ kind: 'not-open' });
  });

  test.each([
    ['the option readonly', 'setlocal readonly', /E45/],
    ['a missing folder', 'file gone/a.txt', /E212/],
    ['a fault of an autocommand', 'autocmd BufWritePre * throw "no!"', /no!/],
  ])('reports %s, with one line and no question', async (_, command, message) => {
    await context.nvim.command('set confirm');
    const file = await edit('a.txt');
    await context.nvim.command(command);
    const name = command.startsWith('file') ? context.path('gone/a.txt') : file;
    const result = await context.port.saveDocument(name);
    expect(result).toEqual({ kind: 'failed', message: expect.stringMatching(message) });
    expect(JSON.stringify(result)).not.toContain('\\n');
    expect(await mode()).toMatchObject({ blocking: false });
    expect(read(file)).toBe('old\n');
  });

  test('answers no where the file has changed on disk, and says so', async () => {
    const file = await edit('a.txt');
    fs.writeFileSync(file, 'changed by another\n');
    fs.utimesSync(file, new Date(), new Date(Date.now() + 10_000));
    expect(await context.port.saveDocument(file)).toEqual({
      kind: 'failed',
      message: 'it has changed on disk since it was read; write or reload it in Neovim',
    });
    expect(read(file)).toBe('changed by another\n');
    expect(await mode()).toMatchObject({ blocking: false, mode: 'n' });
    expect(await context.nvim.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')).toEqual([
      'new',
    ]);
  });
});

test('each call ends while Neovim waits at a prompt', async () => {
  await context.nvim.input(':echo "a\\nb"<CR>');
  await waitFor(async () => expect(await mode()).toMatchObject({ blocking: true }));
  const began = Date.now();
  await expect(context.port.diagnostics(undefined, 200)).rejects.toMatchObject({
    code: 'editor-busy',
  });
  expect(Date.now() - began).toBeLessThan(5_000);
});
