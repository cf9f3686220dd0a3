/** How long things take as a user or an agent sees them. */
import { test } from 'vitest';
import { median, percentile, record, timed } from './support/figures.ts';
import { setStage } from './support/stage.ts';

const ROUNDS = 300;

test('key press to frame at the client', async () => {
  const { nvim, peer } = await setStage();
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const told = peer.next(({ method }) => method === 'selection_changed');
    times.push(await timed(() => Promise.all([nvim.input(i % 2 === 0 ? 'j' : 'k'), told])));
  }
  record({ what: 'key press to frame, median', value: median(times), unit: 'ms', limit: 10 });
  const slowest = percentile(times, 99);
  record({ what: 'key press to frame, 99th percentile', value: slowest, unit: 'ms', limit: 40 });
});

test('getCurrentSelection', async () => {
  const { nvim, peer } = await setStage();
  const floors: number[] = [];
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    floors.push(await timed(() => nvim.lua('return 1')));
    times.push(await timed(() => peer.call('getCurrentSelection')));
  }
  record({
    what: 'getCurrentSelection, median',
    value: median(times),
    unit: 'ms',
    floor: { what: 'one RPC call to Neovim', value: median(floors) },
    limit: 1,
  });
});

test('openDiff to visible diff', async () => {
  const { nvim, peer, file } = await setStage({ lines: 200 });
  const times: number[] = [];
  for (let round = 0; round < 15; round++) {
    const marker = `PROPOSED-${round}-`;
    const visible = new Promise<void>((resolve) => {
      const onRedraw = (method: string, args: unknown[]): void => {
        if (method !== 'redraw' || !cellsOf(args).includes(marker)) return;
        nvim.client.off('notification', onRedraw);
        resolve();
      };
      nvim.client.on('notification', onRedraw);
    });
    const contents = `${marker}\n${'the same\n'.repeat(199)}`;
    let answered: Promise<unknown> = Promise.resolve();
    times.push(
      await timed(() => {
        answered = peer.call('openDiff', {
          old_file_path: file,
          new_file_path: file,
          new_file_contents: contents,
          tab_name: `round ${round}`,
        });
        return visible;
      }),
    );
    await peer.call('closeAllDiffTabs');
    await answered;
    // Only cells that change are drawn: without this the next round would draw one digit.
    await nvim.command('redraw');
  }
  const value = median(times);
  record({ what: 'openDiff of 200 lines to visible, median', value, unit: 'ms', limit: 30 });
});

/** The text that a redraw puts on the screen, cells in order. */
function cellsOf(batches: unknown): string {
  if (!Array.isArray(batches)) return '';
  const lines = batches
    .filter((batch: unknown): batch is unknown[] => Array.isArray(batch))
    .filter(([name]) => name === 'grid_line')
    .flatMap(([, ...events]) => events)
    .filter((event: unknown): event is unknown[] => Array.isArray(event));
  return lines.map(([, , , cells]) => textOf(cells)).join('\n');
}

/** A cell is a text, its highlight, and how often it is repeated. */
function textOf(cells: unknown): string {
  if (!Array.isArray(cells)) return '';
  const texts = cells.map((cell: unknown) => {
    const [text, , times] = Array.isArray(cell) ? cell : [];
    return String(text).repeat(typeof times === 'number' ? times : 1);
  });
  return texts.join('');
}
