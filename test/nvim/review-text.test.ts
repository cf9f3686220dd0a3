import fs from 'node:fs';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Format } from '../../src/core/review-text.ts';
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

const LINE_END: Readonly<Record<Format, string>> = { unix: '\n', dos: '\r\n', mac: '\r' };

/** A text after a line was put below it. Neovim has no text without a line. */
function withLast(text: string, line: string, end: string): string {
  const body = text === '' || text === BOM ? text + end : text;
  return body.endsWith(end) ? body + line + end : body + end + line;
}

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
  'dos, and a proposal in which one line lacks its CR': {
    disk: utf8('x\r\ny\r\n'),
    proposal: 'x\r\ny\n',
    changed: [2],
  },
  'dos, and a proposal in which one line has a CR': {
    disk: utf8('x\r\ny\r\n'),
    proposal: 'x\ny\r\n',
    changed: [1],
  },
  'dos, and one line without a line end': {
    disk: utf8('x\r\ny\r\n'),
    proposal: 'z',
    changed: [1],
  },
  'CR alone': { disk: utf8('x\ry\r'), proposal: 'x\rz\r', changed: [1] },
  'CR alone, and a proposal with LF': {
    disk: utf8('x\ry\r'),
    proposal: 'x\ny\n',
    changed: [1, 2],
  },
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
    const format = await bench.nvim.lua<Format>('return vim.bo.fileformat');
    const edited = withLast(proposal, 'added', LINE_END[format]);
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
      { numRuns: 100 },
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

describe.each(scenes)('line ends of any kind, with the file %s, %s', (loaded, layout) => {
  beforeAll(async () => {
    bench = await startReviews({ settings: { layout } });
  });
  afterAll(() => bench.dispose());

  const end = fc.constantFrom('\n', '\r\n', '\r');
  const ends = fc.oneof(
    end.map((same) => [same, same, same] as const),
    fc.tuple(end, end, end),
  );
  const text = fc
    .record({
      words: fc.subarray(['one', 'two', 'three'], { minLength: 1 }),
      changed: fc.boolean(),
      ends,
      last: fc.boolean(),
      bom: fc.boolean(),
    })
    .map(({ words, changed, ends: chosen, last, bom }) => {
      const all = changed ? [...words.slice(0, -1), 'new'] : words;
      const parts = all.map((word, i) => word + (chosen[i] ?? ''));
      const body = last ? parts.join('') : parts.join('').replace(/(\r\n|\r|\n)$/, '');
      return (bom ? BOM : '') + body;
    });

  test('the lines that change are marked and no others, and the bytes come back', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(text, text, fc.boolean(), async (disk, proposal, asMac) => {
        const file = bench.write(`ends${++number}.txt`, disk);
        const isMac = loaded === 'loaded' && asMac && !/\n/.test(disk) && disk.includes('\r');
        if (loaded === 'loaded') {
          await bench.nvim.command(`edit ${isMac ? '++ff=mac ' : ''}${file}`);
        }
        const review = await bench.open({ path: file, proposal });
        const { marked, format } = await bench.nvim.lua<Shown>(MARKED, [layout]);
        expect(marked).toEqual(
          wantedMarks(disk, proposal, { isMac, isInline: layout === 'inline' }),
        );
        const lines = `vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'above' })`;
        await bench.nvim.lua(lines);
        const mark = proposal.startsWith(BOM) ? BOM : '';
        expect(await review.text()).toBe(
          `${mark}above${LINE_END[format]}${proposal.slice(mark.length)}`,
        );
        await bench.nvim.command('silent undo');
        expect(await review.text()).toBe(proposal);
        if (marked.length > 0) {
          await bench.nvim.lua(
            `require('claude_bridge.review.hunk_commands').reject_lines(1, vim.fn.line('$'))`,
          );
          expect(await review.text()).toBe(disk);
        }
        await review.close('withdrawn');
      }),
      { numRuns: 60 },
    );
  });
});

describe.each(layouts)('files that the user reads in a way of his own, %s', (layout) => {
  afterEach(() => bench.dispose());

  test.each([
    ['x\ry\r', 'x\rz\r', 'set fileformats=mac', [2], 'x\rz\radded\r'],
    ['x\ry\r', 'x\rz', 'set fileformats=mac', [2], 'x\rz\radded'],
    ['x\ry', 'x\rz\r', 'set fileformats=mac', [2], 'x\rz\radded\r'],
    ['x\ry\r', 'z', 'set fileformats=mac', [1], 'z\radded'],
    ['x\ry\r', 'x\ny\n', 'set fileformats=mac', [1, 2], 'x\ny\nadded\n'],
    ['x\ny\rz\r', 'x\ny\rz\r', 'set fileformats=mac', [], 'x\ny\rz\r\nadded'],
    ['x\r\ny\n', 'x\r\nz\n', 'set fileformats=dos', [2], undefined],
    ['x\r\ny\r\n', 'x\nz\n', 'set fileformats=', [2], undefined],
  ])('%j, and the proposal %j, after :%s', async (disk, proposal, command, marked, edited) => {
    bench = await startReviews({ settings: { layout } });
    const file = bench.write('a.txt', disk);
    await bench.nvim.command(command);
    if (edited !== undefined) await bench.nvim.command(`edit ${file}`);
    const review = await bench.open({ path: file, proposal });
    const shown = await bench.nvim.lua<Shown>(MARKED, [layout]);
    expect(Object.values(shown.marked)).toEqual(marked);
    if (edited === undefined) return;
    await bench.nvim.feed(":$put ='added'<CR>");
    expect(await review.text()).toBe(edited);
  });
});

