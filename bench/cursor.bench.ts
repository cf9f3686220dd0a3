/** What a moving cursor costs the editor's own thread. */
import { test } from 'vitest';
import { median, record } from './support/figures.ts';
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

async function perEvent({ nvim }: Stage): Promise<number> {
  const rounds: number[] = [];
  for (let i = 0; i < 7; i++) rounds.push(await nvim.lua<number>(PER_EVENT, [EVENTS]));
  return median(rounds);
}

const addNoop = ({ nvim }: Stage) =>
  nvim.lua(`vim.api.nvim_create_autocmd('CursorMoved', { callback = function() end })`);

test('CursorMoved', async () => {
  const bare = await setStage({ bridge: false });
  const silent = await perEvent(bare);
  await addNoop(bare);
  const noop = (await perEvent(bare)) - silent;
  const ours = (await perEvent(await setStage())) - silent;
  record({
    what: 'one CursorMoved',
    value: ours,
    unit: 'µs',
    floor: { what: 'a no-op Lua autocommand', value: noop },
    ratioLimit: 1.5,
  });
});

test('holding j for 5,000 lines', async () => {
  const rounds = async (stage: Stage) => {
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      await stage.typed('gg');
      times.push(await stage.typed('j'.repeat(5_000)));
    }
    return median(times);
  };
  const without = await rounds(await setStage({ bridge: false }));
  const value = await rounds(await setStage());
  record({
    what: 'j, 5,000 times',
    value,
    unit: 'ms',
    floor: { what: 'without the plugin', value: without },
    ratioLimit: 1.05,
  });
});

test('selecting 60,000 lines', async () => {
  const stage = await setStage({ lines: 60_000 });
  const reading = await stage.nvim.lua<number>(`
    local start = vim.uv.hrtime()
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')
    return (vim.uv.hrtime() - start) / 1e6`);
  const value = await stage.stallDuring(async () => {
    const told = stage.peer.next(
      ({ method, params }) => method === 'selection_changed' && params?.['text'] !== '',
    );
    await stage.typed('ggVG');
    await told;
  });
  record({
    what: 'selecting 60,000 lines (4.6 MB), stall',
    value,
    unit: 'ms',
    floor: { what: 'reading those lines once', value: reading },
    ratioLimit: 1.5,
  });
});
