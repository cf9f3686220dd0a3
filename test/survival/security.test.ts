/** What SECURITY.md promises, on the whole product. */
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type BridgeOptions, startBridge, type TestBridge, whenReady } from '../support/bridge.ts';
import { removeFolder, tempDir } from '../support/nvim.ts';
import { Peer } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge;
const folders: string[] = [];
afterEach(async () => {
  await bridge?.dispose();
  for (const folder of folders.splice(0)) await removeFolder(folder);
});

async function start(options: BridgeOptions = {}): Promise<Peer> {
  bridge = await startBridge({ ui: true, ...options });
  return bridge.peer();
}

function folder(prefix?: string): string {
  const made = tempDir(prefix);
  folders.push(made);
  return made;
}

const at = (name: string) => path.join(bridge.workspace, name);
const mode = (file: string) => fs.statSync(file).mode & 0o777;
const shown = () =>
  waitFor(async () =>
    expect(await bridge.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(1),
  );

describe('who gets in', () => {
  const addresses = () =>
    Object.values(os.networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address);

  test('only this machine can reach the port', async () => {
    await start();
    const connect = (host: string) =>
      new Promise<string>((resolve) => {
        const socket = net.connect(bridge.port, host);
        socket.on('connect', () => resolve('connected'));
        socket.on('error', () => resolve('refused'));
        socket.on('close', () => socket.destroy());
      });
    expect(await connect('127.0.0.1')).toBe('connected');
    // Another loopback address stands for another interface where the machine has none.
    for (const host of ['127.0.0.2', ...addresses()]) expect(await connect(host)).toBe('refused');
  });

  test.each([
    ['without a token', { token: undefined }, 401],
    ['with a wrong token', { token: 'wrong' }, 401],
    ['as a web page', { origin: 'http://localhost' }, 403],
    ['as a web page without an origin of its own', { origin: 'null' }, 403],
    ['under a foreign name', { headers: { Host: 'evil.example' } }, 403],
  ])('%s nobody gets in', async (_, wrong, status) => {
    await start();
    const { port, token } = bridge;
    const options = { port, token, ...wrong } as Parameters<typeof Peer.connect>[0];
    await expect(Peer.connect(options)).rejects.toMatchObject({ status });
  });
});

describe('the lock file', () => {
  /** A port that is free now. */
  async function freePort(): Promise<number> {
    const server = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as net.AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  test('a folder that others may read or write is closed to them, and so is the file', async () => {
    const config = folder();
    fs.mkdirSync(path.join(config, 'ide'));
    fs.chmodSync(path.join(config, 'ide'), 0o777);
    const port = await freePort();
    fs.writeFileSync(path.join(config, `ide/${port}.lock`), '{}', { mode: 0o666 });
    fs.chmodSync(path.join(config, `ide/${port}.lock`), 0o666);
    await start({ env: { CLAUDE_CONFIG_DIR: config }, options: { server: { port } } });
    expect(mode(path.join(config, 'ide'))).toBe(0o700);
    expect(mode(bridge.lockFile)).toBe(0o600);
  });

  test('a link in its place is replaced and not followed, by the start and by the end', async () => {
    const config = folder();
    const victim = path.join(folder(), 'victim');
    fs.writeFileSync(victim, 'precious');
    const port = await freePort();
    const link = path.join(config, `ide/${port}.lock`);
    fs.mkdirSync(path.join(config, 'ide'));
    fs.symlinkSync(victim, link);
    await start({ env: { CLAUDE_CONFIG_DIR: config }, options: { server: { port } } });
    expect(bridge.lockFile).toBe(link);
    expect(fs.lstatSync(link).isFile()).toBe(true);
    expect(fs.readFileSync(victim, 'utf8')).toBe('precious');
    await bridge.nvim.command('ClaudeBridgeStop');
    await waitFor(() => expect(fs.existsSync(link)).toBe(false));
    expect(fs.readFileSync(victim, 'utf8')).toBe('precious');
  });
});

describe('nothing runs', () => {
  const MODELINE = 'vim: set tabstop=33 shiftwidth=33:\n';
  const options = () => bridge.nvim.lua('return { vim.bo.tabstop, vim.bo.shiftwidth }');

  test.each(['loaded', 'not loaded'])('of a proposal, with its file %s', async (how) => {
    const peer = await start({ files: { 'a.txt': MODELINE } });
    await bridge.nvim.lua(
      `vim.o.modeline, vim.o.exrc = true, true
      if ... then vim.cmd('set nomodeline | edit a.txt | set modeline') end`,
      [how === 'loaded'],
    );
    const proposal = { old_file_path: at('a.txt'), new_file_path: at('a.txt'), tab_name: 't' };
    void peer
      .call('openDiff', { ...proposal, new_file_contents: `new\n${MODELINE}` })
      .catch(() => {});
    await shown();
    const stops = await bridge.nvim.lua(`return vim.tbl_map(function(window)
      return vim.bo[vim.api.nvim_win_get_buf(window)].tabstop
    end, vim.api.nvim_tabpage_list_wins(0))`);
    expect(stops).toEqual([8, 8]);
  });

  test('of a file in the background; its modeline waits until the user looks at it', async () => {
    const peer = await start({ files: { 'a.txt': MODELINE } });
    await bridge.nvim.command('set modeline');
    await peer.call('openFile', { filePath: at('a.txt'), makeFrontmost: false });
    const stop = () => bridge.nvim.lua('return vim.bo[vim.fn.bufnr(...)].tabstop', [at('a.txt')]);
    expect(await stop()).toBe(8);
    await bridge.nvim.command('edit a.txt');
    expect(await stop()).toBe(33);
    expect(await bridge.nvim.lua('return vim.bo.modeline')).toBe(true);
  });

  test('as the user would have it, for a file that is shown to him', async () => {
    const peer = await start({ files: { 'a.txt': MODELINE } });
    await bridge.nvim.command('set modeline');
    await peer.call('openFile', { filePath: at('a.txt') });
    expect(await options()).toEqual([33, 33]);
  });

  test('of a folder: .nvim.lua and .exrc are no business of an agent', async () => {
    const files = {
      'sub/a.txt': 'a\n',
      'sub/.nvim.lua': 'vim.g.ran = 1',
      'sub/.exrc': 'let g:ran = 1',
    };
    const peer = await start({ files });
    await bridge.nvim.command('set exrc');
    await peer.call('openFile', { filePath: at('sub/a.txt') });
    await peer.call('openFile', { filePath: at('sub/a.txt'), makeFrontmost: false });
    const proposal = { old_file_path: at('sub/a.txt'), new_file_path: at('sub/a.txt') };
    void peer
      .call('openDiff', { ...proposal, new_file_contents: 'b\n', tab_name: 't' })
      .catch(() => {});
    await shown();
    expect(await bridge.nvim.lua('return vim.g.ran')).toBeNull();
  });
});

describe('outside the workspace', () => {
  const refused = {
    isError: true,
    content: [{ text: expect.stringMatching(/^Outside the workspace .*tools\.outside_workspace/) }],
  };

  test('no file is opened, whatever path leads there', async () => {
    const elsewhere = folder();
    const secret = path.join(elsewhere, 'secret.txt');
    fs.writeFileSync(secret, 'secret\n');
    const peer = await start({ files: { 'a.txt': 'a\n' } });
    fs.symlinkSync(secret, at('link.txt'));
    fs.symlinkSync(elsewhere, at('linked'));
    const names = [
      secret,
      path.relative(bridge.workspace, secret),
      `${bridge.workspace}/../${path.basename(elsewhere)}/secret.txt`,
      `${bridge.workspace}-beside/secret.txt`,
      at('link.txt'),
      at('linked/secret.txt'),
      at('linked/not-there.txt'),
      '/proc/self/environ',
    ];
    for (const filePath of names) {
      for (const makeFrontmost of [true, false]) {
        expect(await peer.call('openFile', { filePath, makeFrontmost }), filePath).toMatchObject(
          refused,
        );
      }
    }
    expect(await bridge.nvim.lua('return #vim.api.nvim_list_bufs()')).toBe(1);
  });

  test('no file is saved, even one that the user has open', async () => {
    const secret = path.join(folder(), 'config');
    fs.writeFileSync(secret, 'before\n');
    const peer = await start();
    await bridge.nvim.command(`edit ${secret}`);
    await bridge.nvim.feed('ccafter<Esc>');
    expect(await peer.call('saveDocument', { filePath: secret })).toMatchObject(refused);
    expect(fs.readFileSync(secret, 'utf8')).toBe('before\n');
    expect(await bridge.nvim.lua('return vim.bo.modified')).toBe(true);
  });

  test('the user can allow both', async () => {
    const file = path.join(folder(), 'plan.md');
    fs.writeFileSync(file, 'before\n');
    const peer = await start({ options: { tools: { outside_workspace: true } } });
    expect(await peer.callTexts('openFile', { filePath: file })).toEqual([`Opened file: ${file}`]);
    await bridge.nvim.feed('ccafter<Esc>');
    expect(await peer.call('saveDocument', { filePath: file })).not.toHaveProperty('isError');
    expect(fs.readFileSync(file, 'utf8')).toBe('after\n');
  });

  test('an edit can be proposed: it is shown, and written by nobody here', async () => {
    const file = path.join(folder(), 'plan.md');
    const peer = await start();
    const proposal = { old_file_path: file, new_file_path: file, new_file_contents: 'plan\n' };
    const answered = peer.callTexts('openDiff', { ...proposal, tab_name: 't' });
    await shown();
    await bridge.nvim.command('ClaudeDiffAccept');
    expect(await answered).toEqual(['FILE_SAVED', 'plan\n']);
    expect(fs.existsSync(file)).toBe(false);
  });
});

test('the log holds neither the token nor what is in buffers and messages', async () => {
  const SECRET = 'sesame-open';
  const peer = await start({
    files: { 'a.txt': `${SECRET}\n` },
    args: ['a.txt'],
    options: { log: { level: 'debug' } },
  });
  const { port, token, nvim } = bridge;
  await nvim.feed('Vy');
  await peer.waitFor('selection_changed');
  await nvim.lua(`vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0,
    { { lnum = 0, col = 0, message = '${SECRET}' } })`);
  for (const tool of ['getCurrentSelection', 'getLatestSelection', 'getDiagnostics'])
    await peer.call(tool);
  const proposal = { old_file_path: at('a.txt'), new_file_path: at('a.txt'), tab_name: 't' };
  void peer.call('openDiff', { ...proposal, new_file_contents: `${SECRET} too\n` }).catch(() => {});
  await shown();
  await nvim.command(`ClaudeDiffReject ${SECRET}`);
  await peer.call('openFile', { filePath: at('a.txt'), startText: SECRET });
  for (const broken of [`{"${SECRET}`, JSON.stringify({ [SECRET]: SECRET }), `"${SECRET}"`])
    peer.send(broken);
  const args = { filePath: 1, startText: [SECRET], [SECRET]: SECRET };
  await peer.call('openFile', args).catch(() => {});
  await peer.call('executeCode', { code: SECRET });
  await Peer.connect({ port, token: SECRET }).catch(() => {});
  await Peer.connect({ port, token, origin: `http://${SECRET}` }).catch(() => {});
  await Peer.connect({ port, token, headers: { Host: SECRET } }).catch(() => {});
  peer.terminate();
  process.kill(await bridge.nodePid(), 'SIGTERM');
  await waitFor(async () => expect(await nvim.messages()).toMatch(/starting it again/));
  await whenReady(nvim);
  const log = path.join(nvim.home, '.local/state/nvim/claude-bridge.log');
  const text = fs.readFileSync(log, 'utf8');
  expect(text).toMatch(/DEBUG/);
  expect(text).toMatch(/connection refused/);
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain(token);
  expect(mode(log)).toBe(0o600);
});
