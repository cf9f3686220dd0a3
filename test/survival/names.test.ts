/** File names that would mean something to a shell, to Ex commands or to `expand()` mean nothing. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import type { Peer } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';

const NAMES = [
  'pipe|touch CANARY.txt',
  'new\nline',
  '\ntouch CANARY',
  '`touch CANARY`',
  '$(touch CANARY)',
  '~',
  '-c qa!',
  '+qa!',
  '+call writefile([],"CANARY")',
  "';touch CANARY;'",
  '%',
  '%:p',
  '##',
  '<cfile>',
  '*',
  '[id].ts',
  '{a,b}.txt',
  'back\\slash',
  ' lead and trail ',
  '!touch CANARY',
  ':qa!',
  '=system("touch CANARY")',
  "v:lua.os.execute('touch CANARY')",
  '\u001b:qa!\r',
  '\u0016\u0003',
  'a'.repeat(200),
  'ünïcødé 文件 \u202e',
];

let bridge: TestBridge;
let peer: Peer;
beforeAll(async () => {
  const files = Object.fromEntries(NAMES.map((name) => [name, `text of ${NAMES.indexOf(name)}\n`]));
  bridge = await startBridge({ ui: true, files: { ...files, 'first.txt': 'first\n' } });
  peer = await bridge.peer();
});
afterAll(() => bridge?.dispose());

const at = (name: string) => path.join(bridge.workspace, name);
const answer = async (tool: string, args: object): Promise<unknown> =>
  JSON.parse((await peer.callTexts(tool, { ...args }))[0] ?? '');
const current = () =>
  bridge.nvim.lua(`return { vim.api.nvim_buf_get_name(0), vim.fn.getline(1), vim.fn.mode() }`);

test.each(NAMES.map((name, index) => [name, index] as const))('%j', async (name, index) => {
  const { nvim } = bridge;
  const filePath = at(name);
  const text = `text of ${index}`;
  await nvim.lua(`vim.cmd('silent! %bwipeout!')`);
  const before = fs.readdirSync(bridge.workspace).sort();

  expect(await answer('openFile', { filePath, makeFrontmost: false })).toMatchObject({
    success: true,
    filePath,
  });
  expect(await peer.callTexts('openFile', { filePath })).toEqual([`Opened file: ${filePath}`]);
  expect(await current()).toEqual([filePath, text, 'n']);

  await nvim.lua(`vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0,
    { { lnum = 0, col = 0, message = 'wrong' } })`);
  for (const uri of [filePath, `file://${filePath}`, `file://${encodeURI(filePath)}`]) {
    expect(await answer('getDiagnostics', { uri })).toMatchObject([
      { uri, diagnostics: [{ message: 'wrong' }] },
    ]);
  }

  await nvim.lua(`vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'saved' })`);
  expect(await answer('checkDocumentDirty', { filePath })).toMatchObject({ isDirty: true });
  expect(await answer('saveDocument', { filePath })).toMatchObject({ success: true, saved: true });
  expect(fs.readFileSync(filePath, 'utf8')).toBe('saved\n');

  const told = peer.told('at_mentioned').length;
  await nvim.command('1ClaudeMention');
  expect((await peer.waitFor('at_mentioned', told + 1)).at(-1)).toMatchObject({ filePath });

  // Once with the file's own buffer on the left side, once with none loaded.
  for (const isLoaded of [true, false]) {
    if (!isLoaded) await nvim.lua(`vim.cmd('silent! %bwipeout!')`);
    const paths = { old_file_path: filePath, new_file_path: filePath };
    const proposal = { ...paths, new_file_contents: 'proposed\n', tab_name: name };
    const answered = peer.callTexts('openDiff', proposal);
    await waitFor(async () =>
      expect(await nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(1),
    );
    expect(
      await nvim.lua(`local lines = {}
        for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
          table.insert(lines, vim.fn.getbufline(vim.api.nvim_win_get_buf(window), 1)[1])
        end
        return lines`),
    ).toEqual(['saved', 'proposed']);
    await nvim.command('ClaudeDiffAccept');
    expect(await answered).toEqual(['FILE_SAVED', 'proposed\n']);
  }
  fs.writeFileSync(filePath, `${text}\n`);
  expect(fs.readdirSync(bridge.workspace).sort()).toEqual(before);
  expect(await nvim.messages()).not.toMatch(/E\d+:/);
});
