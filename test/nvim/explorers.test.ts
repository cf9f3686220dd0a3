/** `:ClaudeMention` in lists of files: what is marked, what is selected, what the cursor is at. */
import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Context } from '../support/context.ts';
import { canMark, EXPLORERS, Explorer } from '../support/explorers.ts';
import { waitFor } from '../support/wait-for.ts';

let context: Context;
beforeEach(async () => {
  context = await Context.start({
    ui: true,
    args: ['--cmd', 'runtime plugin/claude_bridge.lua'],
  });
  await context.nvim.command('xnoremap M <Plug>(ClaudeMention)');
  await context.nvim.command('xnoremap K <Cmd>ClaudeMention<CR>');
});
afterEach(() => context.dispose());

const NAMES = ['a b.txt', 'b [id].ts', 'c$HOME.md', 'naïve'];
const mentions = () =>
  context.raw
    .filter(({ kind }) => kind === 'mention')
    .map(({ path, first, last }) => [path, ...(first === undefined ? [] : [first, last])]);
const mentioned = (...wanted: (string | [string, number, number])[]) =>
  waitFor(() =>
    expect(mentions().sort()).toEqual(
      wanted.map((one) => (typeof one === 'string' ? [one] : one)).sort(),
    ),
  );

describe.each(EXPLORERS)('%s', (name) => {
  let explorer: Explorer;
  const file = (short: string) => context.path(`ws/${short}`);
  beforeEach(async () => {
    for (const short of NAMES) context.write(`ws/${short}`);
    context.write('ws/folder/inside.txt');
    explorer = new Explorer(context.nvim, name);
    await explorer.load();
    await explorer.open(context.path('ws'), [...NAMES, 'folder']);
  });

  test.each(NAMES)('the file at the cursor: %s', async (short) => {
    await explorer.go(short);
    await context.nvim.command('ClaudeMention');
    await mentioned(file(short));
  });

  test('a folder, with a slash', async () => {
    await explorer.go('folder');
    await context.nvim.command('ClaudeMention');
    await mentioned(`${file('folder')}/`);
  });

  test.each(['M', 'K'])('the rows of visual mode, by the map %s, from below too', async (key) => {
    await explorer.go('c$HOME.md');
    const rows = (await explorer.row('c$HOME.md')) - (await explorer.row('a b.txt'));
    await context.nvim.input(`V${rows}k${key}`);
    await mentioned(file('a b.txt'), file('b [id].ts'), file('c$HOME.md'));
  });

  test('the cursor and the scroll position stay', async () => {
    await explorer.go('b [id].ts');
    const view = () => context.nvim.lua('return vim.fn.winsaveview()');
    const before = await view();
    await context.nvim.command('1,$ClaudeMention');
    await waitFor(() => expect(mentions().length).toBeGreaterThan(3));
    expect(await view()).toEqual(before);
  });

  if (canMark(name))
    test('what is marked, before what the cursor is at', async () => {
      await explorer.mark('a b.txt');
      await explorer.mark('folder');
      await explorer.go('naïve');
      await context.nvim.command('ClaudeMention');
      await mentioned(file('a b.txt'), `${file('folder')}/`);
    });

  if (canMark(name))
    test('rows of visual mode before what is marked', async () => {
      await explorer.mark('a b.txt');
      await explorer.go('naïve');
      await context.nvim.input('VM');
      await mentioned(file('naïve'));
    });

  test('nothing that is gone meanwhile', async () => {
    fs.rmSync(file('a b.txt'));
    await explorer.go('a b.txt');
    await context.nvim.command('ClaudeMention');
    await expect
      .poll(() => context.nvim.messages())
      .toMatch(/^Claude Bridge: no file or folder of this machine here$/m);
    expect(mentions()).toEqual([]);
  });
});

