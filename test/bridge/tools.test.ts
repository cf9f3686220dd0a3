import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import type { Peer } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge;
let peer: Peer;

beforeAll(async () => {
  bridge = await startBridge({
    ui: true,
    files: { 'a.ts': 'const a = 1;\nconst b = 2;\n', 'b.txt': 'one\ntwo\n' },
    args: ['a.ts'],
  });
  peer = await bridge.peer();
});
afterAll(() => bridge?.dispose());

const file = (name: string): string => path.join(bridge.workspace, name);
const answer = async (name: string, args = {}) =>
  JSON.parse((await peer.callTexts(name, args))[0] ?? '') as unknown;

test('the twelve tools are listed', async () => {
  expect((await peer.listTools()).map(({ name }) => name)).toEqual([
    'openFile',
    'openDiff',
    'getCurrentSelection',
    'getLatestSelection',
    'getOpenEditors',
    'getWorkspaceFolders',
    'getDiagnostics',
    'checkDocumentDirty',
    'saveDocument',
    'close_tab',
    'closeAllDiffTabs',
    'executeCode',
  ]);
});

test('the small tools answer for the real editor', async () => {
  const path = file('a.ts');
  const at = { line: 0, character: 0 };
  expect(await answer('getWorkspaceFolders')).toMatchObject({
    success: true,
    rootPath: bridge.workspace,
  });
  expect(await answer('getCurrentSelection')).toMatchObject({
    success: true,
    text: '',
    filePath: path,
    selection: { start: at, end: at },
  });
  expect(await answer('getOpenEditors')).toMatchObject({
    tabs: [{ uri: `file://${path}`, isActive: true, label: 'a.ts', isDirty: false }],
  });
  expect(await answer('checkDocumentDirty', { filePath: path })).toMatchObject({
    success: true,
    isDirty: false,
  });
  expect(await answer('saveDocument', { filePath: file('b.txt') })).toMatchObject({
    success: false,
    message: `Document not open: ${file('b.txt')}`,
  });
  expect(await answer('getDiagnostics', { uri: `file://${path}` })).toEqual([
    { uri: `file://${path}`, diagnostics: [] },
  ]);
  expect(await peer.callTexts('openFile', { filePath: file('b.txt') })).toEqual([
    `Opened file: ${file('b.txt')}`,
  ]);
  expect(await bridge.nvim.lua('return vim.api.nvim_buf_get_name(0)')).toBe(file('b.txt'));
});

describe('a proposed edit', () => {
  const propose = (name: string, contents: string, tab = `tab ${name}`) =>
    peer.callTexts('openDiff', {
      old_file_path: file(name),
      new_file_path: file(name),
      new_file_contents: contents,
      tab_name: tab,
    });
  const shown = () =>
    waitFor(async () =>
      expect(await bridge.nvim.lua('return vim.wo.diff and vim.bo.buftype')).toBe('acwrite'),
    );
  const layout = () =>
    bridge.nvim.lua('return { vim.fn.winlayout(), #vim.api.nvim_list_bufs(), vim.fn.win_getid() }');

  test.each([
    [':w<CR>', ['FILE_SAVED', 'one\nTWO\n']],
    [':wq<CR>', ['FILE_SAVED', 'one\nTWO\n']],
    [':x<CR>', ['FILE_SAVED', 'one\nTWO\n']],
    ['ZZ', ['FILE_SAVED', 'one\nTWO\n']],
    ['GAyes<Esc>:w<CR>', ['FILE_SAVED', 'one\nTWOyes\n']],
    [':q<CR>', ['DIFF_REJECTED', 'tab b.txt']],
    [':q!<CR>', ['DIFF_REJECTED', 'tab b.txt']],
    ['ZQ', ['DIFF_REJECTED', 'tab b.txt']],
    [':ClaudeDiffAccept<CR>', ['FILE_SAVED', 'one\nTWO\n']],
    [':ClaudeDiffReject<CR>', ['DIFF_REJECTED', 'tab b.txt']],
  ])('%s answers the agent and leaves everything as it was', async (keys, expected) => {
    const before = await layout();
    const answered = propose('b.txt', 'one\nTWO\n');
    await shown();
    await bridge.nvim.input(keys);
    expect(await answered).toEqual(expected);
    await waitFor(async () => expect(await layout()).toEqual(before));
    expect(fs.readFileSync(file('b.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(await bridge.nvim.messages()).not.toMatch(/E\d+:/);
  });

  test('what the agent then writes shows up without a prompt', async () => {
    const answered = propose('b.txt', 'one\nTWO\n');
    await shown();
    await bridge.nvim.input(':w<CR>');
    await answered;
    await peer.callTexts('close_tab', { tab_name: 'tab b.txt' });
    fs.writeFileSync(file('b.txt'), 'one\nTWO\n');
    await waitFor(async () =>
      expect(
        await bridge.nvim.lua(
          `return vim.api.nvim_buf_get_lines(vim.fn.bufnr('^' .. ... .. '$'), 0, -1, false)`,
          [file('b.txt')],
        ),
      ).toEqual(['one', 'TWO']),
    );
    expect(await bridge.nvim.client.request('nvim_get_mode', [])).toMatchObject({
      mode: 'n',
      blocking: false,
    });
  });

  test('the user decides in the terminal of the agent: close_tab ends it', async () => {
    const before = await layout();
    const answered = propose('b.txt', 'changed\n');
    await shown();
    expect(await peer.callTexts('close_tab', { tab_name: 'tab b.txt' })).toEqual(['TAB_CLOSED']);
    expect(await answered).toEqual(['DIFF_REJECTED', 'tab b.txt']);
    await waitFor(async () => expect(await layout()).toEqual(before));
  });

  test('a client that dies takes its review with it, and no other', async () => {
    const other = await bridge.peer();
    const before = await layout();
    void propose('b.txt', 'mine\n', 'mine').catch(() => {});
    await shown();
    void other
      .callTexts('openDiff', {
        old_file_path: file('a.ts'),
        new_file_path: file('a.ts'),
        new_file_contents: 'theirs\n',
        tab_name: 'theirs',
      })
      .catch(() => {});
    await waitFor(async () =>
      expect(await bridge.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(2),
    );
    other.socket.terminate();
    await waitFor(async () =>
      expect(await bridge.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(1),
    );
    expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_1_DIFF_TABS']);
    await waitFor(async () => expect(await layout()).toEqual(before));
  });
});

test('while Neovim waits at a prompt, a tool ends with a clear error within seconds', async () => {
  await bridge.nvim.input(':echo "a\\nb\\nc"<CR>');
  await waitFor(async () =>
    expect(await bridge.nvim.client.request('nvim_get_mode', [])).toMatchObject({ blocking: true }),
  );
  const result = await peer.call('getOpenEditors');
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/waits at a prompt/) }],
  });
  await bridge.nvim.input('<CR>');
});
