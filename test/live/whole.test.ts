/** `:ClaudeSession` as a user has it: Neovim, the plugin's own node process, and a real agent. */
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PROJECT, startNvim, type TestNvim, tempDir } from '../support/nvim.ts';

let nvim: TestNvim;
beforeEach(async () => {
  nvim = await startNvim({ ui: true, cwd: tempDir() });
  await nvim.command('runtime plugin/claude_bridge.lua');
  await nvim.command('runtime plugin/claude_bridge_session.lua');
  await nvim.lua(`require('claude_bridge').setup(...)`, [
    {
      session: {
        agent: 'scripted',
        agents: {
          scripted: {
            command: [process.execPath, path.join(PROJECT, 'test/support/acp-agent.mjs')],
          },
        },
      },
    },
  ]);
});
afterEach(() => nvim.dispose());

const shows = (text: string) =>
  expect
    .poll(() =>
      nvim.lua<string>(`
          local all = {}
          for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
            vim.list_extend(all, vim.api.nvim_buf_get_lines(buffer, 0, -1, false))
          end
          return table.concat(all, '\\n')`),
    )
    .toContain(text);

test('a session begins, answers, and ends with Neovim', async () => {
  await nvim.command('ClaudeSession');
  await expect
    .poll(() => nvim.lua<string>(`return require('claude_bridge.chat').statusline()`))
    .toContain('scripted');
  await nvim.command('ClaudeSessionSend hello there');
  await shows('heard: hello there');
  const agent = await nvim.lua<number>(`
    local status = require('claude_bridge.chat.sessions').current().status
    return tonumber(status.conversation:match('^s(%d+)'))`);
  process.kill(agent, 0);
  const { child } = nvim;
  child.kill('SIGKILL');
  await expect.poll(() => isAlive(agent)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // it is gone
  }
}
