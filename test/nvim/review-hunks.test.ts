import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Review } from '../../src/core/reviews.ts';
import { PROJECT } from '../support/nvim.ts';
import { type ReviewBench, startReviews } from '../support/reviews.ts';
import { waitFor } from '../support/wait-for.ts';

interface Range {
  start: number;
  count: number;
}
interface Hunk {
  original: Range;
  proposal: Range;
}

let bench: ReviewBench;
beforeAll(async () => {
  bench = await startReviews({ settings: { layout: 'inline' } });
});
afterAll(() => bench.dispose());
afterEach(async () => {
  await bench.nvim.lua(`require('claude_bridge.review').close_all('withdrawn')`);
  await bench.nvim.lua(`vim.cmd('silent! %bwipeout!') vim.o.hidden = true`);
});

let key = 0;
async function open(file: string, proposal: string, editable = true): Promise<Review> {
  key += 1;
  return bench.open({
    path: bench.write(`${key}.txt`, file),
    proposal,
    key: String(key),
    editable,
  });
}

const hunksOf = (): Promise<Hunk[]> =>
  bench.nvim.lua(`
    local review = require('claude_bridge.review.state').pending()[1]
    return require('claude_bridge.review.hunks').compare(review).hunks`);

const commands = (code: string): Promise<void> =>
  bench.nvim.lua(`local commands = require('claude_bridge.review.hunk_commands') ${code}`);

const accept = (): Promise<void> => bench.nvim.command('write');

/** Lines with their ends. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The proposal, with the original's text in place of some of its changes. */
function withTakenBack(file: string, proposal: string, taken: readonly Hunk[]): string {
  const [old, lines] = [linesOf(file), linesOf(proposal)];
  for (const { original, proposal: own } of [...taken].reverse()) {
    const from = own.count === 0 ? own.start : own.start - 1;
    const at = original.count === 0 ? original.start : original.start - 1;
    lines.splice(from, own.count, ...old.slice(at, at + original.count));
  }
  return lines.join('');
}

const line = fc.constantFrom('', 'a', 'b', 'c', '\tä', 'x\u0001', '\0', '\0b', 'y ', 'x\ry', '😀');
const text = fc
  .tuple(fc.array(line, { maxLength: 9 }), fc.boolean())
  .map(([lines, eol]) => lines.join('\n') + (eol && lines.length > 0 ? '\n' : ''));

const runs = Number(process.env['FUZZ_RUNS'] ?? 1) * 60;

