import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startNvim } from '../support/nvim.ts';
import { type ReviewBench, snapshot, startReviews } from '../support/reviews.ts';
import { waitFor } from '../support/wait-for.ts';

let bench: ReviewBench;
afterEach(() => bench.dispose());

const PROPOSAL = 'one\nTWO\n';
const left = () =>
  bench.nvim.lua<string[]>(`
    local layout = require('claude_bridge.review.state').pending()[1].layout
    return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(layout.left), 0, -1, false)`);
const titles = () =>
  bench.nvim.lua<string[]>(`
    local layout = require('claude_bridge.review.state').pending()[1].layout
    return { vim.wo[layout.left].winbar, vim.wo[layout.right].winbar }`);
const pending = () => bench.nvim.lua<number>(`return #require('claude_bridge.review').list()`);
const gone = () => waitFor(async () => expect(await pending()).toBe(0));

async function start(options: Parameters<typeof startReviews>[0] = {}) {
  bench = await startReviews(options);
  return bench.write('a.txt', 'one\ntwo\n');
}

test.each([
  '* ++nested silent! update | silent! wall',
  '* silent! write',
  '* ++nested silent! write',
  '* ++nested silent! write!',
  "* ++nested lua vim.cmd('silent! write')",
])('autosave accepts nothing (%s)', async (autosave) => {
  const file = await start({ ui: true });
  await bench.nvim.command(
    `autocmd TextChanged,TextChangedI,InsertLeave,BufLeave,FocusLost,BufModifiedSet,WinLeave,CursorHold,CursorMoved ${autosave}`,
  );
  const review = await bench.open({ path: file, proposal: PROPOSAL });
  await bench.nvim.input('ccthree<Esc>uu<C-r>ggdGu');
  for (let i = 0; i < 6; i += 1) await bench.nvim.input('<C-w>w');
  await bench.nvim.input(':doautocmd FocusLost<CR>');
  await waitFor(async () => expect(await bench.nvim.lua('return vim.fn.histnr(":")')).toBe(1));
  expect(bench.decided).toEqual([]);
  await bench.nvim.input(':q<CR>');
  expect(await review.outcome).toMatchObject({ kind: 'rejected' });
});

test('colours come without a FileType event and without a filetype', async () => {
  await start();
  await bench.nvim.command('syntax on | filetype plugin on');
  await bench.nvim.lua(
    `attached = {} vim.api.nvim_create_autocmd('FileType', { callback = function(e) table.insert(attached, e.match) end })`,
  );
  const file = bench.write('a.c', 'int a;\n');
  await bench.open({ path: file, proposal: 'int b;\n' });
  expect(await bench.nvim.lua('return { vim.bo.filetype, vim.bo.syntax, attached }')).toEqual([
    '',
    'c',
    [],
  ]);
  expect(await bench.nvim.lua(`return vim.fn.synIDattr(vim.fn.synID(1, 1, 1), 'name')`)).toBe(
    'cType',
  );
});

test('tree-sitter colours the proposal where it colours the file', async () => {
  await start();
  const file = bench.write('a.lua', 'local a = 1\n');
  await bench.nvim.command(`edit ${file}`);
  await bench.nvim.lua(`vim.treesitter.start(0, 'lua')`);
  await bench.open({ path: file, proposal: 'local b = 1\n' });
  expect(
    await bench.nvim.lua(
      `return vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil`,
    ),
  ).toBe(true);
});

test.each([
  ['50,000 lines', Array.from({ length: 50_000 }, (_, i) => `int number_of_line_${i};`).join('\n')],
  ['one line of 200,000 characters', `int a = ${'1'.repeat(200_000)};`],
])('%s get no colours', async (_, text) => {
  await start();
  await bench.nvim.command('syntax on');
  const file = bench.write('a.c', 'int a;\n');
  const review = await bench.open({ path: file, proposal: text });
  expect(await bench.nvim.lua('return vim.bo.syntax')).toBe('');
  await bench.nvim.feed(':w<CR>');
  expect(await review.outcome).toMatchObject({ text });
});

