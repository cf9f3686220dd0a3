import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type BenchOptions, type ReviewBench, snapshot, startReviews } from '../support/reviews.ts';
import { waitFor } from '../support/wait-for.ts';

let bench: ReviewBench;
afterEach(() => bench.dispose());

const FILE = 'one\ntwo\n';
const PROPOSAL = 'one\nTWO\n';
const EDIT = ':2s/TWO/2/<CR>';
const EDITED = 'one\n2\n';

/** Keys, and whether they leave the windows as they were; the others close one of the user's. */
const accepting: readonly [string, boolean][] = [
  [':w<CR>', true],
  [':w!<CR>', true],
  [':wq<CR>', true],
  [':wq!<CR>', true],
  [':x<CR>', true],
  [':xit<CR>', true],
  [':exit<CR>', true],
  [':silent! x<CR>', true],
  [':nohlsearch | x<CR>', true],
  ['ZZ', true],
  [':lua vim.cmd.write()<CR>', true],
  [":lua require('claude_bridge.review').accept()<CR>", true],
  [":wincmd h | lua require('claude_bridge.review').accept()<CR>", true],
  [':split<CR>:q<CR>:w<CR>', true],
  [':tab split<CR>:w<CR>', true],
  [':only<CR>:w<CR>', false],
  [':only<CR>:wq<CR>', false],
  [':only<CR>:x<CR>', false],
  [':only<CR>ZZ', false],
];

const rejecting: readonly [string, boolean][] = [
  [':q<CR>', true],
  [':q!<CR>', true],
  ['ZQ', true],
  [':close<CR>', true],
  ['<C-w>c', true],
  ['<C-w>q', true],
  [':hide<CR>', true],
  [':bwipeout<CR>', true],
  [':bdelete<CR>', true],
  [':split<CR>:q<CR>:q<CR>', true],
  [':tab split<CR>:tabclose<CR>:q<CR>', true],
  [":lua require('claude_bridge.review').reject()<CR>", true],
  [":wincmd h | lua require('claude_bridge.review').reject()<CR>", true],
  [':wincmd h | only<CR>', true],
  [':bunload<CR>', false],
  [':edit other.txt<CR>', false],
  [':enew<CR>', false],
  [':buffer 1<CR>', false],
  [':only<CR>:q<CR>', false],
];

/** These end nothing by themselves, whatever an autosave plugin makes of them. */
const harmless = [
  ':update<CR>',
  ':wall<CR>',
  ':silent! wa!<CR>',
  ':wincmd w | wincmd w | wall<CR>',
  ':split<CR>:q<CR>',
  ':set ff=dos | update | set ff=unix<CR>',
  ':set noeol | wall | set eol<CR>',
  ':checktime<CR>',
  ':doautocmd FocusGained<CR>',
  ':stopinsert<CR>',
];

async function open(options: BenchOptions = {}) {
  bench = await startReviews(options);
  const file = bench.write('a.txt', FILE);
  bench.write('other.txt', 'other\n');
  const before = await snapshot(bench.nvim);
  const review = await bench.open({ path: file, proposal: PROPOSAL });
  return { file, before, review };
}

/** Waits until no review is left, then compares with what was there, if that is given. */
async function expectGone(before: unknown = false) {
  await waitFor(async () => {
    const left = await bench.nvim.lua(
      `return vim.tbl_count(require('claude_bridge.review.state').reviews)`,
    );
    expect(left).toBe(0);
  });
  if (before !== false) expect(await snapshot(bench.nvim)).toEqual(before);
}

