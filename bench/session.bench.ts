/** A live session under load: the editor must not be felt to stand still. */
import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { BusAgent } from '../test/support/bus-agent.ts';
import { startLive } from '../test/support/live-nvim.ts';
import { leastOf, record, timed } from './support/figures.ts';
import { setStage } from './support/stage.ts';

const ROUNDS = 5;
const LIMIT_MS = 10;

async function session() {
  const stage = await setStage({ lines: 100, bridge: false });
  const agent = await BusAgent.listen();
  onTestFinished(() => agent.dispose());
  const folder = stage.nvim.home;
  const agents = { demo: { dialect: 'bus' as const, url: agent.url } };
  const live = await startLive(stage.nvim, folder, { agent: 'demo', agents });
  onTestFinished(() => live.dispose());
  live.tell({ kind: 'chat_open', folder });
  await agent.hears('get_status');
  const { nvim } = stage;
  /** Waits until the conversation shows a text. */
  const shows = (text: string) =>
    expect
      .poll(() => nvim.lua<boolean>(SHOWS, [text]), { timeout: 60_000, interval: 20 })
      .toBe(true);
  return { stage, agent, live, nvim, shows };
}

const SHOWS = `
  local wanted = ...
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local last = vim.api.nvim_buf_get_lines(buffer, -60, -1, false)
    if table.concat(last, '\\n'):find(wanted, 1, true) then return true end
  end
  return false`;

/** Kilobytes of the editor's own memory. */
const memoryOf = (nvim: { lua<T>(code: string): Promise<T> }) =>
  nvim.lua<number>(`return vim.uv.resident_set_memory() / 1024`);

/** What other load on the machine alone makes of it. */
const idle = (stage: Awaited<ReturnType<typeof setStage>>) =>
  leastOf(ROUNDS, () =>
    stage.stallDuring(() => new Promise((resolve) => setTimeout(resolve, 500))),
  );

test('10,000 streamed deltas', async () => {
  const { stage, agent, shows } = await session();
  const floor = { what: 'the idle editor', value: await idle(stage) };
  let round = 0;
  const value = await leastOf(ROUNDS, async () => {
    round += 1;
    const id = `m${round}`;
    return stage.stallDuring(async () => {
      let text = '';
      agent.say('tool_use_start', { id, name: 'Bash', input: { command: 'make' } });
      for (let at = 0; at < 10_000; at += 1) {
        text = `round ${round} line ${at}\n`;
        agent.raw(JSON.stringify({ type: 'tool_use_delta', data: { id, partial: text } }));
        if (at % 50 === 0) await setImmediate();
      }
      agent.say('tool_use_result', { id, result: undefined });
      agent.say('message_added', { id, role: 'assistant', content: `round ${round} is over` });
      await shows(`round ${round} is over`);
    });
  });
  record({ what: '10,000 streamed deltas, stall', value, unit: 'ms', floor, limit: LIMIT_MS });
});

test('a tool output of 5 MB', async () => {
  const { stage, agent, nvim, shows } = await session();
  const before = { node: process.memoryUsage().heapUsed, nvim: await memoryOf(nvim) };
  const result = Array.from({ length: 68_000 }, (_, at) => `${at} `.padEnd(76, 'x')).join('\n');
  let round = 0;
  const value = await leastOf(ROUNDS, async () => {
    round += 1;
    const id = `t${round}`;
    return stage.stallDuring(async () => {
      agent.say('tool_use_start', { id, name: 'Bash', input: { command: 'cat' } });
      agent.say('tool_use_result', { id, result, durationMs: 1 });
      agent.say('message_added', { id, role: 'assistant', content: `output ${round} is over` });
      await shows(`output ${round} is over`);
    });
  });
  record({ what: 'a tool output of 5 MB, stall', value, unit: 'ms', limit: LIMIT_MS });
  globalThis.gc?.();
  const grown = (await memoryOf(nvim)) - before.nvim;
  record({
    what: `${ROUNDS} tool outputs of 5 MB, growth of Neovim`,
    value: grown / 1024,
    unit: 'MB',
  });
});

