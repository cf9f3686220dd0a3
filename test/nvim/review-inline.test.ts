import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ReviewBench, snapshot, startReviews } from '../support/reviews.ts';

let bench: ReviewBench;
afterEach(() => bench.dispose());

const FILE = 'zero\none\ntwo\nthree\nfour\nfive\nsix\n';
const PROPOSAL = 'one\ntwö\nTHREE\nnew\nfour\nsix\nend\n';
const TITLE = /^ tab .*:w accepts, :q rejects/;

interface Scene {
  file?: string | undefined;
  proposal?: string;
  /** Lua, with the file's path as `file`. */
  setup?: string;
  focus?: boolean;
}

async function open({ file = FILE, proposal = PROPOSAL, setup = '', focus = true }: Scene = {}) {
  bench = await startReviews({ ui: true, settings: { layout: 'inline', focus } });
  const target = bench.write('a.txt', file);
  bench.write('other.txt', 'other\n');
  await bench.nvim.lua(`file = ... vim.cmd.edit(file) ${setup}`, [target]);
  const before = await snapshot(bench.nvim);
  const review = await bench.open({ path: target, proposal });
  return { review, before, target };
}

async function expectGone(before: unknown): Promise<void> {
  await vi.waitFor(async () => {
    expect(
      await bench.nvim.lua(`return vim.tbl_count(require('claude_bridge.review.state').reviews)`),
    ).toBe(0);
    expect(await snapshot(bench.nvim)).toEqual(before);
  });
}

/** Waits until the screen begins with these rows, below the title. */
async function expectRows(...wanted: string[]): Promise<void> {
  await vi.waitFor(() => {
    const [title, ...rows] = bench.nvim.screen.rows;
    expect(title).toMatch(TITLE);
    expect(rows.slice(0, wanted.length)).toEqual(wanted);
  });
}

/** The groups by which lines are coloured, and parts of them from one byte to another. */
const colours = (): Promise<unknown> =>
  bench.nvim.lua(`
    local found = {}
    local ns = vim.api.nvim_get_namespaces().claude_bridge_inline
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
      local row, column, d = mark[2], mark[3], mark[4]
      if d.line_hl_group then
        table.insert(found, { row + 1, (d.line_hl_group:gsub('ClaudeDiff', '')) })
      elseif d.hl_group then
        table.insert(found, { row + 1, (d.hl_group:gsub('ClaudeDiff', '')), column, d.end_col })
      end
    end
    return found`);

test('both sides are in one window, the removed lines where they were', async () => {
  const { review, before } = await open();
  await expectRows(
    ...['zero', 'one', 'two', 'three', 'twö', 'THREE', 'new', 'four', 'five', 'six', 'end', '~'],
  );
  expect(await bench.nvim.lua(`return vim.fn.winlayout()[1]`)).toBe('leaf');
  await bench.nvim.feed(':w<CR>');
  expect(await review.outcome).toEqual({ kind: 'accepted', text: PROPOSAL, edited: false });
  await expectGone(before);
});

test('lines are coloured, and in changed ones the characters that differ', async () => {
  await open({ file: 'a\nsame\nÄb\ngone\n', proposal: 'a\nnew\nsame\nÖb\n' });
  expect(await colours()).toEqual([
    [2, 'Added'],
    [4, 'Changed'],
    [4, 'Text', 0, 2],
  ]);
  await bench.nvim.feed(':%d<CR>isame<CR>Öb<CR>gone<Esc>');
  await vi.waitFor(async () =>
    expect(await colours()).toEqual([
      [2, 'Changed'],
      [2, 'Text', 0, 2],
    ]),
  );
  expect(
    await bench.nvim.lua(`return vim.api.nvim_get_hl(0, { name = 'ClaudeDiffRemoved' }).link`),
  ).toBe('DiffDelete');
});

test('a character is coloured whole, whichever of its bytes differ', async () => {
  await open({ file: 'xäy\n→z\n', proposal: 'xåy\n↑z\n' });
  expect(await colours()).toEqual([
    [1, 'Changed'],
    [1, 'Text', 1, 3],
    [2, 'Changed'],
    [2, 'Text', 0, 3],
  ]);
});

test('what the user types is marked at once, and undone', async () => {
  await open({ file: 'a\nb\n', proposal: 'a\nB\n' });
  await expectRows('a', 'b', 'B', '~');
  await bench.nvim.input('Goc<Esc>ggdd');
  await expectRows('a', 'b', 'B', 'c', '~');
  await bench.nvim.input('u');
  await expectRows('a', 'b', 'B', 'c', '~');
  expect(await bench.nvim.lua(`return vim.api.nvim_buf_get_lines(0, 0, -1, false)`)).toEqual([
    'a',
    'B',
    'c',
  ]);
});

test('what changes in the file shows at once', async () => {
  const { target } = await open({ file: 'a\nb\n', proposal: 'a\nB\n' });
  fs.writeFileSync(target, 'a\nb\nmore\n');
  await bench.nvim.lua(`require('claude_bridge.reload').reload({ paths = { file } })`);
  await expectRows('a', 'b', 'more', 'B', '~');
});

