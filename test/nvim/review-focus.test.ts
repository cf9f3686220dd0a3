import { afterEach, describe, expect, test } from 'vitest';
import type { ReviewSettings } from '../../src/nvim/review-port.ts';
import { PROJECT } from '../support/nvim.ts';
import { type ReviewBench, startReviews } from '../support/reviews.ts';
import { waitFor } from '../support/wait-for.ts';

let bench: ReviewBench;
afterEach(() => bench.dispose());

const layouts = ['vertical', 'horizontal', 'tab', 'inline'] as const;
const PROPOSAL = 'one\nTWO\n';

async function start(settings: Partial<ReviewSettings> = {}) {
  bench = await startReviews({ ui: true, settings });
  const file = bench.write('a.txt', 'one\ntwo\n');
  const other = bench.write('other.txt', 'first word\nsecond line\n');
  await bench.nvim.command(`edit ${other}`);
  return { file, other };
}

const mode = async () =>
  (await bench.nvim.client.request('nvim_get_mode', [])) as { mode: string; blocking: boolean };
const inMode = (wanted: string) => waitFor(async () => expect((await mode()).mode).toBe(wanted));
const inProposal = () =>
  bench.nvim.lua<boolean>(`local review = require('claude_bridge.review.state').pending()[1]
    return vim.api.nvim_get_current_win() == review.layout.right`);
const lines = (name: string) =>
  bench.nvim.lua<string[]>(`return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)`, [
    name,
  ]);

/** Keys that begin something, the mode they lead to, keys that end it, and the text then. */
const unfinished: readonly [string, string, string, string, readonly string[]][] = [
  ['insert mode', 'i', 'i', 'XYZ<Esc>', ['XYZfirst word', 'second line']],
  ['replace mode', 'R', 'R', 'XYZ<Esc>', ['XYZst word', 'second line']],
  ['visual mode', 'vl', 'v', 'd', ['rst word', 'second line']],
  ['linewise visual mode', 'V', 'V', 'd', ['second line']],
  ['blockwise visual mode', '<C-v>j', '\x16', 'd', ['irst word', 'econd line']],
  ['select mode', 'gh', 's', 'X', ['Xirst word', 'second line']],
  ['an operator', 'd', 'no', 'w', ['word', 'second line']],
  ['an operator with a register and count', '"a2d', 'no', 'l', ['rst word', 'second line']],
  ['the command line', ':s/word', 'c', '/WORD/<CR>', ['first WORD', 'second line']],
  ['a search', '/second', 'c', '<CR>dd', ['first word']],
  ['insert mode for one command', 'i<C-o>', 'niI', 'dwX<Esc>', ['Xword', 'second line']],
];