test('50 queued permissions', async () => {
  const { stage, agent, live, nvim } = await session();
  const value = await leastOf(ROUNDS, () =>
    stage.stallDuring(async () => {
      const before = agent.of('permission_decision').length;
      for (let at = 0; at < 50; at += 1) {
        const input = { command: `step ${at} of many` };
        agent.say('permission_request', { id: `p${before + at}`, tool: 'Bash', input });
      }
      for (let at = 0; at < 50; at += 1) {
        const shown = () => nvim.lua<string | null>(PENDING);
        await expect.poll(shown, { timeout: 30_000, interval: 2 }).toBe(`p${before + at + 1}`);
        live.tell({
          kind: 'chat_decide',
          session: 'demo',
          id: `p${before + at + 1}`,
          option: 'once',
        });
        await nvim.lua(`require('claude_bridge.chat.asks').dismiss('demo', ...)`, [
          `p${before + at + 1}`,
        ]);
      }
      await agent.hears('permission_decision', before + 50);
    }),
  );
  record({ what: '50 queued permissions, stall', value, unit: 'ms', limit: LIMIT_MS });
});

test.each([
  ['errors', 6_000, (at: number) => ['error', { message: `error ${at} ${'x'.repeat(200)}` }]],
  ['changed files', 5_000, (at: number) => ['file_changed', { path: `f${at}` }]],
  ['files to open', 500, (at: number) => ['open_file', { path: `f${at}` }]],
  ['requests', 1_000, (at: number) => ['permission_request', { id: `q${at}`, tool: 'Bash' }]],
  ['tool calls', 5_000, (at: number) => ['tool_use_start', { id: `t${at}`, name: 'Read' }]],
  ['progress', 10_000, (at: number) => ['progress', { id: `${at}`, stage: `step ${at}` }]],
  ['status', 10_000, (at: number) => ['status', { uptime: at, model: `m${at}` }]],
] as const)('a flood of %s', async (what, count, make) => {
  const { stage, agent, shows } = await session();
  let round = 0;
  const over: number[] = [];
  const value = await leastOf(ROUNDS, async () => {
    round += 1;
    const end = `flood ${round} is over`;
    return stage.turnDuring(async () => {
      over.push(
        await timed(async () => {
          for (let at = 0; at < count; at += 1) {
            const [type, data] = make(round * count + at);
            agent.raw(JSON.stringify({ type, data }));
            if (at % 50 === 0) await setImmediate();
          }
          agent.say('message_added', { id: `end ${round}`, role: 'assistant', content: end });
          await shows(end);
        }),
      );
    });
  });
  const name = `${count.toLocaleString('en')} ${what} at once`;
  record({ what: `${name}, longest turn of the editor`, value, unit: 'ms', limit: LIMIT_MS });
  record({ what: `${name}, until all is shown`, value: Math.min(...over), unit: 'ms' });
});

test('50 edits to review', async () => {
  const { stage, agent, live } = await session();
  let asked = 0;
  const ask = (count: number, shown: number) => async () => {
    for (let at = 0; at < count; at += 1) {
      asked += 1;
      const data = { filePath: `f${asked}`, newContent: `text ${asked}` };
      agent.raw(JSON.stringify({ type: 'show_diff', data }));
    }
    const windows = () => stage.nvim.lua<number>(DIFF_WINDOWS);
    await expect.poll(windows, { timeout: 30_000, interval: 50 }).toBe(2 * shown);
  };
  const floor = { what: 'one edit', value: await stage.turnDuring(ask(1, 1)) };
  const value = await stage.turnDuring(ask(59, 50));
  await agent.hears('reject_edit', 10);
  expect(live.editor.reviews.pending()).toHaveLength(50);
  record({
    what: '60 edits to review at once, longest turn of the editor',
    value,
    unit: 'ms',
    floor,
  });
});

const DIFF_WINDOWS = `
  return #vim.tbl_filter(function(window)
    return vim.wo[window].diff
  end, vim.api.nvim_list_wins())`;

const PENDING = `
  local pending = require('claude_bridge.chat.asks').pending()
  return pending[1] and pending[1].prompt.id or vim.NIL`;
