/** How clients find this editor: lock files, variables, transports, and a second editor. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { diffArguments, handshakeOf, startAgent } from '../support/agents.ts';
import { startBridge, type TestBridge, whenReady } from '../support/bridge.ts';
import { startNvim, tempDir } from '../support/nvim.ts';
import { read, written } from '../support/sid-code-reader.ts';
import { SseClient } from '../support/sse-client.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge;
const rest: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of rest.splice(0)) await end();
  await bridge?.dispose();
});

const soon = <T>(check: () => T | Promise<T>) => waitFor(check, { interval: 10 });
const exists = (name: string) => fs.existsSync(path.join(bridge.nvim.home, name));
const lockOf = (folder: string) => `${folder}/ide/${bridge.port}.lock`;
const reviews = () => bridge.nvim.lua(`return #require('claude_bridge.review').list()`);

describe('the folder of sid-code', () => {
  test('is not made in the home of somebody who never heard of it', async () => {
    bridge = await startBridge();
    expect(exists('.sid-code')).toBe(false);
    expect(await bridge.nvim.lua('return vim.env.SID_CODE_SSE_PORT')).toBeNull();
    expect(exists(lockOf('.claude'))).toBe(true);
  });

  test('gets its lock where it is there', async () => {
    const config = tempDir();
    rest.push(() => fs.rmSync(config, { recursive: true, force: true }));
    bridge = await startBridge({ env: { SID_CONFIG_DIR: config } });
    const lock = path.join(config, 'ide', `${bridge.port}.lock`);
    expect(fs.existsSync(lock)).toBe(true);
    expect(exists('.sid-code')).toBe(false);
    (await startAgent('sid-code/second', bridge)).terminate();
    await bridge.nvim.command('ClaudeBridgeStop');
    await soon(() => expect(fs.existsSync(lock)).toBe(false));
  });

  test('and all locks follow the working directory', async () => {
    bridge = await startBridge({
      options: { agents: ['claude-code', 'sid-code'] },
      files: { 'sub/a.txt': 'x\n' },
    });
    await bridge.nvim.command('cd sub');
    for (const folder of ['.claude', '.sid-code']) {
      const file = path.join(bridge.nvim.home, lockOf(folder));
      await soon(() =>
        expect(JSON.parse(fs.readFileSync(file, 'utf8')).workspaceFolders).toContain(
          path.join(bridge.workspace, 'sub'),
        ),
      );
    }
  });
});

test('where the lock says sse, sid-code works by HTTP from its first message on', async () => {
  bridge = await startBridge({
    ui: true,
    files: { 'a.txt': 'one\n' },
    args: ['a.txt'],
    options: { agents: ['claude-code', 'sid-code'], server: { transport: 'sse' } },
  });
  const { port, token, nvim } = bridge;
  const transportIn = (folder: string) =>
    JSON.parse(fs.readFileSync(path.join(nvim.home, lockOf(folder)), 'utf8')).transport;
  expect([transportIn('.sid-code'), transportIn('.claude')]).toEqual(['sse', 'ws']);

  const client = await SseClient.connect({ port, token });
  rest.push(() => client.close());
  const [initialize = '', ...others] = handshakeOf('sid-code/second');
  expect(await client.post(initialize, '/')).toBe(202);
  await soon(() =>
    expect(client.answer(1).result).toMatchObject({ protocolVersion: '2025-03-26' }),
  );
  for (const frame of others) expect(await client.post(frame)).toBe(202);
  await soon(() => expect(client.answer(4).result).toEqual({ prompts: [] }));
  const methods = () => client.messages.map((text) => JSON.parse(text).method);
  await soon(() => expect(methods()).toContain('notifications/selection_changed'));

  const args = diffArguments('sid-code/second', path.join(bridge.workspace, 'a.txt'), 'two\n');
  const params = { name: 'openDiff', arguments: args };
  await client.post(JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params }));
  await soon(async () => expect(await reviews()).toBe(1));
  await soon(async () =>
    expect(await nvim.lua('return vim.wo.diff and vim.bo.buftype')).toBe('acwrite'),
  );
  await nvim.input('GAtwo<Esc>:w<CR>');
  await soon(() => client.answer(5));
  const { content } = client.answer(5).result as { content: { type: string; text: string }[] };
  expect(written(read('second', { content }), 'two\n')).toBe('twotwo\n');
  await nvim.command('ClaudeBridgeStop');
  await client.ended;
});

describe('the end of Neovim while sid-code waits for a review', () => {
  const ways: Record<string, (b: TestBridge) => void> = {
    ':qa!': (b) => void b.nvim.client.command('qa!').catch(() => {}),
    'SIGTERM of Neovim': (b) => void b.nvim.child.kill('SIGTERM'),
    'kill -9 of Neovim': (b) => void b.nvim.child.kill('SIGKILL'),
  };
  test.each(Object.keys(ways))('%s rejects the edit before the connection goes', async (way) => {
    bridge = await startBridge({ files: { 'a.txt': 'a\n' }, options: { agents: ['sid-code'] } });
    const peer = await startAgent('sid-code/second', bridge);
    const args = diffArguments('sid-code/second', path.join(bridge.workspace, 'a.txt'), 'b\n');
    const answered = peer.call('openDiff', args);
    await soon(async () => expect(await reviews()).toBe(1));
    ways[way]?.(bridge);
    expect(read('second', await answered).reading).toBe('rejected');
    expect((await peer.closed).code).toBe(1001);
  });
});

describe('two Neovims in one folder', () => {
  async function second() {
    const nvim = await startNvim({ cwd: bridge.workspace, env: { HOME: bridge.nvim.home } });
    rest.push(() => nvim.dispose());
    await nvim.command('runtime plugin/claude_bridge.lua');
    await nvim.command('ClaudeBridgeStart');
    return { nvim, ...(await whenReady(nvim)) };
  }
  const status = async () => {
    await bridge.nvim.command('ClaudeBridgeStatus');
    return soon(() =>
      bridge.nvim.lua<string>(
        `local lines = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')
         if not lines:find('Listening') then error('not shown') end
         vim.cmd.close()
         return lines`,
      ),
    );
  };

  test('have each their port and lock, and the status and health tell of the other', async () => {
    bridge = await startBridge();
    expect(await status()).not.toContain('Other editors');
    const other = await second();
    expect(other.port).not.toBe(bridge.port);
    expect(fs.existsSync(bridge.lockFile) && fs.existsSync(other.lockFile)).toBe(true);
    const pid = await other.nvim.lua('return vim.fn.getpid()');
    expect(await status()).toContain(`Neovim, process ${pid} (${other.lockFile})`);
    await bridge.nvim.command('checkhealth claude_bridge');
    const health = await bridge.nvim.lua<string[]>(
      'return vim.api.nvim_buf_get_lines(0, 0, -1, false)',
    );
    expect(health.join('\n')).toContain(
      `Another editor works in the same folder: Neovim, process ${pid} (${other.lockFile})`,
    );
    expect(health.join('\n')).toContain('claude_bridge-recipe-two');
    await other.nvim.command('ClaudeBridgeStop');
    await soon(() => expect(fs.existsSync(other.lockFile)).toBe(false));
    expect(await status()).not.toContain('Other editors');
  });

  test('one in another folder is none of its business', async () => {
    bridge = await startBridge();
    const elsewhere = tempDir();
    rest.push(() => fs.rmSync(elsewhere, { recursive: true, force: true }));
    const other = await second();
    await other.nvim.command(`cd ${elsewhere}`);
    await soon(() =>
      expect(JSON.parse(fs.readFileSync(other.lockFile, 'utf8')).workspaceFolders).toEqual([
        elsewhere,
      ]),
    );
    expect(await status()).not.toContain('Other editors');
  });
});

describe(':ClaudeBridgeTerminal', () => {
  /** The variables as the agent of this name gets them. */
  async function seenBy(name: string): Promise<string> {
    const bin = tempDir();
    rest.push(() => fs.rmSync(bin, { recursive: true, force: true }));
    const out = path.join(bin, 'seen');
    const names = ['CLAUDE_CODE_SSE_PORT', 'OPENCODE_EDITOR_SSE_PORT', 'SID_CODE_SSE_PORT'];
    const values = names.map((variable) => `\${${variable}-unset}`).join(' ');
    const script = `#!/bin/sh\nprintf '%s' "${values}" > ${out}.new && mv ${out}.new ${out}\n`;
    fs.writeFileSync(path.join(bin, name), script, { mode: 0o755 });
    bridge = await startBridge({
      env: { PATH: `${bin}:${process.env['PATH']}`, OPENCODE_EDITOR_SSE_PORT: '1' },
      options: { agents: ['claude-code', 'sid-code'] },
    });
    await bridge.nvim.command(`ClaudeBridgeTerminal ${name}`);
    return soon(() => fs.readFileSync(out, 'utf8'));
  }

  test('opencode gets no port, by which it would come without the token', async () => {
    expect(await seenBy('opencode')).toBe(`  ${bridge.port}`);
  });

  test('sid-code gets its own, and Claude Code is not in its way', async () => {
    expect(await seenBy('sid-code')).toBe(`${bridge.port} 1 ${bridge.port}`);
  });
});
