/** Diff mode folds what is equal; nothing of that outlives the review. */
import { afterEach, expect, test } from 'vitest';
import { type ReviewBench, startReviews } from '../support/reviews.ts';
import { waitFor } from '../support/wait-for.ts';

let bench: ReviewBench;
afterEach(() => bench.dispose());

const LINES = Array.from({ length: 50 }, (_, i) => `line ${i}\n`);

const CASES = (['vertical', 'tab'] as const).flatMap((layout) =>
  // Neovim itself ends the diff of the file as the other side closes.
  ['write', 'quit', 'xit', 'close'].map((end) => [layout, end] as const),
);

test.each(CASES)('no fold is left in the file, %s, :%s', async (layout, end) => {
  bench = await startReviews({ ui: true, settings: { layout } });
  const file = bench.write('a.txt', LINES.join(''));
  await bench.nvim.command(`edit ${file}`);
  await bench.open({ path: file, proposal: [...LINES.slice(0, 49), 'changed\n'].join('') });
  await bench.nvim.command(end);
  const left = () =>
    bench.nvim.lua(`
      local folded = vim.tbl_filter(function(line)
        return vim.fn.foldclosed(line) ~= -1
      end, vim.fn.range(1, 50))
      return { windows = #vim.api.nvim_list_wins(), folded = #folded, enabled = vim.wo.foldenable }`);
  await waitFor(async () => expect(await left()).toEqual({ windows: 1, folded: 0, enabled: true }));
});
