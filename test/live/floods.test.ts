/** A real Neovim whose agent says more than anybody could follow. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BusAgent } from '../support/bus-agent.ts';
import { type LiveNvim, startLive } from '../support/live-nvim.ts';
import { startNvim, type TestNvim, tempDir } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

let nvim: TestNvim;
let live: LiveNvim;
let agent: BusAgent;
let folder: string;

/** Keeps what each batch costs the editor, in processor time, and when something is first seen. */
const WATCH = `
  local chat = require('claude_bridge.chat')
  local apply = chat.apply
  Costs, Seen = {}, {}
  local function entries()
    return #require('claude_bridge.chat.sessions').get('demo').view.order
  end
  function chat.apply(params)
    local ms = apply(params)
    if ms then Costs[#Costs + 1] = ms end
    if not Seen.asked and #require('claude_bridge.chat.asks').pending() > 0 then
      Seen.asked = entries()
    end
    return ms
  end
  vim.api.nvim_create_autocmd('FileChangedShellPost', { callback = function()
    Seen.reloaded = Seen.reloaded or entries()
  end })`;

beforeEach(async () => {
  folder = tempDir();
  writeFileSync(path.join(folder, 'open.txt'), 'old\n');
  nvim = await startNvim({ ui: true, cwd: folder, args: [path.join(folder, 'open.txt')] });
  agent = await BusAgent.listen();
  live = await startLive(nvim, folder, {
    agent: 'demo',
    agents: { demo: { dialect: 'bus', url: agent.url } },
  });
  live.tell({ kind: 'chat_open', folder });
  await agent.hears('get_status');
  await waitFor(() => nvim.lua(`return require('claude_bridge.chat.sessions').get('demo').name`));
  await nvim.lua(WATCH);
});

afterEach(async () => {
  await live.dispose();
  await agent.dispose();
  await nvim.dispose();
});

const raw = (type: string, data: object): void => agent.raw(JSON.stringify({ type, data }));

/** As fast as it goes. */
function floods(count: number): void {
  for (let at = 0; at < count; at += 1) {
    raw('tool_use_start', { id: `t${at}`, name: 'Read', input: { path: `f${at}` } });
    raw('error', { message: `error ${at}` });
    raw('file_changed', { path: `f${at}` });
    raw('open_file', { path: 'open.txt' });
  }
}

const lines = (): Promise<string[]> =>
  nvim.lua(
    `return vim.api.nvim_buf_get_lines(vim.fn.bufnr('claude-session://demo'), 0, -1, false)`,
  );

test('is asked and sees what is on disk in the middle of a flood, and all of it in the end', async () => {
  const resident = () => nvim.lua<number>(`return vim.uv.resident_set_memory() / 1e6`);
  const before = await resident();
  floods(3_000);
  writeFileSync(path.join(folder, 'open.txt'), 'new\n');
  raw('file_changed', { path: 'open.txt' });
  raw('permission_request', { id: 'p', tool: 'Bash', input: { command: 'make' } });
  raw('message_added', { id: 'end', role: 'assistant', content: 'That was all.' });
  await waitFor(async () => expect((await lines()).join('\n')).toContain('That was all.'), {
    timeout: 60_000,
  });
  const said = await lines();
  expect(said.filter((line) => line.startsWith('● Read'))).toHaveLength(3_000);
  expect(said.join('\n')).toMatch(/… and [12],\d{3} more notices, the last: error 2999/u);
  const seen = await nvim.lua<{ asked: number; reloaded: number }>('return Seen');
  expect(seen.asked).toBeLessThan(2_000);
  expect(seen.reloaded).toBeLessThan(2_000);
  // All but the few that other load on the machine has made longer.
  const costs = (await nvim.lua<number[]>('return Costs')).sort((a, b) => a - b);
  expect(costs[Math.floor(costs.length * 0.9)]).toBeLessThan(10);
  expect((await resident()) - before).toBeLessThan(100);
}, 90_000);
