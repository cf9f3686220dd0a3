import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fromView, toView } from '../../src/core/review-text.ts';
import { type ReviewBench, startReviews } from '../support/reviews.ts';
import { waitFor } from '../support/wait-for.ts';

const BOM = '\uFEFF';
const utf8 = (text: string) => Buffer.from(text);

/** Lines that a user sees as changed, on the right side. */
const CHANGED = `
  local layout = require('claude_bridge.review.state').pending()[1].layout
  return vim.api.nvim_win_call(layout.right, function()
    local found = {}
    for line = 1, vim.fn.line('$') do
      if vim.fn.diff_hlID(line, 1) ~= 0 or vim.fn.diff_filler(line) > 0 then table.insert(found, line) end
    end
    return found
  end)
`;

/** The same in one window; what is removed is at the line above which, or at the last below which, it stands. */
const CHANGED_INLINE = `
  local ns = vim.api.nvim_get_namespaces().claude_bridge_inline
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
    local last = mark[4].virt_lines and mark[2] + 1 or mark[4].hl_eol and mark[4].end_row or 0
    for line = mark[2] + 1, last do
      found[line] = true
    end
  end
  local lines = vim.tbl_keys(found)
  table.sort(lines)
  return lines
`;

interface Case {
  readonly disk: Uint8Array | undefined;
  readonly proposal: string;
  readonly changed: readonly number[];
  /** In one window, where a final line end that changes is a change of its line. */
  readonly inline?: readonly number[];
}

const cases: Readonly<Record<string, Case>> = {
  'one line changed': { disk: utf8('a\nb\n'), proposal: 'a\nB\n', changed: [2] },
  'dos, and a dos proposal': { disk: utf8('x\r\ny\r\n'), proposal: 'x\r\nz\r\n', changed: [2] },
  'dos, and a proposal with LF as clients send it': {
    disk: utf8('x\r\ny\r\n'),
    proposal: 'x\nz\n',
    changed: [2],
  },
  'unix, and a dos proposal: every line does change': {
    disk: utf8('x\ny\n'),
    proposal: 'x\r\ny\r\n',
    changed: [1, 2],
  },
  'unix, and a dos proposal without a final line end': {
    disk: utf8('x\ny\n'),
    proposal: 'x\r\ny',
    changed: [1],
    inline: [1, 2],
  },
  'a new dos file': { disk: undefined, proposal: 'x\r\ny\r\n', changed: [1, 2] },
  'mixed line ends': { disk: utf8('x\r\ny\n'), proposal: 'x\r\nz\n', changed: [2] },
  'dos without a final line end': { disk: utf8('x\r\ny'), proposal: 'x\r\ny', changed: [] },
  'no final line end': { disk: utf8('a\nb'), proposal: 'a\nb', changed: [] },
  'only the final line end added': { disk: utf8('a'), proposal: 'a\n', changed: [], inline: [1] },
  'only the final line end dropped': { disk: utf8('a\n'), proposal: 'a', changed: [], inline: [1] },
  'a byte order mark': {
    disk: utf8(`${BOM}one\ntwo\n`),
    proposal: `${BOM}one\nTWO\n`,
    changed: [2],
  },
  'a byte order mark that the proposal lacks': {
    disk: utf8(`${BOM}one\n`),
    proposal: 'one\n',
    changed: [],
  },
  'a byte order mark and dos': {
    disk: utf8(`${BOM}one\r\ntwo\r\n`),
    proposal: `${BOM}one\r\nTWO\r\n`,
    changed: [2],
  },
  'UTF-16': {
    disk: Buffer.from(`${BOM}é\nb\n`, 'utf16le'),
    proposal: `${BOM}é\nB\n`,
    changed: [2],
  },
  'Latin-1': { disk: Buffer.from('café\n', 'latin1'), proposal: 'café\n', changed: [] },
  NUL: { disk: utf8('a\0b\nc\n'), proposal: 'a\0b\nC\n', changed: [2] },
  'an empty file': { disk: utf8(''), proposal: 'a\n', changed: [1] },
  'emptied by the proposal': { disk: utf8('a\nb\n'), proposal: '', changed: [1] },
  'one empty line': { disk: utf8('\n'), proposal: '\n', changed: [] },
  'line and paragraph separators': {
    disk: utf8('a\u2028b\n'),
    proposal: 'a\u2028b\n\u2029\n',
    changed: [2],
  },
  'a byte order mark in a long line inside': {
    disk: utf8(`a\n${BOM}${'x'.repeat(500)}\n`),
    proposal: `b\n${BOM}${'x'.repeat(500)}\n`,
    changed: [1],
  },
};

let bench: ReviewBench;

const layouts = ['vertical', 'inline'] as const;
const scenes = layouts.flatMap((layout) =>
  ['not loaded', 'loaded'].map((at) => [at, layout] as const),
);