test(':edit! keeps the marks', async () => {
  await open({ file: 'a\nb\n', proposal: 'a\nB\n' });
  await bench.nvim.feed(':edit!<CR>Gonext<Esc>');
  await expectRows('a', 'b', 'B', 'next', '~');
});

describe('removed lines', () => {
  test('at the end', async () => {
    await open({ file: 'a\nb\nc\n', proposal: 'a\n' });
    await expectRows('a', 'b', 'c', '~');
  });

  test('and nothing left', async () => {
    await open({ file: 'a\nb\n', proposal: '' });
    await expectRows('', 'a', 'b', '~');
  });

  test('with tabs, control characters, and wider than the window', async () => {
    await open({ file: `\tx\u0001y\n${'w'.repeat(130)}\nä\n`, proposal: 'ä\n' });
    await expectRows('        x^Ay', 'w'.repeat(120), 'w'.repeat(10), 'ä', '~');
  });

  test('that do not wrap where lines do not', async () => {
    await open({
      file: `${'w'.repeat(130)}\nä\n`,
      proposal: 'ä\n',
      setup: 'vim.wo.wrap = false',
    });
    await expectRows('w'.repeat(120), 'ä', '~');
  });

  test('are told in number where they are very many', async () => {
    const many = Array.from({ length: 1500 }, (_, i) => `old ${i}\n`).join('');
    await open({ file: `a\n${many}b\n`, proposal: 'a\nb\n' });
    await bench.nvim.feed('G');
    await bench.nvim.screen.shows('… 500 more lines are removed here');
  });

  test('above line 1 come into sight when the user scrolls there, and out of it', async () => {
    const long = Array.from({ length: 80 }, (_, i) => `line ${i}\n`).join('');
    await open({ file: `x\ny\n${long}`, proposal: long });
    await expectRows('x', 'y', 'line 0');
    await bench.nvim.input('G');
    await bench.nvim.screen.shows('line 79');
    await bench.nvim.input('gg');
    await expectRows('x', 'y', 'line 0');
    await bench.nvim.input('<C-e>');
    await expectRows('y', 'line 0');
    await bench.nvim.input('<C-e><C-e>');
    await expectRows('line 1');
  });
});

describe('keys', () => {
  const cursor = (): Promise<number> => bench.nvim.lua(`return vim.fn.line('.')`);

  test(']c and [c go from change to change, with counts', async () => {
    await open({ file: 'a\nb\nc\nd\ne\nf\n', proposal: 'A\nb\nC\nd\ne\n' });
    expect(await cursor()).toBe(1);
    await bench.nvim.feed(']c');
    expect(await cursor()).toBe(3);
    await bench.nvim.feed('[c2]c');
    expect(await cursor()).toBe(5);
    await bench.nvim.feed(']c');
    expect(await bench.nvim.messages()).toContain('no change below');
    await bench.nvim.feed('9[c');
    expect(await cursor()).toBe(1);
  });

  test('do takes a change back, and u brings it again', async () => {
    const { review } = await open({ file: 'a\nb\nc\n', proposal: 'A\nb\nC\n' });
    await bench.nvim.feed('do');
    await expectRows('a', 'b', 'c', 'C', '~');
    await bench.nvim.feed('u');
    await expectRows('a', 'A', 'b', 'c', 'C', '~');
    await bench.nvim.feed('Gdo:w<CR>');
    expect(await review.outcome).toEqual({ kind: 'accepted', text: 'A\nb\nc\n', edited: true });
  });
});

