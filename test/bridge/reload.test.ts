/**
 * A file that an agent changes on disk shows up in its buffer, whatever the user does there: with a
 * review before, or without one (in modes in which the agent asks nobody).
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import { waitFor } from '../support/wait-for.ts';

const OLD = Array.from({ length: 60 }, (_, line) => `line ${line + 1}`);
const NEW = OLD.with(29, 'changed');
const bytes = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

let bridge: TestBridge;
let file: string;
beforeEach(async () => {
  bridge = await startBridge({ ui: true, files: { 'a.txt': bytes(OLD), 'sub/b.txt': 'b\n' } });
  file = path.join(bridge.workspace, 'a.txt');
});
afterEach(() => bridge.dispose());

const eventually = (check: () => Promise<void>) => waitFor(check);
const open = (name = file) => bridge.nvim.lua('vim.cmd.edit(vim.fn.fnameescape(...))', [name]);
const lines = (name = file) =>
  bridge.nvim.lua<string[]>('return vim.api.nvim_buf_get_lines(vim.fn.bufadd(...), 0, -1, false)', [
    name,
  ]);
const shows = (expected: readonly string[], name = file) =>
  eventually(async () => expect(await lines(name)).toEqual(expected));
const mode = () => bridge.nvim.client.request('nvim_get_mode', []);
const told = async () => (await bridge.nvim.messages()).split('\n').filter((line) => line !== '');

/** Nothing asks, and nothing was said. */
async function isQuiet(expected = 'n') {
  expect(await mode()).toEqual({ mode: expected, blocking: false });
  expect(bridge.nvim.screen.text).not.toMatch(/W1[0-9]|Press ENTER|\[O\]K|changed on disk/);
  expect(await told()).toEqual([]);
}

/** The agent proposes the new text, the user accepts it, and the agent writes it. */
async function reviewed() {
  const peer = await bridge.peer();
  const answer = peer.callTexts('openDiff', {
    old_file_path: file,
    new_file_path: file,
    new_file_contents: bytes(NEW),
    tab_name: 'tab',
  });
  const pending = `return #require('claude_bridge.review').list()`;
  await eventually(async () => expect(await bridge.nvim.lua(pending)).toBe(1));
  await bridge.nvim.command('ClaudeDiffAccept');
  expect((await answer)[0]).toBe('FILE_SAVED');
  fs.writeFileSync(file, bytes(NEW));
  await peer.callTexts('close_tab', { tab_name: 'tab' });
}

const ways: [string, () => void | Promise<void>][] = [
  ['written', () => fs.writeFileSync(file, bytes(NEW))],
  [
    'replaced by another',
    () => {
      fs.writeFileSync(`${file}.tmp.1`, bytes(NEW));
      fs.renameSync(`${file}.tmp.1`, file);
    },
  ],
  [
    'deleted and made anew',
    () => {
      fs.rmSync(file);
      fs.writeFileSync(file, bytes(NEW));
    },
  ],
  [
    'written twice at once',
    () => {
      fs.writeFileSync(file, '');
      fs.writeFileSync(file, bytes(NEW));
    },
  ],
  ['written after a review', reviewed],
];

describe.each(ways)('a file that is %s', (_, write) => {
  test.each(['autoread', 'noautoread'])('with %s', async (option) => {
    await bridge.nvim.command(`set ${option}`);
    await open();
    await write();
    await shows(NEW);
    await isQuiet();
    await bridge.nvim.feed('u');
    expect(await lines()).toEqual(OLD);
  });

  test('while its buffer is hidden', async () => {
    await open();
    await open(path.join(bridge.workspace, 'sub/b.txt'));
    await write();
    await shows(NEW);
    await isQuiet();
  });

  test('in two windows and another tab page, each with its view and its folds', async () => {
    await open();
    await bridge.nvim.command('setlocal foldmethod=manual | 50,55fold | normal! 40Gzt3l');
    await bridge.nvim.command('split | normal! 10Gzb');
    await bridge.nvim.command('tab split | normal! 20G');
    await bridge.nvim.command('tabnew');
    const views = () =>
      bridge.nvim.lua(
        `return vim.tbl_map(function(window)
          return vim.api.nvim_win_call(window, function()
            return { vim.fn.line('.'), vim.fn.col('.'), vim.fn.line('w0'), vim.fn.foldclosed(52) }
          end)
        end, vim.fn.win_findbuf(vim.fn.bufadd(...)))`,
        [file],
      );
    const before = await views();
    await write();
    await shows(NEW);
    await eventually(async () => expect(await views()).toEqual(before));
    await isQuiet();
  });

  test('while the user types in it, before the first key', async () => {
    await open();
    await bridge.nvim.feed('5G');
    await bridge.nvim.input('A');
    await eventually(async () => expect(await mode()).toMatchObject({ mode: 'i' }));
    await write();
    await shows(NEW);
    expect(await mode()).toEqual({ mode: 'i', blocking: false });
    await bridge.nvim.input(' typed<Esc>');
    await eventually(async () => expect((await lines())[4]).toBe('line 5 typed'));
  });

  test('with unsaved text in it: that stays, and is told once', async () => {
    await open();
    await bridge.nvim.feed('Gomine<Esc>');
    await write();
    await eventually(async () =>
      expect((await told()).join('\n')).toContain('a.txt changed on disk; your unsaved text stays'),
    );
    expect(await lines()).toEqual([...OLD, 'mine']);
    await bridge.nvim.command('checktime');
    await bridge.nvim.command('doautocmd FocusGained');
    expect((await told()).filter((line) => line.includes('on disk'))).toHaveLength(1);
    expect(await mode()).toEqual({ mode: 'n', blocking: false });
  });
});

