/** What a moving cursor costs the editor's own thread. */
import { test } from 'vitest';
import { leastOf, record } from './support/figures.ts';
import { type Stage, setStage } from './support/stage.ts';

const EVENTS = 20_000;

/** Microseconds for one CursorMoved with whatever listens to it; the cursor really moves. */
const PER_EVENT = `
  local events = ...
  local start = vim.uv.hrtime()
  for i = 1, events do
    vim.api.nvim_win_set_cursor(0, { i % 5000 + 1, 0 })
    vim.api.nvim_exec_autocmds('CursorMoved', {})
  end
  return (vim.uv.hrtime() - start) / events / 1000`;

/** The same for a movement after a rest, the median of many. */
const AFTER_REST = `
  local times = {}
  for i = 1, 100 do
    vim.wait(25)
    vim.api.nvim_win_set_cursor(0, { i, 0 })
    local start = vim.uv.hrtime()
    vim.api.nvim_exec_autocmds('CursorMoved', {})
    times[i] = (vim.uv.hrtime() - start) / 1000
  end
  table.sort(times)
  return times[50]`;

/**
 * Measures several editors in turn and takes the least of each: what else runs on the machine comes
 * and goes, and only adds.
 */
async function least<S extends Stage>(
  stages: readonly S[],
  rounds: number,
  measure: (stage: S) => Promise<number>,
): Promise<number[]> {
  const found = stages.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    for (const [i, stage] of stages.entries()) {
      found[i] = Math.min(found[i] ?? 0, await measure(stage));
    }
  }
  return found;
}

const addNoop = ({ nvim }: Stage) =>
  nvim.lua(`vim.api.nvim_create_autocmd('CursorMoved', { callback = function() end })`);

test.each([
  ['one CursorMoved of many', PER_EVENT, 9],
  ['one CursorMoved after a rest', AFTER_REST, 3],
])('%s', async (what, script, rounds) => {
  const bare = await setStage({ bridge: false });
  const withNoop = await setStage({ bridge: false });
  await addNoop(withNoop);
  const stages = [bare, withNoop, await setStage()];
  const measure = ({ nvim }: Stage) => nvim.lua<number>(script, [EVENTS]);
  const [silent = 0, noop = 0, ours = 0] = await least(stages, rounds, measure);
  record({
    what,
    // Less than can be told from noise is nothing.
    value: Math.max(0, ours - silent),
    unit: 'µs',
    floor: { what: 'a no-op Lua autocommand', value: noop - silent },
    ratioLimit: 1.5,
  });
});

test('holding j for 5,000 lines', async () => {
  const stages = [await setStage({ bridge: false }), await setStage()];
  const [without = 0, value = 0] = await least(stages, 15, async (stage) => {
    await stage.typed('gg');
    return stage.typed('j'.repeat(5_000));
  });
  record({
    what: 'j, 5,000 times',
    value,
    unit: 'ms',
    floor: { what: 'without the plugin', value: without },
    ratioLimit: 1.05,
  });
});

const READING = `
  local start = vim.uv.hrtime()
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')
  return (vim.uv.hrtime() - start) / 1e6`;

test('selecting 60,000 lines', async () => {
  const stage = await setStage({ lines: 60_000 });
  const reading = await leastOf(5, () => stage.nvim.lua<number>(READING));
  const value = await leastOf(5, async () => {
    await stage.typed('<Esc>gg');
    return stage.stallDuring(async () => {
      const told = stage.peer.next(
        ({ method, params }) => method === 'selection_changed' && params?.['text'] !== '',
      );
      await stage.typed('ggVG');
      await told;
    });
  });
  record({
    what: 'selecting 60,000 lines (4.6 MB), stall',
    value,
    unit: 'ms',
    floor: { what: 'reading those lines once', value: reading },
    ratioLimit: 1.5,
  });
});