describe.each(scenes)('with the file %s, %s', (loaded, layout) => {
  afterEach(() => bench.dispose());

  test.each(Object.entries(cases))('%s', async (_, { disk, proposal, changed, inline }) => {
    bench = await startReviews({ settings: { layout } });
    const file = disk ? bench.write('a.txt', disk) : `${bench.folder}/a.txt`;
    if (loaded === 'loaded') await bench.nvim.command(`edit ${file}`);
    const review = await bench.open({ path: file, proposal });
    const seen = await bench.nvim.lua<number[]>(layout === 'inline' ? CHANGED_INLINE : CHANGED);
    const wanted = (layout === 'inline' && inline) || changed;
    expect(seen.length === 0 ? [] : seen).toEqual(wanted);
    expect(await review.text()).toBe(proposal);
    await bench.nvim.feed(":$put ='added'<CR>");
    const view = toView(proposal);
    // Neovim has no text without a line: what is put below an empty one comes second.
    const lines = [...(view.lines.length === 0 ? [''] : view.lines), 'added'];
    const literal = view.crlf && !(await bench.nvim.lua(`return vim.bo.fileformat == 'dos'`));
    const edited = literal
      ? [
          ...view.lines.map((line, i) =>
            i < view.lines.length - 1 || view.eol ? `${line}\r` : line,
          ),
          'added',
        ]
          .join('\n')
          .concat(view.eol ? '\n' : '')
      : fromView({ ...view, lines });
    expect(await review.text()).toBe(edited);
    await bench.nvim.feed(':undo<CR>:w<CR>');
    expect(await review.outcome).toEqual({ kind: 'accepted', text: proposal, edited: false });
  });
});

describe('text of any kind', () => {
  beforeAll(async () => {
    bench = await startReviews();
  });
  afterAll(() => bench.dispose());

  const hardText = fc
    .array(
      fc.oneof(
        {
          weight: 3,
          arbitrary: fc.constantFrom('\n', '\r\n', '\r', BOM, '\0', '\u2028', '😀', 'é', '\t'),
        },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 80, maxLength: 300 }) },
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''));

  test.each([
    ['unix', 'one\n'],
    ['dos', 'one\r\n'],
    ['missing', undefined],
  ])('comes back byte for byte when a line is added above, beside a %s file', async (_, disk) => {
    const file = disk === undefined ? `${bench.folder}/missing` : bench.write('b.txt', disk);
    await fc.assert(
      fc.asyncProperty(hardText, async (text) => {
        const review = await bench.open({ path: file, proposal: text });
        await bench.nvim.lua(`vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'above' })`);
        const end = (await bench.nvim.lua('return vim.bo.fileformat')) === 'dos' ? '\r\n' : '\n';
        const body = text.startsWith(BOM) ? text.slice(1) : text;
        const mark = text.startsWith(BOM) ? BOM : '';
        // An empty buffer has an empty line, which then has a line end as all others.
        const below = body === '' ? end : body;
        expect(await review.text()).toBe(`${mark}above${end}${below}`);
        await review.close('withdrawn');
      }),
      { numRuns: 60 },
    );
  });

  test('comes back byte for byte when nothing but an option is touched', async () => {
    const file = bench.write('c.txt', 'one\n');
    await fc.assert(
      fc.asyncProperty(hardText, async (text) => {
        const review = await bench.open({ path: file, proposal: text });
        await bench.nvim.lua(
          `vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'x' }) vim.cmd('silent undo')`,
        );
        expect(await review.text()).toBe(text);
        await review.close('withdrawn');
      }),
      { numRuns: 60 },
    );
  });
});

describe('what the user makes of it', () => {
  afterEach(() => bench.dispose());

  test.each([
    ['a\nb\n', ':%delete<CR>', ''],
    ['a\nb\n', 'ggdGi<Esc>', ''],
    ['a\nb\n', ':%delete<CR>o<Esc>', '\n\n'],
    ['a\nb', 'ohere<Esc>', 'a\nhere\nb'],
    ['a\nb', ':set endofline<CR>', 'a\nb\n'],
    ['a\nb\n', ':set noendofline<CR>', 'a\nb'],
    ['a\nb\n', ':set fileformat=dos<CR>', 'a\r\nb\r\n'],
    ['a\r\nb\r\n', ':set fileformat=unix<CR>', 'a\nb\n'],
    [`${BOM}a\n`, ':set nobomb<CR>', 'a\n'],
    ['', 'inew<Esc>', 'new\n'],
    ['a\n', ':1delete<CR>', ''],
  ])('%j after %s is %j', async (proposal, keys, text) => {
    bench = await startReviews();
    const file = `${bench.folder}/new.txt`;
    const review = await bench.open({ path: file, proposal });
    await bench.nvim.feed(`gg${keys}:w<CR>`);
    expect(await review.outcome).toEqual({ kind: 'accepted', text, edited: true });
  });

  test('a final line end, which no line shows, is told in the title', async () => {
    bench = await startReviews();
    await bench.open({ path: bench.write('a.txt', 'a'), proposal: 'a\n' });
    expect(await bench.nvim.lua('return vim.wo.winbar')).toContain('adds the final newline');
    await waitFor(async () => expect(await bench.nvim.messages()).not.toMatch(/E\d+:/));
  });
});