describe('for any texts', () => {
  test('without its changes a proposal is the file, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (file, proposal) => {
        const review = await open(file, proposal);
        const last = Math.max(1, linesOf(proposal).length);
        if (file !== proposal) await commands(`commands.reject_lines(1, ${last})`);
        expect(await hunksOf()).toEqual([]);
        await accept();
        expect(await review.outcome).toMatchObject({ kind: 'accepted', text: file });
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  test('the changes are the whole difference, and one can be taken back', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, fc.nat(), async (file, proposal, choice) => {
        const review = await open(file, proposal);
        const hunks = await hunksOf();
        expect(withTakenBack(file, proposal, hunks)).toBe(file);
        const last = Math.max(1, linesOf(proposal).length);
        const lineOf = ({ proposal: { start, count } }: Hunk): number =>
          Math.min(Math.max(1, count === 0 ? start + 1 : start), last);
        const picked = hunks[choice % Math.max(1, hunks.length)];
        // At the only line there may be one above and one below it: the one above comes first.
        const chosen = picked && hunks.find((hunk) => lineOf(hunk) === lineOf(picked));
        if (chosen) {
          await bench.nvim.lua('vim.api.nvim_win_set_cursor(0, { ..., 0 })', [lineOf(chosen)]);
          await commands('commands.reject()');
        }
        await accept();
        const expected = chosen ? withTakenBack(file, proposal, [chosen]) : proposal;
        expect(await review.outcome).toMatchObject({ kind: 'accepted', text: expected });
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  test('of a range of lines only its changes are accepted', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, fc.nat(9), fc.nat(9), async (file, proposal, a, b) => {
        const review = await open(file, proposal);
        const count = Math.max(1, linesOf(proposal).length);
        const first = Math.min(1 + Math.min(a, b), count);
        const last = Math.min(1 + Math.max(a, b), count);
        const hunks = await hunksOf();
        const others = hunks.filter(({ proposal: { start, count: size } }) =>
          size === 0 ? last < start || first > start + 1 : last < start || first > start + size - 1,
        );
        await bench.nvim.lua(`require('claude_bridge.review').accept_lines(...)`, [first, last]);
        if (others.length === hunks.length) {
          expect(bench.decided).not.toContain(review.id);
          await review.close('withdrawn');
          return;
        }
        expect(await review.outcome).toMatchObject({
          kind: 'accepted',
          text: withTakenBack(file, proposal, others),
        });
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });
});

test.each([
  ['CRLF against LF', 'a\r\nb\r\n', 'A\nb\n'],
  ['LF against CRLF', 'a\nb\n', 'a\r\nB\r\n'],
  ['CRLF on both sides', 'a\r\nb\r\nc\r\n', 'a\r\nB\r\nc'],
  ['a byte order mark that goes', '\ufeffa\nb\n', 'A\nb\n'],
  ['a byte order mark that comes', 'a\nb\n', '\ufeffA\nb\n'],
  ['a file that becomes empty', 'a\nb', ''],
])('all changes taken back give the file: %s', async (_, file, proposal) => {
  for (const loaded of [false, true]) {
    if (loaded) await bench.nvim.command(`edit ${bench.write(`${key + 1}.txt`, file)}`);
    const review = await open(file, proposal);
    await commands('commands.reject_lines(1, vim.fn.line("$"))');
    await accept();
    expect(await review.outcome).toMatchObject({ kind: 'accepted', text: file });
  }
});

describe('undo takes along what no line shows', () => {
  const cases: readonly [string, string, string, string][] = [
    ['the final newline comes back', 'a\nB\n', 'a\nb', 'a\nB\n'],
    ['the final newline goes again', 'a\nB', 'a\nb\n', 'a\nB'],
    ['line ends', 'A\r\nb\r\n', 'a\nb\n', 'A\r\nb\r\n'],
    ['a byte order mark', '\ufeffA\nb\n', 'a\nb\n', '\ufeffA\nb\n'],
  ];
  const take = `commands.reject_lines(1, vim.fn.line('$'))`;

  test.each(cases)('%s', async (_, file, proposal, taken) => {
    for (const [keys, text] of [
      ['u', proposal],
      [':undo | write<CR>', proposal],
      ['u<C-r>', taken],
      ['u<C-r>u', proposal],
      // A branch of the undo tree in which nothing was taken back.
      ['uggOx<Esc>u', proposal],
    ] as const) {
      const review = await open(file, proposal);
      await commands(take);
      await bench.nvim.feed(keys);
      if (!keys.includes('write')) await accept();
      expect(await review.outcome, keys).toMatchObject({ kind: 'accepted', text });
    }
  });

  test('also from another window, and the proposal stays unmodified', async () => {
    const review = await open('A\r\nb\r\n', 'a\nb\n');
    await commands(take);
    await bench.nvim.lua(`proposal = vim.api.nvim_get_current_buf() vim.cmd('new')
      vim.api.nvim_buf_call(proposal, function() vim.cmd('silent undo') end)`);
    expect(await review.text()).toBe('a\nb\n');
    expect(await bench.nvim.lua('return vim.bo[proposal].modified')).toBe(false);
  });

  test('also where another change follows', async () => {
    const review = await open('a\nB\n', 'a\nb');
    await commands(take);
    await bench.nvim.feed('uggOx<Esc>');
    await accept();
    expect(await review.outcome).toMatchObject({ text: 'x\na\nb' });
  });
});

test.each(['bunload!', 'bwipeout!'])(
  'a file under which :%s takes the buffer away',
  async (end) => {
    for (const layout of ['vertical', 'inline'] as const) {
      await bench.dispose();
      bench = await startReviews({ settings: { layout } });
      const file = bench.write('loaded.txt', 'a\nb\nc');
      await bench.nvim.command(`edit ${file} | setlocal nofixendofline | normal! Go`);
      await bench.nvim.feed('axy<Esc>');
      const review = await bench.open({ path: file, proposal: 'A\nb\nC\n' });
      await bench.nvim.command(`${end} ${file}`);
      await bench.nvim.feed('gg');
      await commands('commands.reject()');
      await accept();
      expect(await review.outcome).toMatchObject({ text: 'a\nb\nC\n' });
    }
  },
);

describe('what the user is told', () => {
  const told = (): Promise<string> => bench.nvim.messages();

  test.each(['accept', 'reject', 'next', 'previous'])(
    '%s where there is no review',
    async (name) => {
      await commands(`commands.${name}(1)`);
      expect(await told()).toContain('the cursor is in no review; :ClaudeDiffs goes to one');
    },
  );

  test('no change at the cursor, in the lines, or below', async () => {
    await open('a\nb\nc\n', 'A\nb\nc\n');
    await bench.nvim.feed('G');
    await commands('commands.reject()');
    expect(await told()).toContain('no change at the cursor');
    await commands('commands.reject_lines(2, 3)');
    expect(await told()).toContain('no change in these lines');
    await commands('commands.keep_only(2, 3)');
    expect(await told()).toContain('no change in these lines; :ClaudeDiffReject rejects the edit');
    await bench.nvim.feed('gg');
    await commands('commands.accept()');
    expect(await told()).toContain('no change below this one; :w accepts the edit as it stands');
  });

  test('an edit of which nothing is left', async () => {
    await open('a\n', 'A\n');
    await commands('commands.reject()');
    expect(await told()).toContain('nothing is left of the edit; :q rejects it');
  });

  test('an agent that takes its proposal only as it is', async () => {
    const review = await open('a\nb\n', 'A\nB\n', false);
    await commands('commands.reject()');
    expect(await told()).toContain('takes its proposal only as it is');
    await commands('commands.accept()');
    await bench.nvim.lua(`require('claude_bridge.review').accept_lines(1, 1)`);
    await accept();
    expect(await review.outcome).toMatchObject({ text: 'A\nB\n', edited: false });
  });
});

test('accepting a change leaves it and goes to the next', async () => {
  const review = await open('a\nb\nc\nd\n', 'A\nb\nC\nc\nD\n');
  const cursor = (): Promise<number> => bench.nvim.lua(`return vim.fn.line('.')`);
  await commands('commands.accept()');
  expect(await cursor()).toBe(3);
  await commands('commands.accept()');
  expect(await cursor()).toBe(5);
  await commands('commands.reject()');
  await accept();
  expect(await review.outcome).toMatchObject({ text: 'A\nb\nC\nc\nd\n', edited: true });
});

test('as commands and maps, with ranges and counts', async () => {
  await bench.nvim.command(`source ${PROJECT}/plugin/claude_bridge.lua`);
  await bench.nvim.command(`nmap gh <Plug>(ClaudeHunkNext)`);
  await bench.nvim.command(`nmap gH <Plug>(ClaudeHunkPrevious)`);
  await bench.nvim.command(`map gr <Plug>(ClaudeHunkReject)`);
  await bench.nvim.command(`xmap ga <Plug>(ClaudeDiffAccept)`);
  const lines = (): Promise<number> => bench.nvim.lua(`return vim.fn.line('.')`);
  const review = await open('a\n-\nb\n-\nc\n-\nd\n-\n', 'A\n-\nB\n-\nC\n-\nD\n-\n');
  await bench.nvim.feed('2gh');
  expect(await lines()).toBe(5);
  await bench.nvim.feed('gr');
  await bench.nvim.feed('gH');
  expect(await lines()).toBe(3);
  await bench.nvim.feed(':1ClaudeHunkNext<CR>');
  expect(await lines()).toBe(7);
  await bench.nvim.feed('ggVjgr');
  await bench.nvim.feed(':3,3ClaudeDiffAccept<CR>');
  expect(await review.outcome).toMatchObject({ text: 'a\n-\nB\n-\nc\n-\nd\n-\n' });
  const other = await open('a\n-\nb\n', 'A\n-\nB\n');
  await bench.nvim.feed('GVga');
  expect(await other.outcome).toMatchObject({ text: 'a\n-\nB\n' });
});

describe('side by side', () => {
  const side = async (): Promise<ReviewBench> => {
    await bench.dispose();
    bench = await startReviews({ settings: { layout: 'vertical' } });
    return bench;
  };

  test('the same commands work, from either side', async () => {
    await side();
    const review = await open('a\nb\nc\nd\ne\n', 'A\nb\nd\nE\n');
    await commands('commands.next(1)');
    expect(await bench.nvim.lua(`return vim.fn.line('.')`)).toBe(3);
    await commands('commands.reject()');
    await bench.nvim.command('wincmd h');
    await bench.nvim.feed('gg');
    await commands('commands.reject()');
    await bench.nvim.lua(`require('claude_bridge.review').accept()`);
    expect(await review.outcome).toMatchObject({ text: 'a\nb\nc\nd\nE\n', edited: true });
  });

  test('the diff on screen follows', async () => {
    await side();
    await open('a\nb\n', 'A\nb\n');
    await commands('commands.reject()');
    await waitFor(async () =>
      expect(await bench.nvim.lua(`vim.cmd.redraw() return vim.fn.diff_hlID(1, 1)`)).toBe(0),
    );
  });
});