describe('windows', () => {
  const keysThatClose = [':close<CR>', '<C-w>c', ':hide<CR>', ':q<CR>', ':bwipeout<CR>'];

  test.each(keysThatClose)('%s beside others rejects and leaves no trace', async (keys) => {
    const { review, before } = await open({
      setup: `vim.cmd('vsplit | wincmd l | split | resize 9 | normal! G')`,
    });
    await bench.nvim.feed(keys);
    expect(await review.outcome).toMatchObject({ kind: 'rejected' });
    await expectGone(before);
  });

  test.each([':close<CR>', '<C-w>c', ':hide<CR>'])(
    '%s closes the only window as little as it ever does',
    async (keys) => {
      const { review, before } = await open();
      await bench.nvim.feed(keys);
      await vi.waitFor(async () => expect(await bench.nvim.messages()).toMatch(/E444|E5601/));
      expect(bench.decided).toEqual([]);
      await bench.nvim.feed(':q<CR>');
      expect(await review.outcome).toMatchObject({ kind: 'rejected' });
      await expectGone(before);
    },
  );

  test('a file that the user opens in its place is in their window', async () => {
    const { review, before } = await open();
    await bench.nvim.feed(':edit other.txt<CR>');
    expect(await review.outcome).toMatchObject({ kind: 'rejected' });
    await vi.waitFor(async () =>
      expect(
        await bench.nvim.lua(
          `return { vim.fn.winlayout()[1], vim.fn.win_getid(), vim.fn.expand('%:t') }`,
        ),
      ).toEqual(['leaf', (before as { current: number }).current, 'other.txt']),
    );
  });

  test.each([
    [':split<CR><C-w>j:q<CR>', 'the first'],
    [':split<CR><C-w>j:close<CR>', 'the first by :close'],
    [':split<CR>:q<CR>', 'the other'],
  ])('%s: the review goes on in one half of it without %s', async (keys) => {
    const { review, before, target } = await open({ setup: `vim.cmd('vsplit other.txt')` });
    await bench.nvim.feed(keys);
    await bench.nvim.feed(':1s/one/kept/<CR>:w<CR>');
    expect(await review.outcome).toMatchObject({ kind: 'accepted', edited: true });
    await expectGone(before);
    expect(fs.readFileSync(target, 'utf8')).toBe(FILE);
  });

  test('a review closed behind the back of every autocommand leaves the window', async () => {
    const { review, before } = await open({ setup: `vim.cmd('vsplit other.txt | wincmd p')` });
    await bench.nvim.command('noautocmd close');
    await review.close('withdrawn');
    await vi.waitFor(async () =>
      expect(
        await bench.nvim.lua(`return vim.tbl_map(function(window)
          return vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)))
        end, vim.api.nvim_tabpage_list_wins(0))`),
      ).toEqual(['other.txt', 'a.txt']),
    );
    expect((before as { tabs: unknown[][] }).tabs[0]).toHaveLength(2);
  });

  test('the window beside which the user split theirs may be gone', async () => {
    const { review, before } = await open({
      setup: `local first = vim.api.nvim_get_current_win()
        vim.api.nvim_open_win(0, true, { win = first, split = 'below' })
        vim.api.nvim_win_close(first, true)`,
    });
    await bench.nvim.feed(':q<CR>');
    await review.outcome;
    await expectGone(before);
  });

  test('the hidden one takes no focus', async () => {
    await open({ setup: `vim.o.switchbuf = 'useopen'` });
    await bench.nvim.feed(':sbuffer a.txt<CR>');
    await vi.waitFor(async () =>
      expect(await bench.nvim.lua('return vim.bo.buftype')).toBe('acwrite'),
    );
  });

  test('a file in which the user types stays in sight', async () => {
    bench = await startReviews({ ui: true, settings: { layout: 'inline' } });
    const target = bench.write('a.txt', FILE);
    await bench.nvim.command(`edit ${target}`);
    const before = await snapshot(bench.nvim);
    await bench.nvim.input('i');
    const review = await bench.open({ path: target, proposal: PROPOSAL });
    await bench.nvim.input('typed');
    await bench.nvim.screen.shows('typedzero', ':w accepts, :q rejects', 'THREE');
    await bench.nvim.input('<Esc>u<C-w>j:q<CR>');
    expect(await review.outcome).toMatchObject({ kind: 'rejected' });
    await vi.waitFor(async () =>
      expect(await bench.nvim.lua(`return vim.fn.winlayout()`)).toEqual(
        (before as { layout: unknown }).layout,
      ),
    );
  });

  test('a second review has a tabpage of its own, and each goes without the other', async () => {
    const { review, before } = await open();
    const other = await bench.open({
      path: path.join(bench.folder, 'other.txt'),
      proposal: 'OTHER\n',
      key: 'second',
    });
    expect(await bench.nvim.lua(`return vim.fn.tabpagenr('$')`)).toBe(2);
    await review.close('withdrawn');
    await bench.nvim.feed(':w<CR>');
    expect(await other.outcome).toMatchObject({ kind: 'accepted', text: 'OTHER\n' });
    await expectGone(before);
  });

  test('plugins hear of the focus as it comes and goes', async () => {
    const { review } = await open({
      setup: `heard = {}
        for _, event in ipairs({ 'WinLeave', 'WinEnter', 'BufEnter' }) do
          vim.api.nvim_create_autocmd(event, { callback = function(args)
            table.insert(heard, event .. ' ' .. vim.bo[args.buf].buftype)
          end })
        end`,
    });
    expect(await bench.nvim.lua('return heard')).toEqual([
      'WinLeave ',
      'WinEnter acwrite',
      'BufEnter acwrite',
    ]);
    await bench.nvim.lua('heard = {}');
    await review.close('withdrawn');
    expect(await bench.nvim.lua('return heard')).toEqual([
      'WinLeave acwrite',
      'WinEnter ',
      'BufEnter ',
    ]);
  });
});

test('a change of many thousands of lines is drawn without holding keys up', async () => {
  const lines = Array.from({ length: 40_000 }, (_, i) => `line ${i}\n`);
  const changed = lines.map((line, i) => (i % 2 ? line : line.toUpperCase()));
  await open({ file: lines.join(''), proposal: changed.join('') });
  const marks = (): Promise<number> =>
    bench.nvim.lua(`
      local ns = vim.api.nvim_get_namespaces().claude_bridge_inline
      return #vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, {})`);
  await vi.waitFor(async () => expect(await marks()).toBe(60_000), { timeout: 20_000 });
  await bench.nvim.input('ggdd');
  await vi.waitFor(async () => expect(await marks()).toBe(59_998), { timeout: 20_000 });
});