describe('shows up', () => {
  const write = () => fs.writeFileSync(file, bytes(NEW));

  test.each([
    ['visual mode', '5GVjj', 'V'],
    ['an operator that waits', '5G"ay', 'no'],
    ['a command line with its preview', ':%s/line 3/X', 'c'],
    ['a search', '/line 3', 'c'],
    ['replace mode', '5GR', 'R'],
    ['select mode', '5Ggh', 's'],
    ['completion', '5GAline<C-n>', 'ic'],
  ])('during %s, which goes on', async (_, keys, expected) => {
    await bridge.nvim.command('set inccommand=split');
    await open();
    await bridge.nvim.input(keys);
    await eventually(async () => expect(await mode()).toMatchObject({ mode: expected }));
    const typed = await bridge.nvim.lua('return vim.fn.getcmdline()');
    const isModified = await bridge.nvim.lua('return vim.bo.modified');
    write();
    if (isModified) {
      await eventually(async () => expect(await told()).toHaveLength(1));
    } else {
      await shows(NEW);
      expect(await told()).toEqual([]);
    }
    expect(await mode()).toEqual({ mode: expected, blocking: false });
    expect(await bridge.nvim.lua('return vim.fn.getcmdline()')).toBe(typed);
    await bridge.nvim.input('<Esc><Esc>');
    await eventually(async () => expect(await mode()).toMatchObject({ mode: 'n' }));
    if (!isModified) expect(await lines()).toEqual(NEW);
  });

  test('from a terminal, which keeps the focus and its mode', async () => {
    await open();
    await bridge.nvim.command('botright split | terminal cat');
    await bridge.nvim.command('startinsert');
    await eventually(async () => expect(await mode()).toMatchObject({ mode: 't' }));
    write();
    await shows(NEW);
    await isQuiet('t');
  });

  test.each(['readonly', 'nomodifiable', 'noswapfile', 'noundofile', 'bufhidden=hide'])(
    'with %s, which stays',
    async (option) => {
      await open();
      await bridge.nvim.command(`setlocal ${option}`);
      const value = () =>
        bridge.nvim.lua(`return { vim.bo.readonly, vim.bo.modifiable, vim.bo.bufhidden }`);
      const before = await value();
      write();
      await shows(NEW);
      await isQuiet();
      expect(await value()).toEqual(before);
    },
  );

  test('under a name that is a link, and in a folder that is one', async () => {
    const link = path.join(bridge.workspace, 'sub/link.txt');
    fs.symlinkSync(file, link);
    const folder = path.join(bridge.workspace, 'other');
    fs.symlinkSync(path.join(bridge.workspace, 'sub'), folder);
    await open(link);
    await open(path.join(folder, 'b.txt'));
    write();
    fs.writeFileSync(path.join(bridge.workspace, 'sub/b.txt'), 'changed\n');
    await shows(NEW, link);
    await shows(['changed'], path.join(folder, 'b.txt'));
    await isQuiet();
  });

  test('where size and second are the same', async () => {
    await open();
    const before = fs.statSync(file);
    const swapped = bytes(OLD).replace('line 3', 'enil 3');
    fs.writeFileSync(file, swapped);
    fs.utimesSync(file, before.atime, Math.floor(before.mtimeMs / 1000) + 0.999);
    await eventually(async () => expect((await lines())[2]).toBe('enil 3'));
    await isQuiet();
  });

  test('where the write came before the bridge had heard of the buffer', async () => {
    await bridge.nvim.lua(
      `local file, text = ...
      vim.cmd.edit(file)
      local handle = io.open(file, 'w')
      handle:write(text)
      handle:close()`,
      [file, bytes(NEW)],
    );
    await shows(NEW);
    await isQuiet();
  });

  test('where a whole folder was replaced', async () => {
    const inside = path.join(bridge.workspace, 'sub/b.txt');
    await open(inside);
    fs.renameSync(path.join(bridge.workspace, 'sub'), path.join(bridge.workspace, 'before'));
    bridge.write({ 'sub/b.txt': 'changed\n' });
    await shows(['changed'], inside);
  });

  test('a file that is made where a buffer waits for it', async () => {
    const wanted = path.join(bridge.workspace, 'new/er/c.txt');
    await open(wanted);
    bridge.write({ 'new/er/c.txt': 'made\n' });
    await shows(['made'], wanted);
    await isQuiet();
  });
});