describe.each(layouts)('in the %s layout', (layout) => {
  test.each(unfinished)('%s goes on undisturbed', async (_, begin, during, finish, result) => {
    const { file, other } = await start({ layout });
    await bench.nvim.input(begin);
    await inMode(during);
    const review = await bench.open({ path: file, proposal: PROPOSAL });
    expect((await mode()).mode).toBe(during);
    await bench.nvim.input(finish);
    await waitFor(async () => expect(await lines(other)).toEqual(result));
    await bench.nvim.input('<Esc><Esc>');
    await inMode('n');
    expect(await inProposal()).toBe(false);
    await bench.nvim.lua(`require('claude_bridge.review').jump(...)`, [review.id]);
    expect(await inProposal()).toBe(true);
    await bench.nvim.input(':w<CR>');
    expect(await review.outcome).toMatchObject({ kind: 'accepted', edited: false });
  });

  test.each(unfinished)(
    '%s goes on when a review elsewhere ends',
    async (_, begin, during, finish, result) => {
      const { file, other } = await start({ layout, focus: false });
      const review = await bench.open({ path: file, proposal: PROPOSAL });
      await bench.nvim.input(begin);
      await inMode(during);
      await review.close('decided-elsewhere');
      expect((await mode()).mode).toBe(during);
      await bench.nvim.input(finish);
      await waitFor(async () => expect(await lines(other)).toEqual(result));
      expect(await bench.nvim.lua(`return { #vim.api.nvim_list_wins(), vim.fn.bufnr() }`)).toEqual([
        1,
        await bench.nvim.lua('return vim.fn.bufnr(...)', [other]),
      ]);
    },
  );

  test.each(unfinished)(
    '%s in the file itself goes on when its review opens and ends',
    async (_, begin, during, finish, result) => {
      const { other } = await start({ layout });
      await bench.nvim.command('split | setlocal foldmethod=manual | 2fold');
      await bench.nvim.input(begin);
      await inMode(during);
      const review = await bench.open({ path: other, proposal: 'first word\nSECOND line\n' });
      expect((await mode()).mode).toBe(during);
      await review.close('withdrawn');
      expect((await mode()).mode).toBe(during);
      await bench.nvim.input(finish);
      await waitFor(async () => expect(await lines(other)).toEqual(result));
    },
  );

  test('a user in a terminal gets the proposal, and terminal mode back', async () => {
    const { file } = await start({ layout });
    await bench.nvim.lua(`vim.cmd('botright 10new') vim.fn.termopen({ 'cat' }) vim.cmd.startinsert()
      terminal = vim.api.nvim_get_current_win()`);
    await inMode('t');
    const review = await bench.open({ path: file, proposal: PROPOSAL });
    await inMode('n');
    expect(await inProposal()).toBe(true);
    await bench.nvim.input(':w<CR>');
    await review.outcome;
    await inMode('t');
    expect(await bench.nvim.lua(`return vim.api.nvim_get_current_win() == terminal`)).toBe(true);
  });

  test('with the option off a terminal keeps the focus', async () => {
    const { file } = await start({ layout, focus: false });
    await bench.nvim.lua(
      `vim.cmd('botright 10new') vim.fn.termopen({ 'cat' }) vim.cmd.startinsert()`,
    );
    await inMode('t');
    const review = await bench.open({ path: file, proposal: PROPOSAL });
    expect((await mode()).mode).toBe('t');
    expect(await inProposal()).toBe(false);
    await bench.nvim.lua(`require('claude_bridge.review').accept()`);
    expect(await review.outcome).toMatchObject({ kind: 'accepted' });
    await waitFor(async () =>
      expect(await bench.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(0),
    );
    expect((await mode()).mode).toBe('t');
  });

  test('a prompt buffer keeps the focus', async () => {
    const { file } = await start({ layout });
    await bench.nvim.lua(
      `vim.cmd('botright 5new') vim.bo.buftype = 'prompt' prompt = vim.api.nvim_get_current_win()`,
    );
    await bench.open({ path: file, proposal: PROPOSAL });
    expect(await bench.nvim.lua(`return vim.api.nvim_get_current_win() == prompt`)).toBe(true);
  });

  test('typing in the file itself goes on, and nothing folds away', async () => {
    const { file } = await start({ layout });
    await bench.nvim.command(`edit ${file}`);
    await bench.nvim.input('Omine');
    await inMode('i');
    const review = await bench.open({ path: file, proposal: PROPOSAL });
    await bench.nvim.input(' too<Esc>');
    await waitFor(async () => expect(await lines(file)).toEqual(['mine too', 'one', 'two']));
    await review.close('withdrawn');
    expect(await lines(file)).toEqual(['mine too', 'one', 'two']);
    expect(await bench.nvim.lua('return vim.bo.modified')).toBe(true);
  });

  test.each(['withdrawn', 'accepted by a map'])(
    'typing in the file goes on where it is when the review ends: %s',
    async (end) => {
      const { file } = await start({ layout });
      await bench.nvim.command(`edit ${file}`);
      await bench.nvim.command('inoremap <F5> <Cmd>ClaudeDiffAccept<CR>');
      await bench.nvim.command(`source ${PROJECT}/plugin/claude_bridge.lua`);
      await bench.nvim.input('A');
      await inMode('i');
      const review = await bench.open({ path: file, proposal: PROPOSAL });
      await bench.nvim.input('<Down><Down> and');
      await waitFor(async () => expect(await lines(file)).toEqual(['one', 'two and']));
      if (end === 'withdrawn') await review.close('withdrawn');
      else await bench.nvim.input('<F5>');
      await waitFor(async () =>
        expect(await bench.nvim.lua('return #vim.api.nvim_list_wins()')).toBe(1),
      );
      await bench.nvim.input(' more');
      await waitFor(async () => expect(await lines(file)).toEqual(['one', 'two and more']));
      expect((await mode()).mode).toBe('i');
    },
  );
});

test('the command-line window is left alone; the review opens after it', async () => {
  const { file } = await start();
  await bench.nvim.input('q:');
  await waitFor(async () =>
    expect(await bench.nvim.lua('return vim.fn.getcmdwintype()')).toBe(':'),
  );
  const opening = bench.open({ path: file, proposal: PROPOSAL });
  await bench.nvim.input(':q<CR>');
  const review = await opening;
  expect(await inProposal()).toBe(true);
  await bench.nvim.input('q:');
  await waitFor(async () =>
    expect(await bench.nvim.lua('return vim.fn.getcmdwintype()')).toBe(':'),
  );
  await review.close('withdrawn');
  await bench.nvim.input(':q<CR>');
  await waitFor(async () => expect(await bench.nvim.lua(`return vim.fn.winnr('$')`)).toBe(1));
});

test('insert mode in a proposal that goes does not go on in the file', async () => {
  const { file, other } = await start();
  const review = await bench.open({ path: file, proposal: PROPOSAL });
  await bench.nvim.input('Atyped');
  await inMode('i');
  await review.close('decided-elsewhere');
  await inMode('n');
  expect(await lines(other)).toEqual(['first word', 'second line']);
  expect(await bench.nvim.messages()).toContain(':ClaudeDiffRecall');
});

test.each([
  [true, 'one\ntwo\nthree\n', 'one\ntwo\n3\n', 3],
  [true, 'one\ntwo\n', 'ONE\ntwo\n', 1],
  [true, 'one\ntwo\nthree\n', 'one\nthree\n', 2],
  [true, 'one\ntwo\n', 'one\ntwo\n', 1],
  [false, 'one\ntwo\nthree\n', 'one\ntwo\n3\n', 2],
])('with jump %s the cursor is on its line', async (jump, content, proposal, line) => {
  bench = await startReviews({ ui: true, settings: { jump } });
  const file = bench.write('a.txt', content);
  await bench.nvim.command(`edit ${file} | 2`);
  await bench.open({ path: file, proposal });
  expect(await bench.nvim.lua(`return vim.fn.line('.')`)).toBe(line);
});

describe.each(['vertical', 'horizontal', 'tab', 'inline'] as const)('%s', (layout) => {
  const options = ['screen', 'topline', 'cursor'].flatMap((keep) =>
    ['splitbelow', 'nosplitbelow'].flatMap((below) =>
      ['10', '20 | normal! zt', '12 | normal! zb'].map((place) => [keep, below, place] as const),
    ),
  );

  test.each(options)(
    'with splitkeep=%s, %s and the user at %s the first change is in sight',
    async (...row) => {
      const [keep, below, place] = row;
      bench = await startReviews({ ui: true, settings: { layout } });
      const lines = Array.from({ length: 100 }, (_, i) => `line ${i + 1}\n`);
      const file = bench.write('a.txt', lines.join(''));
      const view = () =>
        bench.nvim.lua<number[]>(`vim.cmd.redraw()
        return vim.tbl_map(vim.fn.line, { '.', 'w0', 'w$' })`);
      await bench.nvim.command(
        `set lines=20 number splitkeep=${keep} ${below} | edit ${file} | ${place}`,
      );
      const before = await view();
      const changed = (before[0] ?? 0) + 2;
      const proposal = lines.with(changed - 1, 'new\nextra\nmore\n').join('');
      const review = await bench.open({ path: file, proposal });
      const [line, top = 0, bottom = 0] = await view();
      expect(line).toBe(changed);
      expect(top).toBeLessThanOrEqual(changed);
      expect(bottom).toBeGreaterThanOrEqual(changed);
      await review.close('withdrawn');
      expect(await view()).toEqual(before);
      expect(await bench.nvim.lua('return vim.o.splitkeep')).toBe(keep);
    },
  );
});

test('both sides show the first change of a long file', async () => {
  const content = Array.from({ length: 400 }, (_, i) => `line ${i}`);
  bench = await startReviews({ ui: true });
  const file = bench.write('a.txt', `${content.join('\n')}\n`);
  await bench.nvim.command(`edit ${file}`);
  content[300] = 'changed';
  await bench.open({ path: file, proposal: `${content.join('\n')}\n` });
  await waitFor(async () => {
    const shown = await bench.nvim.lua<number[]>(`return vim.tbl_map(function(w)
      local info = vim.fn.getwininfo(w)[1]
      return info.topline <= 301 and info.botline >= 301 and info.topline or 0
    end, vim.api.nvim_tabpage_list_wins(0))`);
    expect(shown[0]).toBeGreaterThan(0);
    expect(shown[1]).toBe(shown[0]);
  });
});

test('with nothing to wait for the focus goes back along nested reviews', async () => {
  const { file } = await start();
  const home = await bench.nvim.lua('return vim.api.nvim_get_current_win()');
  const first = await bench.open({ path: file, proposal: PROPOSAL, key: 'first' });
  const second = await bench.open({ path: file, proposal: 'x\n', key: 'second' });
  await first.close('withdrawn');
  await bench.nvim.input(':w<CR>');
  await second.outcome;
  await waitFor(async () =>
    expect(
      await bench.nvim.lua('return { vim.api.nvim_get_current_win(), #vim.api.nvim_list_wins() }'),
    ).toEqual([home, 1]),
  );
});
