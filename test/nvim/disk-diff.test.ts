import fs from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { PROJECT } from '../support/nvim.ts';
import { type ReviewBench, snapshot, startReviews } from '../support/reviews.ts';
import { waitFor } from '../support/wait-for.ts';

let bench: ReviewBench;
afterEach(() => bench.dispose());

async function edit(content: string | Uint8Array): Promise<string> {
  bench = await startReviews({ ui: true });
  await bench.nvim.command(`source ${PROJECT}/plugin/claude_bridge.lua`);
  const file = bench.write('a.txt', content);
  await bench.nvim.lua('vim.cmd.edit(...)', [file]);
  return file;
}

/** Another program writes the file while the user has typed. */
async function bothChange(file: string, content: string | Uint8Array): Promise<void> {
  await bench.nvim.feed('Gomine<Esc>');
  fs.writeFileSync(file, content);
  fs.utimesSync(file, new Date(), new Date(Date.now() + 5_000));
  await bench.nvim.lua(`require('claude_bridge.reload').reload({ paths = { ... } })`, [file]);
}

/** The text of the windows of the tabpage, from the left, and whether they are a diff. */
const sides = (): Promise<unknown> =>
  bench.nvim.lua(`
    return vim.tbl_map(function(window)
      local buffer = vim.api.nvim_win_get_buf(window)
      return { vim.wo[window].diff, vim.api.nvim_buf_get_lines(buffer, 0, -1, false) }
    end, vim.api.nvim_tabpage_list_wins(0))`);

test('where both sides have changed the user is told, and one command shows them', async () => {
  const file = await edit('one\ntwo\n');
  await bothChange(file, 'one\nTWO\n');
  expect(await bench.nvim.messages()).toContain(
    'a.txt changed on disk; your unsaved text stays (:ClaudeDiffDisk shows both)',
  );
  const before = await snapshot(bench.nvim);
  await bench.nvim.command('ClaudeDiffDisk');
  expect(await sides()).toEqual([
    [true, ['one', 'TWO']],
    [true, ['one', 'two', 'mine']],
  ]);
  await bench.nvim.screen.shows('a.txt on disk', ':w! keeps it, :e! takes the other, :q ends');
  await bench.nvim.command('quit');
  await waitFor(async () => expect(await snapshot(bench.nvim)).toEqual(before));
});

test.each(['close', 'tabclose', 'wincmd h | close', 'wincmd h | only', 'only'])(
  ':%s ends it, and leaves no trace in the buffer',
  async (command) => {
    await edit('one\ntwo\n');
    const before = await snapshot(bench.nvim);
    await bench.nvim.command('ClaudeDiffDisk');
    await bench.nvim.command(command);
    await waitFor(async () => expect(await snapshot(bench.nvim)).toEqual(before));
    expect(
      await bench.nvim.lua(`return vim.tbl_filter(function(autocommand)
        return (autocommand.group_name or ''):find('disk_diff') ~= nil
      end, vim.api.nvim_get_autocmds({}))`),
    ).toEqual([]);
    await bench.nvim.command('split');
    expect(await bench.nvim.lua('return { vim.wo.diff, vim.wo.winbar }')).toEqual([false, '']);
  },
);

test('asked for once more it is gone to, and not opened twice', async () => {
  await edit('one\n');
  const before = await snapshot(bench.nvim);
  await bench.nvim.command('ClaudeDiffDisk');
  const diff = await bench.nvim.lua('return vim.api.nvim_get_current_win()');
  for (const command of ['wincmd h', 'tabfirst', 'ClaudeDiffDisk a.txt']) {
    await bench.nvim.command(command);
    await bench.nvim.command('ClaudeDiffDisk a.txt');
    expect(await bench.nvim.lua('return vim.api.nvim_get_current_win()')).toBe(diff);
  }
  expect(await bench.nvim.lua(`return vim.fn.tabpagenr('$')`)).toBe(2);
  await bench.nvim.command('quit');
  await waitFor(async () => expect(await snapshot(bench.nvim)).toEqual(before));
  await bench.nvim.command('ClaudeDiffDisk');
  expect(await bench.nvim.lua(`return vim.fn.tabpagenr('$')`)).toBe(2);
});

test('from the terminal it is the file of which the user was told', async () => {
  const file = await edit('one\n');
  await bothChange(file, 'ONE\n');
  await bench.nvim.command('terminal cat');
  await bench.nvim.command('ClaudeDiffDisk');
  expect(await sides()).toEqual([
    [true, ['ONE']],
    [true, ['one', 'mine']],
  ]);
});

test('do takes the text of the disk, and what is written shows at the left', async () => {
  const file = await edit('one\ntwo\n');
  await bothChange(file, 'ONE\ntwo\n');
  await bench.nvim.command('ClaudeDiffDisk');
  await bench.nvim.feed('do');
  expect(await sides()).toMatchObject([{}, [true, ['ONE', 'two', 'mine']]]);
  await bench.nvim.feed('Goboth<Esc>:w!<CR>');
  await waitFor(async () =>
    expect(await sides()).toEqual([
      [true, ['ONE', 'two', 'mine', 'both']],
      [true, ['ONE', 'two', 'mine', 'both']],
    ]),
  );
  expect(fs.readFileSync(file, 'utf8')).toBe('ONE\ntwo\nmine\nboth\n');
});

test.each([
  ['CRLF', 'one\r\ntwo\r\n', 'one\r\nTWO\r\n'],
  ['no final newline', 'one\ntwo', 'one\nTWO'],
  [
    'latin1',
    Buffer.from('one\nd\xe9j\xe0\n', 'latin1'),
    Buffer.from('one\nD\xe9j\xe0\n', 'latin1'),
  ],
  ['a byte order mark', '\ufeffone\ntwo\n', '\ufeffone\nTWO\n'],
])('of a file with %s only what changed differs', async (_, content, changed) => {
  const file = await edit(content);
  await bothChange(file, changed);
  await bench.nvim.command('ClaudeDiffDisk');
  const differs = await bench.nvim.lua(
    `vim.cmd.redraw() return { vim.fn.diff_hlID(1, 1), vim.fn.diff_hlID(2, 1) ~= 0 }`,
  );
  expect(differs).toEqual([0, true]);
});

test.each([
  ['a buffer without a name', 'enew', 'this is not the buffer of a file; name one'],
  ['a file that is gone', "call delete(expand('%'))", 'a.txt is not on disk'],
  [
    'a folder in its place',
    "call delete(expand('%')) | call mkdir(expand('%'))",
    'a.txt cannot be read: it is a directory',
  ],
])('%s is told', async (_, command, message) => {
  await edit('one\n');
  const before = await bench.nvim.lua(`return #vim.api.nvim_list_bufs()`);
  await bench.nvim.command(command);
  await bench.nvim.command('ClaudeDiffDisk');
  expect(await bench.nvim.messages()).toContain(message);
  expect(await bench.nvim.lua(`return vim.fn.tabpagenr('$')`)).toBe(1);
  expect(await bench.nvim.lua(`return #vim.api.nvim_list_bufs()`)).toBe(
    command === 'enew' ? Number(before) + 1 : before,
  );
});

test('a file that is named need not be in the current window', async () => {
  await edit('one\n');
  await bench.nvim.command('enew');
  await bench.nvim.command('ClaudeDiffDisk a.txt');
  expect(await sides()).toHaveLength(2);
  await bench.nvim.command('tabclose');
  await bench.nvim.command('ClaudeDiffDisk nowhere.txt');
  expect(await bench.nvim.messages()).toContain('nowhere.txt is in no buffer');
});
