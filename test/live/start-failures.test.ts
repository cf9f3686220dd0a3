/** An agent that does not start: what the user reads in the session. */
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LiveNvim, startLive } from '../support/live-nvim.ts';
import { startNvim, type TestNvim, tempDir } from '../support/nvim.ts';

const LOG = ['> demo@1 start', '\u001b[31mError:\u001b[0m you are not logged in', 'Node.js v20'];
const lines = JSON.stringify(`${LOG.join('\n')}\n`);

let nvim: TestNvim;
let live: LiveNvim;
beforeEach(async () => {
  const folder = tempDir();
  nvim = await startNvim({ ui: true, cwd: folder });
  const fails = [process.execPath, '-e', `process.stderr.write(${lines}); process.exitCode = 1`];
  live = await startLive(nvim, folder, {
    agents: {
      absent: { command: ['no-such-agent'] },
      fails: { command: fails },
      'fails-on-the-bus': { dialect: 'bus', command: fails },
      'fails-sid': { dialect: 'sid-bridge', command: [...fails, '{url}'] },
    },
  });
});
afterEach(async () => {
  await live.dispose();
  await nvim.dispose();
});

const open = (agent: string) =>
  live.tell({ kind: 'chat_open', agent, folder: nvim.home, session: agent });

test('a program that is not there', async () => {
  open('absent');
  await nvim.screen.shows('no-such-agent cannot be started', /absent · failed/u);
});

test.each(['fails', 'fails-on-the-bus', 'fails-sid'])('a program that ends: %s', async (agent) => {
  open(agent);
  await nvim.screen.shows('exited with code 1', 'Error: you are not logged in', 'Node.js v20');
  await nvim.input(':ClaudeSessionSend hello<CR>');
  // It is not lost, and nothing hides the reason.
  await nvim.screen.shows(/hello/u, 'Error: you are not logged in');
  expect(nvim.screen.text).not.toContain('[31m');
});