test('a swap file of another Neovim asks nothing', async () => {
  const file = await start({ ui: true });
  const other = await startNvim({ args: ['--cmd', 'set swapfile directory=.'], cwd: bench.folder });
  try {
    await other.lua(
      `vim.o.swapfile = true vim.o.updatecount = 1 vim.o.directory = '.' vim.cmd('edit a.txt | normal omine') vim.cmd('preserve')`,
    );
    expect(fs.readdirSync(bench.folder)).toContain('.a.txt.swp');
    await other.dispose();
    await bench.nvim.command('set swapfile directory=. updatecount=1');
    await bench.open({ path: file, proposal: PROPOSAL });
    expect(await left()).toEqual(['one', 'two']);
    expect(fs.readdirSync(bench.folder).filter((name) => name.startsWith('.a.txt'))).toEqual([
      '.a.txt.swp',
    ]);
  } finally {
    await other.dispose();
  }
});

test('a file that changed on disk is compared as it is now, without a question', async () => {
  const file = await start({ ui: true });
  await bench.nvim.command(`set noautoread | edit ${file}`);
  fs.writeFileSync(file, 'one\nfrom disk\n');
  await bench.open({ path: file, proposal: PROPOSAL });
  expect(await left()).toEqual(['one', 'from disk']);
});

test.each(['link.txt', 'linked/a.txt', './/a.txt', 'sub/../a.txt'])(
  'the file is found by the name %s',
  async (name) => {
    const file = await start();
    bench.write('sub/x', '');
    fs.symlinkSync(file, path.join(bench.folder, 'link.txt'));
    fs.symlinkSync(bench.folder, path.join(bench.folder, 'linked'));
    await bench.nvim.command(`edit ${file} | normal omine`);
    await bench.open({ path: `${bench.folder}/${name}`, proposal: PROPOSAL });
    expect(await left()).toEqual(['one', 'mine', 'two']);
    expect((await titles())[0]).toContain('[unsaved]');
  },
);

test.each([
  'a b',
  '$HOME',
  '[x]',
  '100%',
  'n#1',
  "q'",
  'x|y',
  'new\nline',
  '`echo`',
  '{a,b}',
  '*?',
  '++enc=latin1',
  'naïve',
])('a file called %j is shown', async (name) => {
  await start();
  const file = bench.write(`${name}.txt`, 'odd\n');
  const before = await snapshot(bench.nvim);
  const review = await bench.open({ path: file, proposal: 'even\n' });
  expect(await left()).toEqual(['odd']);
  expect(await bench.nvim.messages()).not.toMatch(/E\d+:/);
  await bench.nvim.feed(':w<CR>');
  expect(await review.outcome).toMatchObject({ kind: 'accepted' });
  await gone();
  expect(await snapshot(bench.nvim)).toEqual(before);
  await bench.nvim.lua(
    `vim.cmd.edit(vim.fn.fnameescape(...)) vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'mine' })`,
    [file],
  );
  await bench.open({ path: file, proposal: 'even\n', key: 'loaded' });
  expect(await left()).toEqual(['mine']);
});

test('what cannot be read is said so, not shown as empty', async () => {
  await start();
  fs.mkdirSync(path.join(bench.folder, 'folder'));
  await bench.open({ path: path.join(bench.folder, 'folder'), proposal: 'x\n' });
  expect((await titles())[0]).toContain('cannot be read: it is a directory');
});

test('a pipe is not read, which would wait for ever', async () => {
  await start();
  execFileSync('mkfifo', [path.join(bench.folder, 'pipe')]);
  await bench.open({ path: path.join(bench.folder, 'pipe'), proposal: 'x\n' });
  expect((await titles())[0]).toContain('cannot be read: it is a fifo');
});

test('titles are shown as they are', async () => {
  const file = await start();
  await bench.open({ path: file, proposal: PROPOSAL, key: '✻ [Claude Code] 100%{x}\n.txt ⧉' });
  expect((await titles())[1]).toContain('✻ [Claude Code] 100%%{x}?.txt ⧉');
});

test('what to type is readable beside a terminal in 80 columns', async () => {
  const file = await start();
  await bench.open({ path: file, proposal: PROPOSAL, key: '✻ [Claude Code] a.txt (c347a3) ⧉' });
  const title = await bench.nvim.lua(`
    return vim.api.nvim_eval_statusline(vim.wo.winbar, { use_winbar = true, maxwidth = 23 }).str`);
  expect(title).toBe('<:w accepts, :q rejects');
});

