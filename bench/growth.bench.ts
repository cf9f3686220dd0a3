/** How the cost of a moving cursor grows with buffers and clients. */
import { test } from 'vitest';
import { median, record, timed } from './support/figures.ts';
import { type Stage, setStage } from './support/stage.ts';

const MOVES = 2_000;
const ROUNDS = 50;

async function openBuffers({ nvim }: Stage, count: number): Promise<void> {
  await nvim.lua(
    `local count = ...
    local folder = vim.fn.getcwd()
    for i = 2, count do
      local file = ('%s/more-%d.txt'):format(folder, i)
      vim.fn.writefile({ 'text' }, file)
      vim.fn.bufload(vim.fn.bufadd(file))
      vim.bo[vim.fn.bufnr(file)].buflisted = true
    end`,
    [count],
  );
}

async function holdJ(stage: Stage): Promise<number> {
  await stage.typed('gg');
  return (await stage.typed('j'.repeat(MOVES))) / MOVES;
}

test.each([1, 10, 100, 1_000])('%i open buffers', async (count) => {
  const stage = await setStage();
  await openBuffers(stage, count);
  const perKey = (await holdJ(stage)) * 1_000;
  record({ what: `one held j, ${count} open buffers`, value: perKey, unit: 'µs' });
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    times.push(await timed(() => stage.peer.call('getOpenEditors')));
  }
  record({ what: `getOpenEditors, ${count} open buffers`, value: median(times), unit: 'ms' });
});

test.each([0, 1, 20])('%i clients', async (clients) => {
  const stage = await setStage({ clients });
  const perKey = (await holdJ(stage)) * 1_000;
  record({ what: `one held j, ${clients} clients`, value: perKey, unit: 'µs' });
});
