/** Much at once: the editor must not be felt to stand still. */
import { test } from 'vitest';
import { z } from 'zod';
import { leastOf, record } from './support/figures.ts';
import { linesOf, setStage } from './support/stage.ts';

const CALLS = 2_000;
const ROUNDS = 5;
const MOVES = 400;

test('2,000 tool calls in flight', async () => {
  const stage = await setStage({ clients: 20 });
  const idle = await leastOf(ROUNDS, () =>
    stage.stallDuring(() => new Promise((resolve) => setTimeout(resolve, 500))),
  );
  const value = await leastOf(ROUNDS, () =>
    stage.stallDuring(() => {
      const calls = Array.from({ length: CALLS }, (_, i) =>
        stage.peers[i % stage.peers.length]?.call('getCurrentSelection'),
      );
      return Promise.all(calls);
    }),
  );
  record({
    what: '2,000 tool calls in flight from 20 clients, stall',
    value,
    unit: 'ms',
    floor: { what: 'the idle editor', value: idle },
    limit: 10,
  });
});

test('200 selection changes a second to 20 clients', async () => {
  const stage = await setStage({ clients: 20 });
  const value = await leastOf(ROUNDS, async () => {
    await stage.typed('gg');
    return stage.stallDuring(async () => {
      const told = stage.peer.next(({ params }) => lineOf(params) === MOVES);
      await stage.nvim.lua(TWO_HUNDRED_A_SECOND);
      await told;
    });
  });
  record({
    what: '200 selection changes a second to 20 clients, stall',
    value,
    unit: 'ms',
    limit: 10,
  });
});

const Told = z.object({ selection: z.object({ start: z.object({ line: z.number() }) }) });

const lineOf = (params: unknown) => Told.safeParse(params).data?.selection.start.line;

/** Moves down that many lines, one every 5 ms. */
const TWO_HUNDRED_A_SECOND = `
  local moves, timer = 0, vim.uv.new_timer()
  timer:start(0, 5, vim.schedule_wrap(function()
    moves = moves + 1
    if moves <= ${MOVES} then vim.api.nvim_input('j') else timer:stop() end
  end))`;

test.each([
  ['vertical', 'openDiff of 5 MB, stall', 1.5],
  ['inline', 'openDiff of 5 MB in one window, stall', 2],
] as const)('a diff of 5 MB, %s', async (layout, what, ratioLimit) => {
  const lines = linesOf(68_000);
  const proposal = lines.map((line, i) => (i % 1_000 === 500 ? `${line}, changed` : line));
  const bare = await setStage({ lines: lines.length, bridge: false });
  const floor = await leastOf(3, () => bare.nvim.lua<number>(DIFF_BY_HAND, [proposal]));
  const stage = await setStage({ lines: lines.length, layout });
  const contents = `${proposal.join('\n')}\n`;
  const value = await leastOf(3, () =>
    stage.stallDuring(async () => {
      const answered = stage.peer.call('openDiff', {
        old_file_path: stage.file,
        new_file_path: stage.file,
        new_file_contents: contents,
        tab_name: 'large',
      });
      const poll = () => stage.nvim.lua<number>(`return #require('claude_bridge.review').list()`);
      while ((await poll()) < 1) await new Promise((resolve) => setTimeout(resolve, 20));
      await stage.peer.call('closeAllDiffTabs');
      await answered;
    }),
  );
  record({
    what,
    value,
    unit: 'ms',
    floor: { what: 'setting those lines, and diffthis', value: floor },
    ratioLimit,
  });
});

const DIFF_BY_HAND = `
  local lines = ...
  local start = vim.uv.hrtime()
  vim.cmd('vnew')
  vim.bo.buftype, vim.bo.undolevels = 'nofile', -1
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.cmd('diffthis | wincmd p | diffthis | redraw')
  local took = (vim.uv.hrtime() - start) / 1e6
  vim.cmd('diffoff! | only')
  return took`;