test('a missing folder stays missing', async () => {
  await start();
  const file = path.join(bench.folder, 'n/e/w.txt');
  for (const key of ['first', 'again']) {
    const review = await bench.open({ path: file, proposal: 'new\n', key });
    expect((await titles())[0]).toContain('[new file]');
    await bench.nvim.feed(':q<CR>');
    expect(await review.outcome).toMatchObject({ kind: 'rejected' });
    await gone();
  }
  expect(fs.existsSync(path.join(bench.folder, 'n'))).toBe(false);
});

test('a hunk that is taken back is part of the answer', async () => {
  const file = await start();
  const review = await bench.open({ path: file, proposal: 'ONE\ntwo\nthree\n' });
  await bench.nvim.feed('do:w<CR>');
  expect(await review.outcome).toEqual({
    kind: 'accepted',
    text: 'one\ntwo\nthree\n',
    edited: true,
  });
});

test('closing a tabpage of the user with a review in it rejects, and leaves nothing', async () => {
  const file = await start();
  await bench.nvim.command('tabnew');
  const review = await bench.open({ path: file, proposal: PROPOSAL });
  await bench.nvim.feed(':tabclose<CR>');
  expect(await review.outcome).toMatchObject({ kind: 'rejected' });
  await gone();
  expect(
    await bench.nvim.lua(`return { #vim.api.nvim_list_tabpages(), #vim.tbl_filter(function(b)
      return vim.api.nvim_buf_get_name(b):find('^claudebridge') end, vim.api.nvim_list_bufs()) }`),
  ).toEqual([1, 0]);
});