describe.each(['vertical', 'inline'] as const)('%s', (layout) => {
  // There is no other side to go to, and Vim closes no window that is the only one.
  const needsTwo = ['wincmd', ':close', '<C-w>c', ':hide'];
  const fits = ([keys]: readonly [string, ...unknown[]]): boolean =>
    layout === 'vertical' || !needsTwo.some((part) => keys.includes(part));

  test.each(accepting.filter(fits))(
    '%s accepts the proposal as it came',
    async (keys, restores) => {
      const { file, before, review } = await open({ settings: { layout } });
      await bench.nvim.feed(keys);
      expect(await review.outcome).toEqual({ kind: 'accepted', text: PROPOSAL, edited: false });
      expect(bench.decided).toEqual([review.id]);
      expect(fs.readFileSync(file, 'utf8')).toBe(FILE);
      await expectGone(restores && before);
    },
  );

  test.each(accepting.filter(fits))(
    '%s accepts what the user made of it',
    async (keys, restores) => {
      const { file, before, review } = await open({ settings: { layout } });
      await bench.nvim.feed(EDIT + keys);
      expect(await review.outcome).toEqual({ kind: 'accepted', text: EDITED, edited: true });
      expect(bench.decided).toEqual([review.id]);
      expect(fs.readFileSync(file, 'utf8')).toBe(FILE);
      await expectGone(restores && before);
    },
  );

  test.each(rejecting.filter(fits))('%s rejects, and asks for nothing', async (keys, restores) => {
    const { before, review } = await open({ settings: { layout } });
    await bench.nvim.feed(keys);
    expect(await review.outcome).toEqual({ kind: 'rejected', reason: undefined });
    expect(bench.decided).toEqual([review.id]);
    await expectGone(restores && before);
  });

  test.each(rejecting.filter(fits))(
    '%s rejects an edited proposal and keeps its text',
    async (keys) => {
      const { review } = await open({ settings: { layout } });
      await bench.nvim.feed(EDIT + keys);
      expect(await review.outcome).toEqual({ kind: 'rejected', reason: undefined });
      expect(await bench.nvim.messages()).not.toMatch(/E\d+:/);
      expect(await bench.nvim.messages()).toContain(':ClaudeDiffRecall');
      await expectGone();
      await bench.nvim.lua(`require('claude_bridge.review').recall()`);
      expect(await bench.nvim.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')).toEqual([
        'one',
        '2',
      ]);
    },
  );

  test.each(harmless.map((keys): [string] => [keys]).filter(fits))(
    '%s decides nothing',
    async (keys) => {
      const { review } = await open({ settings: { layout } });
      await bench.nvim.feed(EDIT + keys);
      expect(await bench.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(1);
      expect(bench.decided).toEqual([]);
      await bench.nvim.feed(':w<CR>');
      expect(await review.outcome).toMatchObject({ text: EDITED });
    },
  );
});

test('after :only the user gets a window of their own back', async () => {
  const { review } = await open();
  await bench.nvim.feed(':only<CR>:w<CR>');
  await review.outcome;
  await expectGone();
  expect(
    await bench.nvim.lua(
      `return { vim.fn.winnr('$'), vim.fn.bufnr(), vim.wo.diff, vim.wo.winbar }`,
    ),
  ).toEqual([1, 1, false, '']);
});

