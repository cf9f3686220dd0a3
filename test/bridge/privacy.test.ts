/** What the user keeps to himself leaves by no tool and no notification, whoever is connected. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import { Peer } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge;
const peers: Peer[] = [];
afterEach(async () => {
  for (const peer of peers.splice(0)) peer.terminate();
  await bridge?.dispose();
});

const SECRET = 'TOP-SECRET-TEXT';
/** A name that no test says to the bridge; only the editor could tell it. */
const HIDDEN = 'hidden-name';
const PRIVATE = new RegExp(`${HIDDEN}|${SECRET}`);
const file = (name: string) => path.join(bridge.workspace, name);

/** A client of each family, shaken hands. */
async function connect(name: string): Promise<Peer> {
  const peer = await Peer.connect({ port: bridge.port, token: bridge.token });
  peers.push(peer);
  await peer.initialize({ clientInfo: { name, version: '1.0' } });
  peer.initialized();
  peer.ideConnected(process.pid);
  await peer.listTools();
  return peer;
}

const CLIENTS = ['claude-code', 'opencode', 'sid-code'];

/** Every tool, without a word about the hidden file. */
const UNNAMED: readonly [string, object][] = [
  ['getCurrentSelection', {}],
  ['getLatestSelection', {}],
  ['getOpenEditors', {}],
  ['getWorkspaceFolders', {}],
  ['getDiagnostics', {}],
  ['closeAllDiffTabs', {}],
  ['close_tab', { tab_name: 'none' }],
  ['executeCode', { code: '1' }],
];
/** Every tool that takes a file. */
const NAMED: readonly [string, (path: string) => object][] = [
  ['openFile', (filePath) => ({ filePath, makeFrontmost: false })],
  ['checkDocumentDirty', (filePath) => ({ filePath })],
  ['saveDocument', (filePath) => ({ filePath })],
  ['getDiagnostics', (uri) => ({ uri: `file://${uri}` })],
];

/** Shows a file, changes it, selects in it, diagnoses it, and goes to a terminal and back. */
async function workIn(name: string): Promise<void> {
  const { nvim } = bridge;
  await nvim.lua(
    `local buf = vim.fn.bufadd(...)
    vim.bo[buf].buflisted = true
    vim.api.nvim_set_current_buf(buf)
    vim.diagnostic.set(vim.api.nvim_create_namespace('t'), buf,
      { { lnum = 0, col = 0, message = '${SECRET} is wrong' } })`,
    [file(name)],
  );
  await nvim.input(`ggOnew ${SECRET}<Esc>`);
  await nvim.input('ggVGy');
  await nvim.input('ggvee');
  await waitFor(async () => expect(await nvim.lua('return vim.fn.mode()')).toBe('v'));
  await nvim.input('<Esc>');
  await nvim.command('new | terminal');
  await nvim.command('bwipeout!');
}

async function callAll(peer: Peer): Promise<void> {
  for (const [name, args] of UNNAMED) await peer.call(name, { ...args });
}

/** All that a client has been sent. */
const heard = (peer: Peer): string => JSON.stringify(peer.received);

describe.each(CLIENTS)('%s is told nothing of an excluded file', (client) => {
  test.each([
    [`.env.${HIDDEN}`, undefined],
    [`${HIDDEN}.pem`, undefined],
    [`.ssh/${HIDDEN}`, undefined],
    [`link-${HIDDEN}`, '.env.real'],
  ])('%s', async (name, target) => {
    bridge = await startBridge({
      ui: true,
      files: { [target ?? name]: `${SECRET}=1\n`, 'open.txt': 'open\n' },
      args: ['open.txt'],
    });
    if (target) fs.symlinkSync(target, file(name));
    const peer = await connect(client);
    await workIn(name);
    await bridge.nvim.command('ClaudeMention');
    await bridge.nvim.command('1,2ClaudeMention');
    await callAll(peer);
    // Something that may be told shows that there was time to tell it.
    await bridge.nvim.command('edit! open.txt');
    await bridge.nvim.command('ClaudeMention');
    await waitFor(() => expect(heard(peer)).toMatch(/at_mentioned.*open\.txt/));
    expect(heard(peer)).not.toContain(SECRET);
    expect(heard(peer)).not.toContain(HIDDEN);
  });

  test('when it names the file itself: no text, and it seems not to be open', async () => {
    const name = `.env.${HIDDEN}`;
    bridge = await startBridge({ ui: true, files: { [name]: `${SECRET}=1\n` } });
    const peer = await connect(client);
    await workIn(name);
    const spellings = [file(name), file(`x/../${name}`), `${bridge.workspace}//${name}`];
    for (const spelling of spellings) {
      for (const [tool, args] of NAMED) {
        const answer = await peer.callTexts(tool, { ...args(spelling) });
        expect([tool, answer.join('')]).toEqual([
          tool,
          expect.stringMatching(/keep this file back|Document not open|"diagnostics":\[\]/),
        ]);
      }
    }
    expect(heard(peer)).not.toContain(SECRET);
  });
});