test('unsaved text is compared, and survives', async () => {
  const file = await start();
  await bench.nvim.command(`edit ${file} | normal Gomine`);
  for (const keys of [':q<CR>', ':w<CR>']) {
    const review = await bench.open({ path: file, proposal: PROPOSAL });
    expect(await left()).toEqual(['one', 'two', 'mine']);
    await bench.nvim.feed(keys);
    await review.outcome;
    await gone();
    expect(await bench.nvim.lua('return { vim.bo.modified, vim.fn.getline(3) }')).toEqual([
      true,
      'mine',
    ]);
  }
  expect(fs.readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  expect(await bench.nvim.messages()).not.toMatch(/E\d+:/);
});

test('several reviews at once, two of one file, are decided one by one', async () => {
  const file = await start();
  const other = bench.write('b.txt', 'b\n');
  const before = await snapshot(bench.nvim);
  const [a, b, c] = await Promise.all([
    bench.open({ path: file, proposal: 'A\n', key: 't1' }),
    bench.open({ path: other, proposal: 'B\n', key: 't2' }),
    bench.open({ path: file, proposal: 'C\n', key: 't3' }),
  ]);
  expect(await pending()).toBe(3);
  await bench.nvim.lua(`require('claude_bridge.review').jump(...) vim.cmd.write()`, [b.id]);
  expect(await b.outcome).toMatchObject({ text: 'B\n' });
  await bench.nvim.lua(`require('claude_bridge.review').jump(...) vim.cmd.quit()`, [a.id]);
  expect(await a.outcome).toMatchObject({ kind: 'rejected' });
  await bench.nvim.lua(`require('claude_bridge.review').jump(...) vim.cmd.write()`, [c.id]);
  expect(await c.outcome).toMatchObject({ text: 'C\n' });
  await gone();
  expect(await snapshot(bench.nvim)).toEqual(before);
});

test('commands find the review that is meant, else ask', async () => {
  const file = await start();
  await bench.nvim.lua(`vim.ui.select = function(items, options, choose)
    asked = vim.tbl_map(options.format_item, items) choose(items[2]) end`);
  const one = await bench.open({ path: file, proposal: '1\n', key: 'first' });
  const two = await bench.open({ path: file, proposal: '2\n', key: 'second' });
  await bench.nvim.command('tabnew');
  await bench.nvim.lua(`require('claude_bridge.review').reject('no good')`);
  expect(await two.outcome).toEqual({ kind: 'rejected', reason: 'no good' });
  expect(await bench.nvim.lua('return asked')).toEqual([
    'a.txt:1  +1  first',
    'a.txt:1  +2  second',
  ]);
  await bench.nvim.lua(`require('claude_bridge.review').accept()`);
  expect(await one.outcome).toMatchObject({ kind: 'accepted' });
  await gone();
  await bench.nvim.lua(`require('claude_bridge.review').accept()`);
  expect(await bench.nvim.messages()).toContain('no edit waits for a review');
});

test.each([
  ['accept_all()', { kind: 'accepted' }],
  ["reject_all('no')", { kind: 'rejected', reason: 'no' }],
])('all at once: %s', async (call, outcome) => {
  const file = await start();
  const before = await snapshot(bench.nvim);
  const reviews = [];
  for (const key of ['one', 'two', 'three']) {
    reviews.push(await bench.open({ path: file, proposal: `${key}\n`, key }));
  }
  await bench.nvim.lua(`require('claude_bridge.review').${call}`);
  for (const review of reviews) expect(await review.outcome).toMatchObject(outcome);
  await gone();
  expect(await snapshot(bench.nvim)).toEqual(before);
  await bench.nvim.lua(`require('claude_bridge.review').${call}`);
  expect(await bench.nvim.messages()).toContain('no edit waits for a review');
});

test('several edits of one file are told apart by what they change first', async () => {
  const file = await start();
  await bench.nvim.lua(`vim.ui.select = function(items, options)
    asked = vim.tbl_map(options.format_item, items) end`);
  const long = `\t${'é'.repeat(60)}`;
  const proposals = ['one\n', 'one\ntwo', 'one\ntwo\n', `one\n\ntwo\n`, `${long}\n`, ''];
  for (const [index, proposal] of proposals.entries()) {
    await bench.open({ path: file, proposal, key: `tab ${index}` });
  }
  await bench.nvim.command('tabnew');
  await bench.nvim.lua(`require('claude_bridge.review').jump()`);
  expect(await bench.nvim.lua('return asked')).toEqual([
    'a.txt:1  -two  tab 0',
    'a.txt:2  +two  tab 1',
    'a.txt  tab 2',
    'a.txt:2  +  tab 3',
    `a.txt:1  + ${'é'.repeat(38)}  tab 4`,
    'a.txt:1  -one  tab 5',
  ]);
});

test.each(['decided-elsewhere', 'withdrawn', 'stopped'] as const)(
  'text that was typed survives when the agent ends the review (%s)',
  async (end) => {
    const file = await start();
    const before = await snapshot(bench.nvim);
    const review = await bench.open({ path: file, proposal: PROPOSAL });
    await bench.nvim.feed('ccmine<Esc>');
    await review.close(end);
    expect(await review.outcome).toEqual({ kind: 'closed', end });
    expect(await snapshot(bench.nvim)).toEqual(before);
    expect(await bench.nvim.messages()).toContain(
      'a.txt: the review has ended; your text is kept (:ClaudeDiffRecall)',
    );
    await bench.nvim.lua(`require('claude_bridge.review').recall()`);
    expect(await bench.nvim.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')).toEqual([
      'one',
      'mine',
    ]);
  },
);

test('nothing is said where nothing was typed', async () => {
  const file = await start();
  const review = await bench.open({ path: file, proposal: PROPOSAL });
  await review.close('decided-elsewhere');
  expect(await bench.nvim.messages()).toBe('');
});

test('the same name again replaces the first review', async () => {
  const file = await start();
  const first = await bench.open({ path: file, proposal: 'A\n' });
  const second = await bench.open({ path: file, proposal: 'B\n' });
  expect(await first.outcome).toEqual({ kind: 'closed', end: 'withdrawn' });
  expect(await pending()).toBe(1);
  expect(await second.text()).toBe('B\n');
});

