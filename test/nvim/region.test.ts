/** Ranges and texts of selections against a model that counts characters, not bytes. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LuaSelection } from '../../src/nvim/schema.ts';
import { startNvim, type TestNvim, tempDir } from '../support/nvim.ts';

let nvim: TestNvim;
beforeAll(async () => {
  nvim = await startNvim();
  await nvim.lua('vim.api.nvim_set_current_buf(vim.fn.bufadd(...))', [`${tempDir()}/a.txt`]);
});
afterAll(() => nvim.dispose());

const character = fc.constantFrom(
  'a',
  ' ',
  'é',
  'ß',
  '日',
  '😀',
  'e\u0301',
  'a\u0302\u0323',
  '\u00a0',
  '𝒳',
);
const line = fc.array(character, { maxLength: 8 });
const lines = fc.array(line, { minLength: 1, maxLength: 6 });
type Line = readonly string[];
interface Spot {
  readonly line: number;
  readonly index: number;
}

const spotIn = (text: readonly Line[]) =>
  fc
    .nat(text.length - 1)
    .chain((at) =>
      fc.nat(Math.max((text[at]?.length ?? 0) - 1, 0)).map((index) => ({ line: at, index })),
    );
const scene = lines.chain((text) =>
  fc.record({ text: fc.constant(text), one: spotIn(text), two: spotIn(text) }),
);

const upTo = (text: readonly Line[], { line, index }: Spot) =>
  (text[line] ?? []).slice(0, index).join('');
const isBefore = (a: Spot, b: Spot) => a.line < b.line || (a.line === b.line && a.index <= b.index);
const at = (text: readonly Line[], spot: Spot) => ({
  line: spot.line,
  character: upTo(text, spot).length,
});

/** Selects between two spots and reads the selection as the tools do. */
async function select(mode: string, option: string, text: readonly Line[], one: Spot, two: Spot) {
  const bytes = (spot: Spot) => [spot.line + 1, Buffer.byteLength(upTo(text, spot))];
  const raw = await nvim.lua(
    `local lines, option, mode, one, two = ...
     vim.cmd.normal({ args = { '\\27' }, bang = true })
     vim.o.selection = option
     vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
     vim.api.nvim_win_set_cursor(0, one)
     vim.cmd.normal({ args = { mode }, bang = true })
     vim.api.nvim_win_set_cursor(0, two)
     return require('claude_bridge.selection').current()`,
    [text.map((l) => l.join('')), option, mode, bytes(one), bytes(two)],
  );
  return LuaSelection.parse(raw);
}

function between(text: readonly Line[], first: Spot, end: Spot): string {
  return text
    .slice(first.line, end.line + 1)
    .map((chars, i) => {
      const from = i === 0 ? first.index : 0;
      const to = i === end.line - first.line ? end.index : chars.length;
      return chars.slice(from, to).join('');
    })
    .join('\n');
}

test.each(['inclusive', 'exclusive', 'old'])('charwise, selection=%s', async (option) => {
  await fc.assert(
    fc.asyncProperty(scene, async ({ text, one, two }) => {
      const [first, last] = isBefore(one, two) ? [one, two] : [two, one];
      const isPoint = first.line === last.line && first.index === last.index;
      const count = text[last.line]?.length ?? 0;
      const includes = (option !== 'exclusive' || isPoint) && last.index < count;
      const end = { line: last.line, index: last.index + (includes ? 1 : 0) };
      const got = await select('v', option, text, one, two);
      expect(got.text).toBe(between(text, first, end));
      expect(got.range).toEqual({ start: at(text, first), end: at(text, end) });
    }),
    { numRuns: 150 },
  );
});

test('linewise', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async ({ text, one, two }) => {
      const [first, last] = isBefore(one, two) ? [one, two] : [two, one];
      const end = { line: last.line, index: text[last.line]?.length ?? 0 };
      const got = await select('V', 'inclusive', text, one, two);
      expect(got.text).toBe(between(text, { line: first.line, index: 0 }, end));
      expect(got.range).toEqual({ start: { line: first.line, character: 0 }, end: at(text, end) });
    }),
    { numRuns: 100 },
  );
});

test.each(['inclusive', 'exclusive'])(
  'a block of plain characters, selection=%s',
  async (option) => {
    const grid = fc.integer({ min: 1, max: 5 }).chain((width) =>
      fc.array(
        fc.array(fc.constantFrom('a', 'é', '𝒳', 'e\u0301'), { minLength: width, maxLength: width }),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
    );
    const gridScene = grid.chain((text) =>
      fc.record({ text: fc.constant(text), one: spotIn(text), two: spotIn(text) }),
    );
    await fc.assert(
      fc.asyncProperty(gridScene, async ({ text, one, two }) => {
        const [top, bottom] = isBefore(one, two) ? [one, two] : [two, one];
        const left = Math.min(one.index, two.index);
        const leavesOut = option === 'exclusive' && top.index < bottom.index;
        const right = Math.max(one.index, two.index) + (leavesOut ? 0 : 1);
        const got = await select('\x16', option, text, one, two);
        const wanted = text
          .slice(top.line, bottom.line + 1)
          .map((l) => l.slice(left, right).join(''));
        expect(got.text).toBe(wanted.join('\n'));
        expect(got.range).toEqual({
          start: at(text, { line: top.line, index: left }),
          end: at(text, { line: bottom.line, index: right }),
        });
      }),
      { numRuns: 100 },
    );
  },
);

test('virtual editing beyond the text stays inside it', async () => {
  await nvim.command('set virtualedit=all');
  const raw = await nvim.lua(`
    vim.cmd.normal({ args = { '\\27' }, bang = true })
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'ab', 'é' })
    vim.fn.cursor(1, 2, 4)
    vim.cmd.normal({ args = { 'v' }, bang = true })
    vim.fn.cursor(2, 2, 5)
    return require('claude_bridge.selection').current()`);
  await nvim.command('set virtualedit=');
  expect(LuaSelection.parse(raw)).toMatchObject({
    text: expect.stringMatching(/^b?\né$/),
    range: { end: { line: 1, character: 1 } },
  });
});
