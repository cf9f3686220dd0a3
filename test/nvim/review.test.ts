import { afterEach, expect, test } from 'vitest';
import { type ReviewBench, snapshot, startReviews } from '../support/reviews.ts';
import { waitFor } from '../support/wait-for.ts';

let bench: ReviewBench | undefined;
afterEach(() => bench?.dispose());

test('a proposal is shown right of its file and accepted by :w as it came', async () => {
  bench = await startReviews();
  const path = bench.write('a.txt', 'one\ntwo\n');
  const before = await snapshot(bench.nvim);
  const review = await bench.open({ path, proposal: 'one\nTWO\n' });
  expect(
    await bench.nvim.lua(`return vim.tbl_map(function(w)
    return { vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(w), 0, -1, false), vim.wo[w].diff }
  end, vim.api.nvim_tabpage_list_wins(0))`),
  ).toEqual([
    [['one', 'two'], true],
    [['one', 'TWO'], true],
  ]);
  expect(await bench.nvim.lua('return vim.fn.line(".")')).toBe(2);
  await bench.nvim.command('write');
  expect(await review.outcome).toEqual({ kind: 'accepted', text: 'one\nTWO\n', edited: false });
  await waitFor(async () => expect(await snapshot(bench?.nvim as never)).toEqual(before));
});