describe.each(CLIENTS)('with sharing off, %s', (client) => {
  const options = { files: { [`${HIDDEN}.txt`]: `${SECRET}\n`, 'open.txt': 'open\n' } };

  test.each([
    ['by the option', { selection: { enabled: false } }, ''],
    ['by the command', {}, 'ClaudeSharing off'],
  ])('is told of no open file, %s', async (_, config, command) => {
    bridge = await startBridge({ ui: true, ...options, options: config });
    if (command) await bridge.nvim.command(command);
    const peer = await connect(client);
    await workIn(`${HIDDEN}.txt`);
    await callAll(peer);
    await bridge.nvim.command('edit! open.txt');
    // A mention is the user's own word.
    await bridge.nvim.command('ClaudeMention');
    await waitFor(() => expect(heard(peer)).toMatch(/at_mentioned.*open\.txt/));
    expect(heard(peer)).not.toContain(SECRET);
    expect(heard(peer)).not.toContain(HIDDEN);
  });

  test('loses what it was told before, and gets it back', async () => {
    bridge = await startBridge({ ui: true, ...options });
    const peer = await connect(client);
    const selections = () => peer.told('selection_changed');
    await workIn(`${HIDDEN}.txt`);
    const last = () => JSON.stringify(selections().at(-1));
    await waitFor(() => expect(last()).toContain(HIDDEN));
    await bridge.nvim.command('ClaudeSharing off');
    await waitFor(() => expect(last()).not.toMatch(PRIVATE));
    expect(selections().at(-1)).toMatchObject({ text: '' });
    const sent = peer.received.length;
    await bridge.nvim.input('gg');
    await callAll(peer);
    expect(JSON.stringify(peer.received.slice(sent))).not.toMatch(PRIVATE);
    await bridge.nvim.command('ClaudeSharing on');
    await waitFor(() =>
      expect(selections().at(-1)).toMatchObject({ filePath: file(`${HIDDEN}.txt`) }),
    );
  });
});

test('with sharing off, an agent has the diagnostics of the files that it names', async () => {
  bridge = await startBridge({ ui: true, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
  await bridge.nvim.command('ClaudeSharing off');
  const peer = await connect('claude-code');
  await workIn('a.txt');
  await workIn('b.txt');
  expect(await peer.callTexts('getDiagnostics', {})).toEqual(['[]']);
  const uri = `file://${file('b.txt')}`;
  const found = [expect.objectContaining({ uri, diagnostics: [expect.anything()] })];
  expect(JSON.parse((await peer.callTexts('getDiagnostics', { uri })).join(''))).toEqual(found);
  expect(JSON.parse((await peer.callTexts('getDiagnostics', {})).join(''))).toEqual(found);
});

test('sharing stays off when the node process dies, and over a restart', async () => {
  bridge = await startBridge({ ui: true, files: { 'a.txt': `${SECRET}\n` } });
  await bridge.nvim.command('ClaudeSharing off');
  const state = () => bridge.nvim.lua(`return require('claude_bridge.host').state()`);
  process.kill(await bridge.nodePid(), 'SIGKILL');
  await waitFor(async () => {
    expect(await bridge.nvim.messages()).toContain('starting it again');
    expect(await state()).toBe('ready');
  });
  const peer = await connect('claude-code');
  await workIn('a.txt');
  await callAll(peer);
  await peer.settle();
  expect(heard(peer)).not.toMatch(/TOP-SECRET|a\.txt/);
});

test('the log of a busy session at level debug holds no token and no text', async () => {
  bridge = await startBridge({
    ui: true,
    files: { 'a.txt': `${SECRET}\n`, '.env': `${SECRET}=1\n` },
    options: { log: { level: 'debug' } },
  });
  await bridge.nvim.lua(`_G.log = require('claude_bridge.log').path()`);
  const peer = await connect('claude-code');
  await workIn('a.txt');
  await workIn('.env');
  await callAll(peer);
  await bridge.nvim.command('ClaudeMention');
  for (const [tool, args] of NAMED) await peer.call(tool, { ...args(file('a.txt')) });
  const proposal = { new_file_contents: `${SECRET} proposed\n`, tab_name: 't' };
  const paths = { old_file_path: file('a.txt'), new_file_path: file('a.txt') };
  const review = peer.call('openDiff', { ...paths, ...proposal });
  await waitFor(async () =>
    expect(await bridge.nvim.lua(`return #require('claude_bridge.session').info().reviews`)).toBe(
      1,
    ),
  );
  await bridge.nvim.command('ClaudeDiffAccept');
  await review;
  // Faults of every kind, each with text in it.
  peer.send(`not json ${SECRET}`);
  peer.send({ jsonrpc: '2.0', id: 900, method: SECRET, params: [SECRET] });
  await peer.call('openDiff', { old_file_path: SECRET, tab_name: 7 }).catch(() => {});
  await peer.call(SECRET, { text: SECRET }).catch(() => {});
  await bridge.nvim.lua(
    `require('claude_bridge.channel').notify({ kind = 'selection', path = 7, text = ... })`,
    [SECRET],
  );
  await expect(
    Peer.connect({ port: bridge.port, token: `${bridge.token.slice(0, -1)}x` }),
  ).rejects.toThrow();
  const written = await bridge.nvim.lua<string>('return _G.log');
  const logged = (part: string) =>
    waitFor(() => expect(fs.readFileSync(written, 'utf8')).toContain(part));
  peer.terminate();
  await logged('client disconnected');
  await bridge.nvim.command('ClaudeBridgeStop');
  await logged('stopped');
  const text = fs.readFileSync(written, 'utf8');
  expect(text).toContain('connection refused');
  expect(text).not.toContain(bridge.token.slice(0, 8));
  expect(text).not.toContain(SECRET);
});
