import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startNvim, type TestNvim, tempDir } from '../support/nvim.ts';
import { type CopyOptions, copyPlugin } from '../support/plugin-copy.ts';

let nvim: TestNvim | undefined;
let folder: string;
beforeEach(() => {
  folder = tempDir();
});
afterEach(async () => {
  await nvim?.dispose();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** An executable that prints a text, or does whatever the script says. */
function program(name: string, script: string): void {
  const bin = path.join(folder, 'bin');
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

interface Case extends CopyOptions {
  env?: Record<string, string>;
  args?: string[];
}

/** A Neovim whose PATH holds only the programs of the test. */
async function start({ env = {}, args = [], ...copy }: Case = {}): Promise<TestNvim> {
  const root = path.join(folder, 'plugin root');
  if (!fs.existsSync(root)) copyPlugin(root, copy);
  nvim = await startNvim({
    plugin: false,
    env,
    args: [
      ...['--cmd', `let $PATH='${path.join(folder, 'bin')}'`],
      ...['--cmd', `let &rtp = '${root},' . &rtp`],
      ...args,
      ...['--cmd', 'runtime plugin/claude_bridge.lua'],
    ],
  });
  return nvim;
}

async function report(of: TestNvim): Promise<string> {
  await of.command('checkhealth claude_bridge');
  const lines = await of.lua<string[]>('return vim.api.nvim_buf_get_lines(0, 0, -1, false)');
  const text = lines.join('\n').replaceAll(/\p{Emoji_Presentation}\s*|⚠️\s*/gu, '');
  expect(text).not.toContain('This part of the check failed');
  expect(text).not.toContain('Failed to run healthcheck');
  return text;
}
const check = async (options: Case = {}) => report(await start(options));

const ready = (of: TestNvim, lockFiles: string[] = []) =>
  of.lua(
    `require('claude_bridge.environment').apply({ variables = { CLAUDE_CODE_SSE_PORT = '4711' } })
     require('claude_bridge.session').ready({ port = 4711, token = 'secret-token', lock_files = ... })`,
    [lockFiles],
  );

test('with all there, nothing is wrong', async () => {
  program('node', 'echo v20.11.1');
  program('claude', 'echo "2.1.332 (Claude Code)"');
  const text = await check();
  expect(text).not.toMatch(/- (WARNING|ERROR)/);
  expect(text).toMatch(/OK Neovim 0\.\d+/);
  expect(text).toMatch(/OK Node\.js v20\.11\.1 \(.*\/bin\/node\)/);
  expect(text).toMatch(/OK Built, version \d/);
  expect(text).toMatch(/OK claude: 2\.1\.332 \(Claude Code\) \(.*\/bin\/claude\)/);
  expect(text).toContain('Not running; :ClaudeBridgeStart starts it');
  expect(text).toContain('getDiagnostics and executeCode');
});

test('without node, it says so and what to do', async () => {
  const text = await check();
  expect(text).toContain('ERROR node is not an executable on PATH');
  expect(text).toContain('Install Node.js 20 or later');
});

test('that agents may run code is said only where they can', async () => {
  program('node', 'echo v20.11.1');
  const without = await check();
  expect(without).toContain('Agents cannot run code in notebooks');
  expect(without).not.toContain('Agents may run code');
  await nvim?.dispose();
  const library = path.join(folder, 'plugin root/node_modules/zeromq');
  fs.mkdirSync(library, { recursive: true });
  fs.writeFileSync(path.join(library, 'package.json'), '{}');
  const there = await check();
  expect(there).not.toContain('Agents cannot run code');
  expect(there).toContain('Agents may run code after you have allowed');
});

test('an old node is named with the version that is needed', async () => {
  program('node', 'echo v12.0.0');
  expect(await check()).toMatch(
    /ERROR \S+\/bin\/node is Node\.js v12\.0\.0; 20 or later is needed/,
  );
});

test('a node that tells nothing, and one that hangs, hold the check up for seconds at most', async () => {
  program('node', 'exit 3');
  expect(await check()).toContain('ended with exit code 3 and told no version');
  await nvim?.dispose();
  program('node', 'while :; do :; done');
  expect(await check()).toContain('no answer within 3 s');
});

test('the option `node` is named where it is wrong', async () => {
  const text = await check({ args: ['--cmd', 'let g:claude_bridge = {"node": "nope"}'] });
  expect(text).toContain('ERROR nope is not an executable on PATH');
});

test('a missing build names the command, without npm on PATH', async () => {
  program('node', 'echo v20.0.0');
  const text = await check({ built: false });
  expect(text).toContain('ERROR dist/host.cjs is missing: the plugin is not built');
  expect(text).toContain(`Run "npm run build" in ${folder}/plugin root`);
  expect(text).toContain('g:node_host_prog: not set');
});

test('a build of another version, and one older than the sources', async () => {
  expect(await check({ builtVersion: '0.0.1' })).toMatch(
    /ERROR The build is of version 0\.0\.1, the plugin is version \d/,
  );
  await nvim?.dispose();
  fs.rmSync(path.join(folder, 'plugin root'), { recursive: true });
  copyPlugin(path.join(folder, 'plugin root'));
  const later = Date.now() / 1000 + 100;
  fs.utimesSync(path.join(folder, 'plugin root/src/x.ts'), later, later);
  expect(await check()).toContain('WARNING The build is older than the sources');
});

test('remote plugins that are switched off are named, and are no problem', async () => {
  const text = await check({ args: ['--cmd', 'let g:loaded_remote_plugins = 1'] });
  expect(text).toContain('g:loaded_remote_plugins is set');
  expect(text).not.toContain('WARNING g:loaded_remote_plugins');
});

test('the manifest is looked at', async () => {
  const manifest = path.join(folder, 'rplugin.vim');
  const env = { NVIM_RPLUGIN_MANIFEST: manifest };
  const args = ['--cmd', 'command UpdateRemotePlugins echo'];
  expect(await check({ env, args })).toContain('does not know this plugin, which works either way');
  await nvim?.dispose();
  fs.writeFileSync(
    manifest,
    `call remote#host#RegisterPlugin('node', '/x/rplugin/node/claude_bridge.cjs', [])`,
  );
  expect(await check({ env, args })).toContain('knows this plugin, which works either way');
});

test('wrong options are named', async () => {
  const text = await check({ args: ['--cmd', 'let g:claude_bridge = {"portt": 1}'] });
  expect(text).toContain('WARNING unknown option `portt`');
});

test('a running bridge: port, lock file and variables', async () => {
  const of = await start();
  const lock = path.join(of.home, '4711.lock');
  fs.writeFileSync(lock, '{}', { mode: 0o600 });
  await ready(of, [lock]);
  const text = await report(of);
  expect(text).toContain('OK Running on port 4711');
  expect(text).toContain(`OK Lock file: ${lock}`);
  expect(text).toContain('OK CLAUDE_CODE_SSE_PORT=4711');
  expect(text).not.toContain('secret-token');
});

test('a lock file that is gone, one that others can read, and a changed variable', async () => {
  const of = await start();
  const lock = path.join(of.home, '4711.lock');
  await ready(of, [lock]);
  await of.lua(`vim.env.CLAUDE_CODE_SSE_PORT = '1'`);
  const text = await report(of);
  expect(text).toContain(`ERROR The lock file is gone: ${lock}`);
  expect(text).toContain('WARNING CLAUDE_CODE_SSE_PORT is 1, but the bridge listens on 4711');
  fs.writeFileSync(lock, '{}', { mode: 0o644 });
  fs.chmodSync(lock, 0o644);
  expect(await report(of)).toContain(`WARNING Others can read the lock file ${lock}`);
});

test('a bridge that could not start is an error with its cause', async () => {
  const of = await start();
  await of.lua(`require('claude_bridge.session').failed({ message = 'port 7777 is taken' })`);
  expect(await report(of)).toContain('ERROR The bridge could not start: port 7777 is taken');
});

test('lock files of other editors: a living one, a stale one, one that is no JSON', async () => {
  const of = await start({ env: { CLAUDE_CONFIG_DIR: path.join(folder, 'cfg') } });
  const ide = path.join(folder, 'cfg/ide');
  fs.mkdirSync(ide, { recursive: true });
  fs.writeFileSync(path.join(ide, '1.lock'), JSON.stringify({ pid: process.pid }));
  fs.writeFileSync(path.join(ide, '2.lock'), JSON.stringify({ pid: 2 ** 30 }));
  fs.writeFileSync(path.join(ide, '3.lock'), 'null');
  const text = await report(of);
  expect(text).toContain(`Another editor: ${ide}/1.lock (process ${process.pid})`);
  expect(text).toContain(`WARNING Stale lock file: ${ide}/2.lock (process ${2 ** 30} is gone)`);
  expect(text).toContain(`WARNING Stale lock file: ${ide}/3.lock (no process id)`);
  expect(text).toContain('CLAUDE_CONFIG_DIR=');
});

test('the lock files of sid-code count too, and opencode is warned of', async () => {
  program('opencode', 'echo 1.18.33');
  const of = await start();
  const ide = path.join(of.home, '.sid-code/ide');
  fs.mkdirSync(ide, { recursive: true });
  fs.writeFileSync(path.join(ide, '1.lock'), JSON.stringify({ pid: process.pid, ideName: 'X' }));
  const text = await report(of);
  expect(text).toContain(`Another editor: ${ide}/1.lock (process ${process.pid})`);
  expect(text).toContain('start it by :ClaudeBridgeTerminal opencode');
});

test('another editor in the same folder is a warning while the bridge runs', async () => {
  const of = await start();
  const ide = path.join(of.home, '.claude/ide');
  fs.mkdirSync(ide, { recursive: true });
  const lock = (port: number, content: object) =>
    fs.writeFileSync(path.join(ide, `${port}.lock`), JSON.stringify(content), { mode: 0o600 });
  lock(4711, {});
  lock(1, { pid: process.pid, ideName: 'VS Code', workspaceFolders: [path.dirname(of.home)] });
  lock(2, { pid: process.pid, ideName: 'Other', workspaceFolders: [`${of.home}2`] });
  const rival = `Another editor works in the same folder: VS Code, process ${process.pid}`;
  expect(await report(of)).not.toContain(rival);
  await ready(of, [path.join(ide, '4711.lock')]);
  await of.command(`cd ${of.home}`);
  const text = await report(of);
  expect(text).toContain(`WARNING ${rival} (${ide}/1.lock)`);
  expect(text).toContain(`Another editor: ${ide}/2.lock`);
});

test('a proxy without exemption is a warning with its remedy', async () => {
  const of = await start({
    env: { http_proxy: 'http://proxy.invalid:1', no_proxy: 'corp.example' },
  });
  expect(await report(of)).toMatch(
    /WARNING A proxy is set \(http_proxy\)[\s\S]*no_proxy=localhost/,
  );
  await ready(of);
  expect(await report(of)).toContain(
    'OK A proxy is set (http_proxy), and loopback addresses are exempt',
  );
});

test('a missing agent, one that hangs, and one of the options', async () => {
  program('gemini', 'while :; do :; done');
  program('mine', 'echo 1.2.3');
  const options = `{ terminal = { agents = { mine = 'mine --flag' } } }`;
  const text = await check({ args: ['--cmd', `lua vim.g.claude_bridge = ${options}`] });
  expect(text).toContain('WARNING claude (option `terminal.cmd`) is not an executable on PATH');
  expect(text).toMatch(/WARNING gemini \(.*\): no answer within 3 s/);
  expect(text).toMatch(/OK mine: 1\.2\.3/);
});

test('the external provider without a command', async () => {
  const args = ['--cmd', `lua vim.g.claude_bridge = { terminal = { provider = 'external' } }`];
  expect(await check({ args })).toContain('ERROR The provider `external` needs the option');
});

test.each([
  ["provider = 'snacks'", 'ERROR The provider `snacks` needs snacks.nvim'],
  ["provider = 'none'", 'Nothing can be typed into agents outside Neovim'],
])('the terminal option %s', async (option, told) => {
  const args = ['--cmd', `lua vim.g.claude_bridge = { terminal = { ${option} } }`];
  expect(await check({ args })).toContain(told);
});

test('why edits may not be reviewed here: the setting of Claude Code, and the option', async () => {
  fs.writeFileSync(path.join(folder, '.claude.json'), '{"diffTool":"terminal"}');
  const env = { CLAUDE_CONFIG_DIR: folder };
  const told = 'WARNING Claude Code is set to show edits in its own terminal';
  const first = await check({ env });
  expect(first).toContain(told);
  expect(first).toContain('Type /config there');
  await nvim?.dispose();
  fs.writeFileSync(path.join(folder, '.claude.json'), '{"diffTool":"auto"');
  expect(await check({ env })).not.toContain(told);
  await nvim?.dispose();
  const args = ['--cmd', `lua vim.g.claude_bridge = { diff = { enabled = false } }`];
  const asksBlindly = 'WARNING Claude Code is not set to show edits there';
  const off = await check({ args, env });
  expect(off).toContain('The option `diff.enabled` is off');
  expect(off).toContain(asksBlindly);
  await nvim?.dispose();
  fs.writeFileSync(path.join(folder, '.claude.json'), '{"diffTool":"terminal"}');
  expect(await check({ args, env })).not.toContain('WARNING Claude Code');
});

test('what is shared where that is not the default', async () => {
  const args = ['--cmd', `lua vim.g.claude_bridge = { privacy = { enabled = false } }`];
  const of = await start({ args });
  expect(await report(of)).toContain('WARNING The option `privacy.enabled` is off');
  await of.command('ClaudeSharing off');
  expect(await report(of)).toContain('Agents are told nothing of open files and the selection');
});
