/** A tool that writes much: its reader sees the end of it while it comes, and after. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BusStage } from '../../support/bus-stage.ts';

let stage: BusStage;
beforeAll(async () => {
  stage = await BusStage.start();
});
afterAll(() => stage.dispose());

const LINES = 1000;
const chunk = (first: number) =>
  Array.from({ length: LINES }, (_, at) => `line ${first + at} ${'x'.repeat(30)}\n`).join('');

test('5 MB of output', async () => {
  stage.say('tool_use_start', { id: 't', name: 'Bash', input: { command: 'make all' } });
  await stage.shows('Bash: make all');
  await stage.unfold();
  await stage.type('G');
  let sent = 0;
  for (; sent < 125 * LINES; sent += LINES) {
    stage.agent.say('tool_use_delta', { id: 't', partial: chunk(sent) });
    if (sent % (25 * LINES) === 0) await stage.shows(`line ${sent + LINES - 1} x`);
  }
  await stage.shows(`line ${sent - 1} x`);
  stage.say('tool_use_result', { id: 't', durationMs: 5000 });
  await stage.type('[[');
  await stage.shows(/✓ Bash: make all 5(\.0)? s/u, 'line 0 x');
  await stage.type(':ClaudeSessionOutput<CR>G');
  await stage.shows(`line ${sent - 1} x`);
  const bytes = await stage.bridge.nvim.lua<number>('return vim.fn.wordcount().bytes');
  expect(bytes).toBeGreaterThan(5_000_000);
});
