import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startNvim, type TestNvim, tempDir } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

let nvim: TestNvim;
let folder: string;

beforeEach(async () => {
  folder = tempDir();
  nvim = await startNvim({ ui: true, cwd: folder });
});
afterEach(async () => {
  await nvim.dispose();
  fs.rmSync(folder, { recursive: true, force: true });
});

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}\n`).join('');
const text = () => nvim.lua<string[]>('return vim.api.nvim_buf_get_lines(0, 0, -1, false)');
const messages = async () => (await nvim.messages()).split('\n').filter((line) => line !== '');
const reload = (...paths: string[]) =>
  nvim.lua(`return require('claude_bridge.rpc').call('documents.reload', { paths = ... })`, [
    paths,
  ]);

async function open(content: string | Uint8Array, name = 'a.txt'): Promise<string> {
  const file = path.join(folder, name);
  fs.writeFileSync(file, content);
  await nvim.lua(`vim.cmd.edit(vim.fn.fnameescape(...))`, [file]);
  return file;
}

/** Writes as agents do: at once, or a new file in its place; never within the same clock tick. */
async function change(file: string, content: string | Uint8Array, rename = false) {
  const target = rename ? `${file}.new` : file;
  fs.writeFileSync(target, content);
  if (rename) fs.renameSync(target, file);
  fs.utimesSync(file, new Date(), new Date(Date.now() + 5_000));
}

test.each([
  ['autoread', false],
  ['noautoread', false],
  ['autoread', true],
  ['noautoread', true],
])('with %s an unmodified buffer shows the new text (renamed: %s)', async (option, rename) => {
  await nvim.command(`set ${option}`);
  const file = await open('one\n');
  await change(file, 'two\n', rename);
  expect(await reload(file)).toEqual({ ok: true });
  expect(await text()).toEqual(['two']);
  expect(await nvim.lua('return vim.bo.modified')).toBe(false);
  expect(await messages()).toEqual([]);
});

test('a hidden buffer, one reached by a link and one with an odd name are shown anew', async () => {
  const odd = await open('one\n', '[x] $HOME %.txt');
  const file = await open('one\n');
  const link = path.join(folder, 'link.txt');
  fs.symlinkSync(file, link);
  await nvim.command('enew');
  await change(file, 'two\n');
  await change(odd, 'two\n');
  await reload(link, odd, path.join(folder, 'never opened.txt'));
  expect(
    await nvim.lua(
      `return vim.tbl_map(function(name)
      return vim.api.nvim_buf_get_lines(vim.fn.bufadd(name), 0, -1, false)[1]
    end, ...)`,
      [[file, odd]],
    ),
  ).toEqual(['two', 'two']);
});

test('cursor and scroll position stay in every window', async () => {
  const file = await open(numbered(300));
  await nvim.command('split | normal 150Gzt5j3l');
  await nvim.command('wincmd w | normal 250Gzb2k');
  const views = () =>
    nvim.lua(`return vim.tbl_map(function(w)
      return vim.api.nvim_win_call(w, function() return { vim.fn.line('.'), vim.fn.col('.'), vim.fn.line('w0') } end)
    end, vim.api.nvim_tabpage_list_wins(0))`);
  const before = await views();
  await change(file, `${numbered(299)}changed\n`);
  await reload(file);
  expect((await text()).at(-1)).toBe('changed');
  expect(await views()).toEqual(before);
});

test('the undo history goes back to the text before, however long the file is', async () => {
  const file = await open(numbered(20_000));
  await change(file, 'short\n');
  await reload(file);
  expect(await text()).toEqual(['short']);
  await nvim.feed('u');
  expect((await text()).length).toBe(20_000);
  expect(await nvim.lua('return vim.o.undoreload')).toBe(10_000);
});

test('unsaved text stays; the user is told once, until it is saved or read again', async () => {
  const file = await open('one\n');
  let seconds = 10;
  const write = async (content: string) => {
    await change(file, content);
    seconds += 10;
    fs.utimesSync(file, new Date(), new Date(Date.now() + seconds * 1_000));
    await reload(file);
  };
  await nvim.feed('omine<Esc>');
  for (const content of ['two\n', 'three\n', 'four\n']) {
    await write(content);
    await reload(file);
    expect(await text()).toEqual(['one', 'mine']);
    expect(await messages()).toHaveLength(1);
  }
  expect((await messages())[0]).toContain('a.txt changed on disk; your unsaved text stays');
  await nvim.command('checktime');
  expect(await nvim.client.request('nvim_get_mode', [])).toEqual({ mode: 'n', blocking: false });
  const settle = ['silent write!', 'silent edit!', 'silent undo'];
  for (const [index, command] of settle.entries()) {
    await nvim.command(command);
    if (command.includes('undo')) await write('anew\n');
    await nvim.feed('omore<Esc>');
    await write(`five ${index}\n`);
    expect((await messages()).filter((line) => line.includes('on disk'))).toHaveLength(index + 2);
  }
});

test('a deleted file loses nothing, and comes back', async () => {
  const file = await open('one\n');
  fs.rmSync(file);
  await reload(file);
  expect(await text()).toEqual(['one']);
  const gone = 'Claude Bridge: a.txt is gone from the disk; its text is still here';
  await waitFor(async () => expect(await messages()).toEqual([gone]));
  await change(file, 'back\n');
  await reload(file);
  expect(await text()).toEqual(['back']);
});

test('a file that is looked at between its deletion and its new text is not gone', async () => {
  const gone = await open('one\n', 'gone.txt');
  const file = await open('one\n');
  fs.rmSync(file);
  fs.rmSync(gone);
  await reload(file, gone);
  await change(file, 'anew\n');
  await waitFor(async () => expect(await text()).toEqual(['anew']));
  const told = 'Claude Bridge: gone.txt is gone from the disk; its text is still here';
  await waitFor(async () => expect(await messages()).toEqual([told]));
});

test('a file that is looked at while it is being written is shown when it is', async () => {
  const emptied = await open('one\n', 'emptied.txt');
  const file = await open('one\n');
  await change(file, '');
  await change(emptied, '');
  await reload(file, emptied);
  await change(file, 'two\n');
  await waitFor(async () => expect(await text()).toEqual(['two']));
  await nvim.feed('u');
  expect(await text()).toEqual(['one']);
  await nvim.command('edit emptied.txt');
  await waitFor(async () => expect(await text()).toEqual(['']));
});

test('a buffer for a file that did not exist yet shows it', async () => {
  const file = path.join(folder, 'new.txt');
  await nvim.command(`edit ${file}`);
  await change(file, 'created\n');
  await reload(file);
  expect(await text()).toEqual(['created']);
  expect(await messages()).toEqual([]);
});

test('text typed for a file that did not exist yet stays, without a dialog', async () => {
  const file = path.join(folder, 'new.txt');
  await nvim.command(`edit ${file}`);
  await nvim.feed('imine<Esc>');
  await change(file, 'created\n');
  await reload(file);
  await reload(file);
  expect(await nvim.client.request('nvim_get_mode', [])).toEqual({ mode: 'n', blocking: false });
  expect(await text()).toEqual(['mine']);
  expect(await messages()).toEqual([
    expect.stringContaining('new.txt was created on disk; your unsaved text stays'),
  ]);
});

test('encoding and line ends stay those of the buffer', async () => {
  const file = await open(Buffer.from('caf\xe9\r\nx\r\n', 'latin1'));
  await change(file, Buffer.from('caf\xe9\r\ny\r\n', 'latin1'));
  await reload(file);
  expect(await text()).toEqual(['café', 'y']);
  expect(await nvim.lua('return { vim.bo.fileformat, vim.bo.fileencoding }')).toEqual([
    'dos',
    'latin1',
  ]);
});

test("someone's own handler of the event is not in the way", async () => {
  await nvim.command(`set noautoread | autocmd FileChangedShell * let v:fcs_choice = 'ask'`);
  const file = await open('one\n');
  await change(file, 'two\n');
  await reload(file);
  expect(await text()).toEqual(['two']);
});

test('outside of our own check the question is the user’s', async () => {
  await nvim.command('set noautoread');
  const file = await open('one\n');
  await change(file, 'two\n');
  await nvim.input(':checktime<CR>');
  await waitFor(async () =>
    expect(await nvim.client.request('nvim_get_mode', [])).not.toEqual({
      mode: 'n',
      blocking: false,
    }),
  );
});

test('a change during the command-line window is shown after it', async () => {
  const file = await open('one\n');
  await nvim.input('q:');
  await waitFor(async () => expect(await nvim.lua('return vim.fn.getcmdwintype()')).toBe(':'));
  await change(file, 'two\n');
  expect(await reload(file)).toEqual({ ok: true });
  await nvim.input(':q<CR>');
  await waitFor(async () => expect(await text()).toEqual(['two']));
});

test('typing goes on while the file under the cursor is shown anew', async () => {
  const file = await open('one\ntwo\n');
  const other = await open('other\n', 'b.txt');
  await nvim.command(`split ${file}`);
  await nvim.command('wincmd w');
  await nvim.input('Atyped');
  await change(file, 'new\ntwo\n');
  await reload(file);
  await nvim.input(' more<Esc>');
  await waitFor(async () =>
    expect(
      await nvim.lua(`return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)`, [other]),
    ).toEqual(['othertyped more']),
  );
});
