import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startNvim, type TestNvim } from '../support/nvim.ts';

let nvim: TestNvim;
beforeAll(async () => {
  nvim = await startNvim();
});
afterAll(() => nvim.dispose());

const split = (text: string) =>
  nvim.lua<[string[] | null, string | null]>(
    `local words, problem = require('claude_bridge.terminal.argv').split(...)
     return { words or vim.NIL, problem or vim.NIL }`,
    [text],
  );

test.each([
  ['', []],
  ['  ', []],
  ['claude', ['claude']],
  ['  claude   --resume ', ['claude', '--resume']],
  [`claude -p "fix it"`, ['claude', '-p', 'fix it']],
  [`claude -p 'fix "it"'`, ['claude', '-p', 'fix "it"']],
  [`claude "say \\"hi\\" \\\\ \\n"`, ['claude', 'say "hi" \\ \\n']],
  [`a\\ b`, ['a b']],
  [`a"b c"d''`, ['ab cd']],
  [`'' ""`, ['', '']],
  ['--model opus[1m] $HOME *', ['--model', 'opus[1m]', '$HOME', '*']],
  ['日本 é', ['日本', 'é']],
  ['a\\', ['a\\']],
])('%j is split into %j', async (text, words) => {
  expect((await split(text))[0]).toEqual(words);
});

test.each([`"open`, `it's`])('%j lacks a quote', async (text) => {
  expect(await split(text)).toEqual([null, expect.stringContaining('is missing in')]);
});

test('whatever is quoted comes back as it was', async () => {
  const quote = (word: string) => `'${word.replaceAll("'", `'"'"'`)}'`;
  const words = fc.array(fc.string({ unit: 'grapheme' }).filter((word) => !word.includes('\0')));
  await fc.assert(
    fc.asyncProperty(words, async (list) => {
      expect((await split(list.map(quote).join(' ')))[0]).toEqual(list);
    }),
    { numRuns: 100 },
  );
});
