/** What users have reported of selections, mentions and diagnostics, on the real wire. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import type { Peer } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge;
let peer: Peer;
beforeEach(async () => {
  bridge = await startBridge();
  peer = await bridge.peer();
});
afterEach(() => bridge.dispose());

const file = (name: string) => path.join(bridge.workspace, name);
const lua = <T>(code: string, ...args: unknown[]) => bridge.nvim.lua<T>(code, args);
const show = (name: string) =>
  lua('vim.api.nvim_set_current_buf(vim.fn.bufadd(...)) vim.bo.buflisted = true', file(name));
const open = async (name: string, content: string) => {
  bridge.write({ [name]: content });
  await show(name);
};
const answer = async (tool: string, args = {}) =>
  JSON.parse((await peer.callTexts(tool, args))[0] ?? '') as unknown;
const selected = (text: string, ...[sl, sc, el, ec]: number[]) => ({
  text,
  filePath: file('a.txt'),
  fileUrl: pathToFileURL(file('a.txt')).href,
  selection: {
    start: { line: sl, character: sc },
    end: { line: el, character: ec },
    isEmpty: text === '',
  },
});
const told = (wanted: object) =>
  waitFor(() => expect(peer.told('selection_changed').at(-1)).toEqual(wanted));

describe('selection', () => {
  test.each([
    ['1', 'éé foo', 'gg0wve', ['foo', 0, 3, 0, 6]],
    ['2', 'x = "日本語" + y', 'gg0f日ve', ['日本語', 0, 5, 0, 8]],
    ['3', 'a😀b', 'gg0vl', ['a😀', 0, 0, 0, 3]],
    ['4', 'a😀b\nsecond', 'ggVj', ['a😀b\nsecond', 0, 0, 1, 6]],
    ['8', 'abcdef\n'.repeat(4), 'gg0llv3j', ['cdef\nabcdef\nabcdef\nabc', 0, 2, 3, 3]],
    ['five lines', '1\n2\n3\n4\n5\n6\n', 'ggV4j', ['1\n2\n3\n4\n5', 0, 0, 4, 1]],
    ['a block', 'abcd\nefgh', 'gg0l<C-v>jl', ['bc\nfg', 0, 1, 1, 3]],
  ] as const)('case %s', async (_, text, keys, [wanted, ...range]) => {
    await open('a.txt', text);
    await bridge.nvim.feed(keys);
    await told(selected(wanted, ...range));
    expect(JSON.stringify(peer.notifications)).not.toMatch(/\d{10,}/);
  });

  test('case 6: a burst is not lost, and stands until the cursor moves', async () => {
    await open('a.txt', 'alpha beta');
    await bridge.nvim.feed('0viw<Esc>');
    await told(selected('alpha', 0, 0, 0, 5));
    expect(await answer('getLatestSelection')).toMatchObject({ success: true, text: 'alpha' });
    await bridge.nvim.input('l');
    await told(selected('', 0, 5, 0, 5));
  });

  test('case 7: linewise right after charwise', async () => {
    await open('a.txt', 'one two');
    await bridge.nvim.feed('0viw<Esc>');
    await bridge.nvim.feed('V');
    await told(selected('one two', 0, 0, 0, 7));
  });

  test('case 9: selection=exclusive', async () => {
    await bridge.nvim.command('set selection=exclusive');
    await open('a.txt', 'second');
    await bridge.nvim.feed('0ve');
    await told(selected('second', 0, 0, 0, 6));
  });

  test('case 11: what is no file is never told', async () => {
    await open('a.txt', 'alpha');
    await bridge.nvim.feed('viw<Esc>');
    await told(selected('alpha', 0, 0, 0, 5));
    await bridge.nvim.command('call setqflist([{ "text": "one" }])');
    for (const view of ['enew', 'copen', 'terminal', 'help']) {
      await bridge.nvim.command(view);
      await bridge.nvim.feed('ggVG<Esc>');
    }
    await open('last.txt', 'x');
    await waitFor(() =>
      expect(peer.told('selection_changed').at(-1)?.['filePath']).toBe(file('last.txt')),
    );
    const paths = peer.told('selection_changed').map(({ filePath }) => filePath);
    expect(new Set(paths)).toEqual(new Set([file('a.txt'), file('last.txt')]));
  });

  test('case 12: what was selected in a closed or excluded file turns up nowhere', async () => {
    await open('.env', 'SECRET=1');
    await bridge.nvim.feed('ggVG');
    await open('open.txt', 'CLOSED');
    await bridge.nvim.feed('<Esc>ggVG');
    await waitFor(() => expect(peer.told('selection_changed').at(-1)?.['text']).toBe('CLOSED'));
    await bridge.nvim.command('enew | bwipeout! open.txt');
    await waitFor(() => expect(peer.told('selection_changed').at(-1)?.['text']).toBe(''));
    await bridge.nvim.command('bwipeout! .env');
    await peer.close();
    peer = await bridge.peer();
    const latest = await peer.callTexts('getLatestSelection');
    const current = await peer.callTexts('getCurrentSelection');
    expect(latest).toEqual(['{"success":false,"message":"No selection available"}']);
    expect(current).toEqual(['{"success":false,"message":"No active editor found"}']);
    await peer.settle();
    expect(JSON.stringify(peer.received)).not.toMatch(/SECRET|CLOSED|\.env/);
  });
});

describe('mentions', () => {
  const mentioned = (...wanted: object[]) =>
    waitFor(() => expect(peer.told('at_mentioned')).toEqual(wanted));

  test('case 13: lines are counted from 0', async () => {
    await open('f.txt', 'line\n'.repeat(10));
    await bridge.nvim.command('2,4ClaudeMention');
    await mentioned({ filePath: file('f.txt'), lineStart: 1, lineEnd: 3 });
  });

  test('case 14: names are taken as they are', async () => {
    const names = ['a b.ts', '$post/index.tsx', '[id].vue', '100%.md', 'naïve#1.txt', "q'.md"];
    bridge.write(Object.fromEntries(names.map((name) => [name, 'x'])));
    for (const name of names) await bridge.nvim.input(`:ClaudeMention ${name}<CR>`);
    await mentioned(...names.map((name) => ({ filePath: file(name) })));
    for (const name of names) {
      expect(await peer.callTexts('openFile', { filePath: file(name) })).toEqual([
        `Opened file: ${file(name)}`,
      ]);
      expect(await lua('return vim.api.nvim_buf_get_name(0)')).toBe(file(name));
    }
  });

  test('case 16: kept while nobody listens, told once and in order', async () => {
    await peer.close();
    bridge.write({ 'a.txt': '', 'b.txt': '' });
    await bridge.nvim.command('ClaudeMention a.txt');
    await bridge.nvim.command('ClaudeMention b.txt');
    peer = await bridge.peer();
    await mentioned({ filePath: file('a.txt') }, { filePath: file('b.txt') });
    const methods = peer.received.map(({ method, id }) => method ?? `answer ${id}`);
    expect(methods.indexOf('at_mentioned')).toBeGreaterThan(methods.indexOf('answer 0'));
    const second = await bridge.peer();
    await show('a.txt');
    await second.waitFor('selection_changed');
    await bridge.nvim.command('ClaudeMention a.txt');
    await waitFor(() => expect(second.told('at_mentioned')).toHaveLength(1));
    expect(peer.told('at_mentioned')).toHaveLength(3);
  });

  test('an excluded file is not mentioned, and the user is told', async () => {
    await open('.env', 'SECRET=1');
    await bridge.nvim.command('ClaudeMention');
    await waitFor(async () =>
      expect(await bridge.nvim.messages()).toMatch(/Not mentioned: .*\.env/),
    );
    expect(peer.told('at_mentioned')).toEqual([]);
  });
});

describe('tools', () => {
  const range = { start: { line: 0, character: 3 }, end: { line: 0, character: 6 } };
  const entry = { message: 'm', severity: 'Error', range, source: 's', code: '7' };
  const diagnose = (name: string) =>
    lua(
      `vim.diagnostic.set(vim.api.nvim_create_namespace('t'), vim.fn.bufadd(...), {
        { lnum = 0, col = 5, end_lnum = 0, end_col = 8, severity = 1, message = 'm', source = 's', code = 7 },
      })`,
      file(name),
    );

  test('case 39: diagnostics by URI and by path, of a hidden buffer', async () => {
    await open('d.ts', 'éé foo');
    await diagnose('d.ts');
    await open('other.ts', '');
    for (const uri of [`file://${file('d.ts')}`, file('d.ts')]) {
      expect(await answer('getDiagnostics', { uri })).toEqual([{ uri, diagnostics: [entry] }]);
    }
    await lua(
      `vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0, { { lnum = 99, col = 9, message = 'far' } })`,
    );
    expect(await answer('getDiagnostics', { uri: file('other.ts') })).toMatchObject([
      { diagnostics: [{ message: 'far', range: { start: { line: 0, character: 0 } } }] },
    ]);
  });

  test('diagnostics of any file name, raw and encoded, spelled as asked', async () => {
    for (const name of ['a b.ts', '[id].vue', '100%.md', 'a%20b.ts', 'naïve#1.txt']) {
      await open(name, 'éé foo');
      await diagnose(name);
      for (const uri of [`file://${file(name)}`, pathToFileURL(file(name)).href]) {
        expect(await answer('getDiagnostics', { uri })).toEqual([{ uri, diagnostics: [entry] }]);
        expect(await answer('getDiagnostics')).toContainEqual({ uri, diagnostics: [entry] });
      }
    }
  });

  test('a file asked for by a link is spelled so in later answers too', async () => {
    fs.symlinkSync(bridge.workspace, file('link'));
    await open('d.ts', 'éé foo');
    await diagnose('d.ts');
    const uri = `file://${file('link/d.ts')}`;
    await answer('getDiagnostics', { uri });
    expect(await answer('getDiagnostics')).toEqual([{ uri, diagnostics: [entry] }]);
    const second = await bridge.peer();
    expect(JSON.parse((await second.callTexts('getDiagnostics'))[0] ?? '')).toMatchObject([
      { uri: `file://${file('d.ts')}` },
    ]);
  });

  test('a file without diagnostics, one that is not open, and none at all', async () => {
    const uri = `file://${file('gone.ts')}`;
    expect(await answer('getDiagnostics', { uri })).toEqual([{ uri, diagnostics: [] }]);
    expect(await answer('getDiagnostics')).toEqual([]);
  });

  test('each call ends in time while Neovim waits at a prompt', async () => {
    await bridge.dispose();
    bridge = await startBridge({ ui: true });
    peer = await bridge.peer();
    await bridge.nvim.input(':echo "a\\nb"<CR>');
    await waitFor(async () =>
      expect(await bridge.nvim.client.request('nvim_get_mode', [])).toMatchObject({
        blocking: true,
      }),
    );
    const calls = [
      ['getDiagnostics', { uri: `file://${file('a.ts')}` }, 3_000],
      ['getDiagnostics', {}, 3_000],
      ['getCurrentSelection', {}, 8_000],
      ['getOpenEditors', {}, 8_000],
      ['checkDocumentDirty', { filePath: file('a.ts') }, 8_000],
    ] satisfies [string, object, number][];
    const ends = calls.map(async ([tool, args, limit]) => {
      const began = Date.now();
      const { isError, content } = await peer.call(tool, args);
      expect(isError, tool).toBe(true);
      expect(content[0]?.text).toMatch(/prompt/);
      expect(Date.now() - began, tool).toBeLessThan(limit);
    });
    await Promise.all(ends);
    await bridge.nvim.input('<CR>');
    expect(await answer('getDiagnostics')).toEqual([]);
  });

  test('the exact answers of openFile', async () => {
    await bridge.nvim.command('filetype on');
    bridge.write({ 'a.lua': 'one\ntwo\nthree\n' });
    const filePath = file('a.lua');
    const background = { filePath, makeFrontmost: false };
    expect(await answer('openFile', background)).toEqual({
      success: true,
      filePath,
      languageId: 'lua',
      lineCount: 3,
    });
    const lines = { filePath, startLine: 2, endLine: 3 };
    expect(await peer.callTexts('openFile', lines)).toEqual([`Opened file: ${filePath}`]);
    expect(await answer('getCurrentSelection')).toEqual({
      success: true,
      text: 'two\nthree',
      filePath,
      selection: { start: { line: 1, character: 0 }, end: { line: 2, character: 5 } },
    });
    expect(await peer.callTexts('openFile', { filePath: 'a.lua' })).toEqual(['Opened file: a.lua']);
  });

  test('the exact answers of the document tools', async () => {
    await open('a.txt', 'old\n');
    await bridge.nvim.feed('ccnew<Esc>');
    const filePath = file('a.txt');
    expect(await answer('checkDocumentDirty', { filePath })).toEqual({
      success: true,
      filePath,
      isDirty: true,
      isUntitled: false,
    });
    expect(await answer('saveDocument', { filePath })).toEqual({
      success: true,
      filePath,
      saved: true,
      message: 'Document saved successfully',
    });
    expect(fs.readFileSync(filePath, 'utf8')).toBe('new\n');
    const missing = { success: false, message: `Document not open: ${file('b.txt')}` };
    expect(await answer('checkDocumentDirty', { filePath: file('b.txt') })).toEqual(missing);
    expect(await answer('saveDocument', { filePath: file('b.txt') })).toEqual(missing);
  });

  test('the exact answers of the lists', async () => {
    await open('a b.txt', '');
    expect(await answer('getOpenEditors')).toEqual({
      tabs: [
        {
          uri: pathToFileURL(file('a b.txt')).href,
          isActive: true,
          label: 'a b.txt',
          languageId: expect.any(String),
          isDirty: false,
        },
      ],
    });
    expect(await answer('getWorkspaceFolders')).toEqual({
      success: true,
      folders: [
        {
          name: path.basename(bridge.workspace),
          uri: pathToFileURL(bridge.workspace).href,
          path: bridge.workspace,
        },
      ],
      rootPath: bridge.workspace,
    });
  });

  test('an excluded file looks closed, and is not opened', async () => {
    await open('.env', 'SECRET=1');
    const filePath = file('.env');
    expect(await answer('getOpenEditors')).toEqual({ tabs: [] });
    for (const tool of ['checkDocumentDirty', 'saveDocument']) {
      expect(await answer(tool, { filePath })).toMatchObject({ success: false });
    }
    expect(await peer.call('openFile', { filePath })).toMatchObject({ isError: true });
  });

  test('wrong arguments are answered with the name of the field', async () => {
    const wrong = [
      ['openFile', {}, /filePath/],
      ['openFile', { filePath: 7 }, /filePath/],
      ['openFile', { filePath: '/x', startLine: 0 }, /startLine/],
      ['openFile', { filePath: '/x', preview: 'yes' }, /preview/],
      ['checkDocumentDirty', {}, /filePath/],
      ['saveDocument', { filePath: '' }, /filePath/],
      ['openFile', { filePath: 'a.txt\0b' }, /filePath: must not contain a NUL/],
      [
        'openDiff',
        { old_file_path: '/x', new_file_path: '/x\0y', new_file_contents: '', tab_name: 't' },
        /new_file_path: must not/,
      ],
      ['getDiagnostics', { uri: 7 }, /uri/],
      ['getDiagnostics', { uri: 'http://x/a' }, /uri/],
    ] satisfies [string, object, RegExp][];
    for (const [tool, args, field] of wrong) {
      const failure = await peer.call(tool, args).catch((error: Error) => error.message);
      expect(JSON.stringify(failure), JSON.stringify(args)).toMatch(field);
    }
  });
});

test('a poll right after a write waits for what a language server says of it', async () => {
  await open('a.ts', 'fine\n');
  await lua(`
    local namespace = vim.api.nvim_create_namespace('server')
    local function publish()
      local first = vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]
      vim.diagnostic.set(namespace, 0, first == 'broken' and {
        { lnum = 0, col = 0, message = 'it is broken' },
      } or {})
    end
    local function later() vim.defer_fn(publish, 300) end
    vim.api.nvim_buf_attach(0, false, { on_lines = later, on_reload = later })
    publish()`);
  const uri = `file://${file('a.ts')}`;
  expect(await answer('getDiagnostics', { uri })).toEqual([{ uri, diagnostics: [] }]);
  bridge.write({ 'a.ts': 'broken\n' });
  expect(await answer('getDiagnostics')).toMatchObject([
    { uri, diagnostics: [{ message: 'it is broken' }] },
  ]);
});
