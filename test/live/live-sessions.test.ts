/** Live sessions from end to end: a real Neovim with the real view, and scripted agents. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BusAgent } from '../support/bus-agent.ts';
import { type LiveNvim, startLive } from '../support/live-nvim.ts';
import { PROJECT, startNvim, type TestNvim, tempDir } from '../support/nvim.ts';

let nvim: TestNvim;
let live: LiveNvim;
let agent: BusAgent;
let folder: string;

beforeEach(async () => {
  folder = tempDir();
  nvim = await startNvim({ ui: true, cwd: folder });
  agent = await BusAgent.listen();
  live = await startLive(nvim, folder, {
    agent: 'acp-agent',
    agents: {
      'acp-agent': {
        command: [process.execPath, path.join(PROJECT, 'test/support/acp-agent.mjs')],
      },
      'bus-agent': { dialect: 'bus', url: agent.url },
    },
  });
});

afterEach(async () => {
  await live.dispose();
  await agent.dispose();
  await nvim.dispose();
});

const sees = (text: string) => nvim.screen.shows(text);

const open = (name: string, fields: object = {}) =>
  live.tell({ kind: 'chat_open', agent: name, folder, ...fields });

describe('a session on the bus', () => {
  beforeEach(async () => {
    open('bus-agent');
    await agent.hears('get_status');
  });

  test('shows what the agent says and does', async () => {
    agent.say('message_added', { id: 'm', role: 'assistant', content: 'Hello from the bus' });
    agent.say('tool_use_start', { id: 't', name: 'Bash', input: { command: 'make all' } });
    agent.say('tool_use_result', { id: 't', result: 'built', durationMs: 1200 });
    await sees('Hello from the bus');
    await sees('Bash: make all');
  });

  test('asks for permission and takes the answer', async () => {
    const input = { command: 'rm -r build' };
    agent.say('permission_request', { id: 'p', tool: 'Bash', input, reason: 'to begin anew' });
    await sees('rm -r build');
    await sees('to begin anew');
    live.tell({ kind: 'chat_decide', session: 'bus-agent', id: 'p1', option: 'once' });
    expect((await agent.hears('permission_decision')).data).toEqual({ id: 'p', allow: true });
  });

  test('10,000 deltas and a long output end up on the screen, and Neovim answers meanwhile', async () => {
    agent.say('tool_use_start', { id: 't', name: 'Bash', input: { command: 'yes' } });
    for (let at = 0; at < 10_000; at += 1) {
      agent.raw(
        JSON.stringify({ type: 'tool_use_delta', data: { id: 't', partial: `line ${at}\n` } }),
      );
      if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    agent.say('message_added', { id: 'm', role: 'assistant', content: 'That was all.' });
    await sees('That was all.');
  });
});

describe('a session over ACP', () => {
  test('writes an edit that was accepted in the review through the buffer', async () => {
    const file = path.join(folder, 'a.txt');
    writeFileSync(file, 'old\n');
    await nvim.command(`edit ${file}`);
    open('acp-agent');
    await sees('acp-agent');
    const steps = [
      {
        permission: {
          toolCall: {
            toolCallId: 'e',
            title: 'Edit a.txt',
            kind: 'edit',
            content: [{ type: 'diff', path: file, oldText: 'old\n', newText: 'new\n' }],
          },
          options: [
            { optionId: 'once', name: 'Once', kind: 'allow_once' },
            { optionId: 'no', name: 'No', kind: 'reject_once' },
          ],
        },
      },
      { write: { path: file, content: 'new\n' } },
    ];
    live.tell({ kind: 'chat_send', session: 'acp-agent', text: JSON.stringify(steps) });
    await expect.poll(() => live.editor.reviews.pending().length).toBe(1);
    const [review] = live.editor.reviews.pending();
    live.editor.reviews.decide(review?.id ?? '', { kind: 'accepted' });
    await expect.poll(() => readFileSync(file, 'utf8')).toBe('new\n');
    const lines = await nvim.lua(
      `return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, true)`,
      [file],
    );
    expect(lines).toEqual(['new']);
  });
});