interface Shown {
  readonly marked: readonly number[];
  readonly format: Format;
}

/** The lines of the proposal that are marked, and none for what only is removed. */
const MARKED = `
  local marked = vim.empty_dict()
  if ... == 'inline' then
    local ns = vim.api.nvim_get_namespaces().claude_bridge_inline
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
      for line = mark[2] + 1, mark[4].hl_eol and mark[4].end_row or 0 do marked[line] = true end
    end
  else
    for line = 1, vim.fn.line('$') do
      if vim.fn.diff_hlID(line, 1) ~= 0 then marked[line] = true end
    end
  end
  local lines = vim.tbl_keys(marked)
  table.sort(lines)
  return { marked = lines, format = vim.bo.fileformat }
`;

/** A line that is in both texts is not marked; the words of these texts are in order. */
function wantedMarks(
  disk: string,
  proposal: string,
  { isMac, isInline }: { isMac: boolean; isInline: boolean },
): number[] {
  const [old, now] = [disk.replace(BOM, ''), proposal.replace(BOM, '')];
  const isUniform = isAll(now, '\r\n') || (!now.includes('\r\n') && now.includes('\n'));
  const hidesCr = isAll(old, '\r\n') && (isUniform || !/[\r\n]/.test(now));
  const asMac = isMac && !now.includes('\n');
  const separator = asMac ? '\r' : '\n';
  const cut = (from: string) => {
    const lines = from.split(separator);
    const isEnded = lines.at(-1) === '';
    if (isEnded) lines.pop();
    return lines.map(
      (line, i) => line + (isInline && i === lines.length - 1 && !isEnded ? '' : '|'),
    );
  };
  const shown = (from: string) => cut(hidesCr ? from.replaceAll('\r\n', '\n') : from);
  const before = shown(old);
  return shown(now).flatMap((line, i) => (before.includes(line) ? [] : [i + 1]));
}

const isAll = (text: string, end: string) =>
  text.includes(end) && !text.replaceAll(end, '').includes('\n');

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
    ['a\nb\n', ':set fileformat=mac<CR>', 'a\rb\r'],
    ['a\nb', ':set fileformat=mac<CR>', 'a\rb'],
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

  test.each([
    ['one\r\ntwo\r\n', 'one\nTWO\n', false, '[CR LF becomes LF]'],
    ['one\r\ntwo\r\n', 'one\nTWO\n', true, ''],
    ['one\r\ntwo\r\n', 'one\r\nTWO\r\n', false, ''],
    ['one\r\ntwo\r\n', 'one\r\nTWO\n', false, ''],
    ['one\r\ntwo\r\n', '', false, ''],
    ['one\ntwo\n', 'one\r\nTWO\r\n', false, ''],
    ['', 'one\r\n', false, ''],
  ])('line ends of %j that %j changes, kept by the agent: %j, in the title: %j', async (...row) => {
    const [disk, proposal, keepsLineEnds, told] = row;
    bench = await startReviews();
    await bench.open({ path: bench.write('a.txt', disk), proposal, keepsLineEnds });
    const title = await bench.nvim.lua<string>('return vim.wo.winbar');
    expect(title.match(/\[[^[]* becomes [^\]]*\]/)?.[0] ?? '').toBe(told);
  });

  test('line ends that the user changes are told in the title', async () => {
    bench = await startReviews();
    await bench.open({ path: bench.write('a.txt', 'a\n'), proposal: 'b\n', keepsLineEnds: true });
    await bench.nvim.feed(':set fileformat=dos<CR>');
    expect(await bench.nvim.lua('return vim.wo.winbar')).toContain('[LF becomes CR LF]');
  });

  test.each([`${BOM}a\r\nb\n`, 'a\rb\r', 'a\r\nc', 'a\nb\r\n', 'c'])(
    'a copy of %j by :w has its bytes, and so has a recalled text',
    async (proposal) => {
      bench = await startReviews();
      const file = bench.write('a.txt', 'a\r\nb\r\n');
      const [copy, recalled] = [`${bench.folder}/copy.txt`, `${bench.folder}/recalled.txt`];
      const review = await bench.open({ path: file, proposal });
      await bench.nvim.feed(`:w ${copy}<CR>`);
      expect(fs.readFileSync(copy, 'utf8')).toBe(proposal);
      await bench.nvim.feed('Oabove<Esc>');
      const edited = await review.text();
      await bench.nvim.lua(`require('claude_bridge.review').reject()`);
      await review.outcome;
      await bench.nvim.lua(`require('claude_bridge.review').recall()`);
      await bench.nvim.feed(`:w ${recalled}<CR>`);
      expect(fs.readFileSync(recalled, 'utf8')).toBe(edited);
    },
  );

  test('a final line end, which no line shows, is told in the title', async () => {
    bench = await startReviews();
    await bench.open({ path: bench.write('a.txt', 'a'), proposal: 'a\n' });
    expect(await bench.nvim.lua('return vim.wo.winbar')).toContain('adds the final newline');
    await waitFor(async () => expect(await bench.nvim.messages()).not.toMatch(/E\d+:/));
  });
});