test.each([
  [':w copy.txt<CR>', EDITED],
  [':w! copy.txt<CR>', EDITED],
  [':2w copy.txt<CR>', '2\n'],
  [':w >> copy.txt<CR>', EDITED],
  [':saveas copy.txt<CR>', EDITED],
])('%s makes a copy and decides nothing', async (keys, copy) => {
  const { review } = await open();
  await bench.nvim.feed(EDIT + keys);
  expect(fs.readFileSync(path.join(bench.folder, 'copy.txt'), 'utf8')).toBe(copy);
  expect(await bench.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(1);
  await bench.nvim.feed(':w<CR>');
  expect(await review.outcome).toEqual({ kind: 'accepted', text: EDITED, edited: true });
});

test('a part of the proposal cannot be accepted', async () => {
  await open();
  await bench.nvim.feed(':2w!<CR>');
  expect(await bench.nvim.messages()).toContain('write the whole proposal');
  expect(await bench.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(1);
});

test(':edit! does not empty the proposal', async () => {
  const { review } = await open();
  await bench.nvim.feed(`${EDIT}:edit!<CR>`);
  expect(await bench.nvim.lua('return vim.bo.modified')).toBe(false);
  await bench.nvim.feed('Goend<Esc>:update<CR>');
  expect(bench.decided).toEqual([]);
  await bench.nvim.feed(':w<CR>');
  expect(await review.outcome).toMatchObject({ text: `${EDITED}end\n` });
});

test.each(['one\nTWO', 'one\r\nTWO', '\ufeffone\nTWO\n'])(
  ':edit! leaves the line ends of %j as they were',
  async (proposal) => {
    bench = await startReviews();
    const file = bench.write('a.txt', proposal.includes('\r') ? 'x\r\n' : 'x\n');
    const review = await bench.open({ path: file, proposal });
    await bench.nvim.feed(':edit!<CR>:w<CR>');
    expect(await review.outcome).toMatchObject({ kind: 'accepted', text: proposal });
  },
);

test('a second :w before the view is gone does nothing', async () => {
  const { review } = await open();
  await bench.nvim.feed(':w | w<CR>');
  expect(await review.outcome).toMatchObject({ kind: 'accepted' });
  expect(await bench.nvim.messages()).not.toMatch(/E\d+:/);
  expect(bench.decided).toEqual([review.id]);
});

test.each([
  ':split other.txt | x<CR>:q!<CR>',
  ':split other.txt | x<CR>ZQ',
  ':x other.txt<CR>',
  ':xyz<CR>ZQ',
  ':x<Esc>:q<CR>',
  ':x<Esc>ZQ',
  ' a',
  ' b',
])('%s, with an :x that does not end the review, is no acceptance', async (keys) => {
  const { review } = await open({ ui: true });
  await bench.nvim.lua(`vim.keymap.set('n', ' a', '<Cmd>q<CR>')
    vim.keymap.set('n', ' b', '<Cmd>echo "x"<CR><Cmd>q<CR>')`);
  await bench.nvim.input(keys);
  expect(await review.outcome).toMatchObject({ kind: 'rejected' });
});

test.each([' a', ' b', ' c', ' d', ' e'])('a mapping of :x accepts (%s)', async (keys) => {
  const { review } = await open({ ui: true });
  await bench.nvim.lua(`vim.keymap.set('n', ' a', '<Cmd>x<CR>')
    vim.keymap.set('n', ' b', ':x<CR>')
    vim.keymap.set('n', ' c', ' a', { remap = true })
    vim.keymap.set('n', ' d', '<cmd>silent exit!<cr>')
    vim.keymap.set('n', ' e', ':w<CR>')`);
  await bench.nvim.input(keys);
  expect(await review.outcome).toMatchObject({ kind: 'accepted' });
});

test('keys are no longer looked at when no review is left', async () => {
  const before = await (async () => {
    bench = await startReviews();
    return bench.nvim.lua('return vim.on_key()');
  })();
  const review = await bench.open({ path: bench.write('a.txt', FILE), proposal: PROPOSAL });
  expect(await bench.nvim.lua('return vim.on_key()')).not.toBe(before);
  await review.close('withdrawn');
  expect(await bench.nvim.lua('return vim.on_key()')).toBe(before);
});

test.each([':qa<CR>', ':wqa<CR>', ':xa<CR>', ':quitall<CR>'])(
  '%s throws away nothing that was typed, and accepts nothing',
  async (keys) => {
    const { review } = await open({ ui: true });
    await bench.nvim.feed(EDIT);
    await bench.nvim.input(`${keys}<CR>`);
    await waitFor(async () =>
      expect(await bench.nvim.messages()).toMatch(
        /No write since last change|accept this edit with/,
      ),
    );
    await waitFor(async () => expect(await bench.nvim.lua('return vim.bo.modified')).toBe(false));
    expect(bench.decided).toEqual([]);
    await bench.nvim.input('<Esc>:w<CR>');
    expect(await review.outcome).toMatchObject({ text: EDITED });
  },
);

test.each([':qa<CR>', ':wqa<CR>', ':xa<CR>'])(
  '%s ends Neovim where nothing was typed',
  async (keys) => {
    await open({ ui: true });
    const gone = new Promise((resolve) => bench.nvim.child.once('exit', resolve));
    await bench.nvim.input(keys);
    expect(await gone).toBe(0);
  },
);

test('undo goes back to the proposal, not behind it', async () => {
  const { review } = await open();
  await bench.nvim.feed(`${EDIT}uuuu`);
  expect(await bench.nvim.lua('return vim.bo.modified')).toBe(false);
  await bench.nvim.feed(':w<CR>');
  expect(await review.outcome).toEqual({ kind: 'accepted', text: PROPOSAL, edited: false });
});

test.each([':q<CR>', ':q!<CR>', 'ZQ'])('%s needs no word about it', async (keys) => {
  const { review } = await open({ ui: true });
  await bench.nvim.input(keys);
  expect(await review.outcome).toMatchObject({ kind: 'rejected' });
  expect(await bench.nvim.messages()).toBe('');
});

test('closing the tabpage says that it rejects', async () => {
  bench = await startReviews({ settings: { layout: 'tab' } });
  const before = await snapshot(bench.nvim);
  const review = await bench.open({ path: bench.write('a.txt', FILE), proposal: PROPOSAL });
  await bench.nvim.feed(':tabclose<CR>');
  expect(await review.outcome).toMatchObject({ kind: 'rejected' });
  expect(await bench.nvim.messages()).toContain('a.txt: rejected, since its view was closed');
  await expectGone(before);
});

test('the tabpage of a review goes with a floating window in it, seen from another', async () => {
  bench = await startReviews({ settings: { layout: 'tab' } });
  const before = await snapshot(bench.nvim);
  const review = await bench.open({ path: bench.write('a.txt', FILE), proposal: PROPOSAL });
  await bench.nvim.lua(`
    local note = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_open_win(note, false, { relative = 'editor', row = 1, col = 1, width = 9, height = 2 })
    vim.bo[note].bufhidden = 'wipe'
    vim.cmd.tabprevious()`);
  await review.close('withdrawn');
  await expectGone(before);
});