test('other plugins hear of reviews', async () => {
  const file = await start();
  await bench.nvim.lua(`heard = {} vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeBridgeReview*',
    callback = function(e) table.insert(heard, { e.match, e.data }) end })`);
  await bench.open({ path: file, proposal: PROPOSAL, key: 'a' });
  await bench.nvim.feed(':w<CR>');
  await gone();
  await bench.open({ path: file, proposal: PROPOSAL, key: 'b' });
  await bench.nvim.feed(':q<CR>');
  await gone();
  await (await bench.open({ path: file, proposal: PROPOSAL, key: 'c' })).close('withdrawn');
  const data = (id: string, title: string) => ({ id, path: file, title });
  await waitFor(async () =>
    expect(await bench.nvim.lua('return heard')).toEqual([
      ['ClaudeBridgeReviewOpened', data('1', 'a')],
      ['ClaudeBridgeReviewAccepted', data('1', 'a')],
      ['ClaudeBridgeReviewOpened', data('2', 'b')],
      ['ClaudeBridgeReviewRejected', data('2', 'b')],
      ['ClaudeBridgeReviewOpened', data('3', 'c')],
      ['ClaudeBridgeReviewClosed', data('3', 'c')],
    ]),
  );
});

test("errors in someone's autocommands stop neither opening nor closing", async () => {
  const file = await start();
  const before = await snapshot(bench.nvim);
  await bench.nvim.command(
    `autocmd WinEnter,WinLeave,BufEnter,BufLeave,WinClosed,BufWinEnter,BufWinLeave,WinNew,BufHidden,BufUnload,BufWipeout,OptionSet * throw 'theirs'`,
  );
  const review = await bench.open({ path: file, proposal: PROPOSAL });
  await review.close('withdrawn');
  await gone();
  await bench.nvim.command('autocmd!');
  expect(await snapshot(bench.nvim)).toEqual(before);
});

test('while Neovim waits at a prompt opening fails in time and is not done later', async () => {
  const limits = { openMs: 400, attemptMs: 150, closeMs: 100 };
  const file = await start({ ui: true, limits });
  await bench.nvim.input(':echo "a\\nb\\nc"<CR>');
  await waitFor(async () =>
    expect(await bench.nvim.client.request('nvim_get_mode', [])).toMatchObject({ blocking: true }),
  );
  await expect(bench.open({ path: file, proposal: PROPOSAL })).rejects.toMatchObject({
    code: 'editor-busy',
  });
  await bench.nvim.input('<CR>');
  await waitFor(async () =>
    expect(await bench.nvim.client.request('nvim_get_mode', [])).toMatchObject({ blocking: false }),
  );
  expect(await pending()).toBe(0);
  expect(bench.reviews.pending()).toEqual([]);
});

test('a caller that withdraws meanwhile sees nothing shown later', async () => {
  const file = await start({ ui: true });
  await bench.nvim.input(':echo "a\\nb\\nc"<CR>');
  await waitFor(async () =>
    expect(await bench.nvim.client.request('nvim_get_mode', [])).toMatchObject({ blocking: true }),
  );
  const caller = new AbortController();
  const opening = bench.open({ path: file, proposal: PROPOSAL, signal: caller.signal });
  caller.abort();
  await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
  await bench.nvim.input('<CR>');
  await waitFor(async () => expect(await pending()).toBe(0));
  expect(await bench.nvim.lua(`return vim.fn.winnr('$')`)).toBe(1);
});

test('a view that cannot be closed at a prompt goes when the prompt is answered', async () => {
  const limits = { openMs: 5_000, attemptMs: 1_000, closeMs: 50 };
  const file = await start({ ui: true, limits });
  const review = await bench.open({ path: file, proposal: PROPOSAL });
  await bench.nvim.input(':echo "a\\nb\\nc"<CR>');
  await waitFor(async () =>
    expect(await bench.nvim.client.request('nvim_get_mode', [])).toMatchObject({ blocking: true }),
  );
  await review.close('stopped');
  await bench.nvim.input('<CR>');
  await gone();
  expect(await bench.nvim.lua(`return vim.fn.winnr('$')`)).toBe(1);
});

test('an acceptance that nobody would hear of is refused, and the text stays', async () => {
  const file = await start();
  await bench.open({ path: file, proposal: PROPOSAL });
  await bench.nvim.lua(`require('claude_bridge.channel').detach()`);
  await bench.nvim.feed(':w<CR>');
  expect(await bench.nvim.messages()).toContain('the bridge does not run');
  expect(await pending()).toBe(1);
});