describe('netrw', () => {
  let explorer: Explorer;
  beforeEach(async () => {
    context.write('ws/deep/er/file.txt');
    context.write('ws/prog', '#!/bin/sh\n');
    fs.chmodSync(context.path('ws/prog'), 0o755);
    context.write('elsewhere');
    fs.symlinkSync('../elsewhere', context.path('ws/link'));
    context.write('ws/star*');
    context.write('ws/at@');
    explorer = new Explorer(context.nvim, 'netrw');
    await explorer.load();
  });

  test.each(['prog', 'link', 'star*', 'at@'])('names with its own marks: %s', async (name) => {
    await explorer.open(context.path('ws'), [name]);
    await explorer.go(name);
    await context.nvim.command('ClaudeMention');
    await mentioned(context.path(`ws/${name}`));
  });

  test.each([0, 1, 2])('in list style %i', async (style) => {
    await context.nvim.command(`let g:netrw_liststyle = ${style}`);
    await explorer.open(context.path('ws'), ['prog']);
    await explorer.go('prog');
    await context.nvim.feed('0');
    if (style === 2) await context.nvim.lua(`vim.fn.search('prog', 'c')`);
    await context.nvim.command('ClaudeMention');
    await mentioned(context.path('ws/prog'));
  });

  test.each([0, 1, 3])('the folder itself, in list style %i', async (style) => {
    await context.nvim.command(`let g:netrw_liststyle = ${style}`);
    await explorer.open(context.path('ws'), ['prog']);
    const rows = await context.nvim.lua<string[]>('return vim.fn.getline(1, "$")');
    const row = rows.findIndex((line) => /^(\.|ws)\//.test(line)) + 1;
    await context.nvim.lua('vim.api.nvim_win_set_cursor(0, { ..., 0 })', [row]);
    await context.nvim.command('ClaudeMention');
    await mentioned(`${context.path('ws')}/`);
  });

  test('in a tree, below opened folders', async () => {
    await context.nvim.command('let g:netrw_liststyle = 3');
    await explorer.open(context.path('ws'), ['deep']);
    for (const [folder, inside] of [
      ['deep', 'er'],
      ['er', 'file.txt'],
    ] as const) {
      await explorer.go(folder);
      await context.nvim.input('<CR>');
      await waitFor(() => explorer.row(inside));
    }
    await explorer.go('file.txt');
    await context.nvim.input('VkM');
    await mentioned(context.path('ws/deep/er/file.txt'), `${context.path('ws/deep/er')}/`);
  });

  test('the banner is no entry, and is not carried out', async () => {
    await explorer.open(context.path('ws'), ['prog']);
    const lines = () => context.nvim.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)');
    const before = await lines();
    await context.nvim.command('1,$ClaudeMention');
    await waitFor(() => expect(mentions()).toHaveLength(5));
    expect(await lines()).toEqual(before);
  });
});

describe('what is not on this machine', () => {
  test('a folder that oil shows by ssh', async () => {
    await context.nvim.lua(`
      vim.bo.filetype = 'oil'
      vim.api.nvim_buf_set_name(0, 'oil-ssh://host/x/')
      package.loaded['oil'] = {
        get_current_dir = function() end,
        get_entry_on_line = function() return { name = 'a.txt' } end,
      }`);
    await context.nvim.command('ClaudeMention');
    await expect.poll(() => context.nvim.messages()).toContain('no file or folder of this machine');
    expect(mentions()).toEqual([]);
  });

  test.each(['scp://host/a.txt', 'a.txt', 'oil:///x/a.txt', 'term://x'])(
    'a path such as %s, whatever list it comes from',
    async (path) => {
      // Relative to the working directory there are such files, whose folders are called `scp:`.
      context.write(path);
      await context.nvim.lua(
        `vim.bo.filetype = 'minifiles'
        local path = ...
        package.loaded['mini.files'] = { get_fs_entry = function() return { path = path } end }`,
        [path],
      );
      await context.nvim.command('ClaudeMention');
      await expect.poll(() => context.nvim.messages()).toContain('no file or folder');
      expect(mentions()).toEqual([]);
    },
  );
});

test('nothing of an explorer is loaded where none is on screen', async () => {
  await context.open('oil/neo-tree.lua', 'x\n');
  await context.nvim.command('ClaudeMention');
  await mentioned(context.path('oil/neo-tree.lua'));
  expect(
    await context.nvim.lua(`return vim.tbl_filter(function(name)
      return vim.startswith(name, 'claude_bridge.explorers.')
    end, vim.tbl_keys(package.loaded))`),
  ).toEqual([]);
});

test('items of a search have their lines, others none', async () => {
  const explorer = new Explorer(context.nvim, 'snacks');
  await explorer.load();
  const path = context.write('found.txt', 'x\n'.repeat(20));
  await context.nvim.lua(
    `local path = ...
    require('snacks').picker({ focus = 'list', items = {
      { text = 'one', file = path, pos = { 12, 3 }, line = 'the text' },
      { text = 'two', file = path, pos = { 7, 0 } },
      { text = 'three' },
    }, format = 'text' })`,
    [path],
  );
  await waitFor(async () => {
    expect(await context.nvim.lua('return vim.bo.filetype')).toBe('snacks_picker_list');
    await explorer.row('three');
  });
  await context.nvim.command('1,3ClaudeMention');
  await mentioned([path, 11, 11], path);
});