test('when the bridge is gone its reviews go too', async () => {
  const file = await start();
  const before = await snapshot(bench.nvim);
  await bench.open({ path: file, proposal: PROPOSAL });
  await bench.nvim.lua(`require('claude_bridge.session').emit('Stopped')`);
  await gone();
  expect(await snapshot(bench.nvim)).toEqual(before);
});

test('a proposal that is not editable cannot be changed', async () => {
  const file = await start();
  await bench.open({ path: file, proposal: PROPOSAL, editable: false });
  expect(await bench.nvim.lua('return vim.bo.modifiable')).toBe(false);
  await bench.nvim.feed(':w<CR>');
  await gone();
});

test('a review of five megabytes comes in slices, whole', { timeout: 90_000 }, async () => {
  // It is the bytes that count here; a loaded machine may take its time.
  const file = await start({ limits: { openMs: 25_000, attemptMs: 10_000, closeMs: 1_000 } });
  const text = Array.from({ length: 100_000 }, (_, i) => `line ${i} ${'x'.repeat(40)}\n`).join('');
  const review = await bench.open({ path: file, proposal: text });
  await bench.nvim.lua(`vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'first' })`);
  await bench.nvim.feed(':w<CR>');
  const outcome = await review.outcome;
  expect(outcome.kind === 'accepted' && outcome.text === text.replace(/^.*/, 'first')).toBe(true);
});

test('the file opens again where its cursor was last', async () => {
  bench = await startReviews({ ui: true });
  const text = Array.from({ length: 50 }, (_, i) => `line ${i}\n`).join('');
  const file = bench.write('a.txt', text);
  await bench.nvim.command(`edit ${file} | normal! 30G`);
  await bench.nvim.command(`edit ${bench.write('other.txt', 'other\n')}`);
  await bench.open({ path: file, proposal: text.replace('line 7\n', 'changed\n') });
  await bench.nvim.input(':w<CR>');
  await waitFor(async () => expect(await bench.nvim.lua('return vim.wo.diff')).toBe(false));
  await bench.nvim.command(`edit ${file}`);
  expect(await bench.nvim.lua(`return vim.fn.line('.')`)).toBe(30);
});

test('sizes that the user gave meanwhile stay', async () => {
  const file = await start({ ui: true });
  await bench.nvim.lua(
    `vim.cmd('topleft 30vnew') vim.bo.buftype = 'nofile' sidebar = vim.api.nvim_get_current_win() vim.cmd('wincmd p')`,
  );
  const review = await bench.open({ path: file, proposal: PROPOSAL });
  await bench.nvim.lua('vim.api.nvim_win_set_width(sidebar, 45)');
  await review.close('withdrawn');
  expect(await bench.nvim.lua('return vim.api.nvim_win_get_width(sidebar)')).toBe(45);
});

test('windows and buffers that the user opened meanwhile stay', async () => {
  const file = await start({ ui: true });
  const other = bench.write('b.txt', 'b\n');
  await bench.open({ path: file, proposal: PROPOSAL });
  await bench.nvim.feed(`:wincmd h<CR>:edit ${other}<CR>:botright split<CR>:wincmd t<CR>`);
  await bench.nvim.lua(`require('claude_bridge.review').reject()`);
  await gone();
  expect(
    await bench.nvim.lua(`return vim.tbl_map(function(w)
      return { vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(w)), vim.wo[w].diff, vim.wo[w].winbar }
    end, vim.api.nvim_list_wins())`),
  ).toEqual([
    [other, false, ''],
    [other, false, ''],
  ]);
});

test('unsaved text put into the left window meanwhile stays, also with nohidden', async () => {
  const file = await start({ ui: true });
  const other = bench.write('b.txt', 'b\n');
  await bench.nvim.command('set nohidden');
  await bench.open({ path: file, proposal: PROPOSAL });
  await bench.nvim.feed(`:wincmd h<CR>:edit ${other}<CR>omine<Esc>:wincmd l<CR>:q<CR>`);
  await gone();
  expect(await bench.nvim.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')).toEqual([
    'b',
    'mine',
  ]);
  expect(await bench.nvim.messages()).not.toMatch(/E\d+:/);
});
