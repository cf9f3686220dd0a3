import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { type ReviewBench, snapshot, startReviews } from '../support/reviews.ts';
import { waitFor } from '../support/wait-for.ts';

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
  await waitFor(async () => {
    expect(
      await bench.nvim.lua(`return vim.tbl_count(require('claude_bridge.review.state').reviews)`),
    ).toBe(0);
    expect(await snapshot(bench.nvim)).toEqual(before);
  });
}

/** Waits until the screen begins with these rows, below the title. */
async function expectRows(...wanted: string[]): Promise<void> {
  await waitFor(() => {
    const [title, ...rows] = bench.nvim.screen.rows;
    expect(title).toMatch(TITLE);
    expect(rows.slice(0, wanted.length)).toEqual(wanted);
  });
}

/** The groups by which lines are coloured, from one to another, and parts of a line, byte by byte. */
const colours = (): Promise<unknown> =>
  bench.nvim.lua(`
    local found = {}
    local ns = vim.api.nvim_get_namespaces().claude_bridge_inline
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
      local row, column, d = mark[2], mark[3], mark[4]
      local group = (d.hl_group or ''):gsub('ClaudeDiff', '')
      if group == 'Text' then
        table.insert(found, { group, row + 1, column, d.end_col })
      elseif group ~= '' then
        table.insert(found, { group, row + 1, d.end_row })
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
    ['Added', 2, 2],
    ['Changed', 4, 4],
    ['Text', 4, 0, 2],
  ]);
  await bench.nvim.feed(':%d<CR>isame<CR>Öb<CR>gone<Esc>');
  await waitFor(async () =>
    expect(await colours()).toEqual([
      ['Changed', 2, 2],
      ['Text', 2, 0, 2],
    ]),
  );
  expect(
    await bench.nvim.lua(`return vim.api.nvim_get_hl(0, { name = 'ClaudeDiffRemoved' }).link`),
  ).toBe('DiffDelete');
});

test('of a change the lines that are alike stand for one another', async () => {
  await open({
    file: 'def greet(name):\n    return "Hello, " + name\n',
    proposal: 'def greet(name, how):\n    """Greet."""\n    return "Hello" + name\nnew()\n',
  });
  expect(await colours()).toEqual([
    ['Changed', 1, 1],
    ['Text', 1, 14, 19],
    ['Added', 2, 2],
    ['Changed', 3, 3],

    ['Added', 4, 4],
  ]);
});

test('each of the colours is on the screen', async () => {
  await open({ file: 'a old b\nsame\n', proposal: 'a new b\nsame\nadded\n' });
  await expectRows('a old b', 'a new b', 'same', 'added');
  const attributes = await bench.nvim.lua<number[]>(`vim.cmd.redraw()
    return vim.tbl_map(function(cell) return vim.fn.screenattr(cell[1], cell[2]) end,
      { { 2, 1 }, { 3, 1 }, { 3, 3 }, { 4, 1 }, { 5, 1 } })`);
  expect(new Set(attributes).size).toBe(5);
});

test('a character is coloured whole, whichever of its bytes differ', async () => {
  await open({ file: 'xäy\n→z\n', proposal: 'xåy\n↑z\n' });
  expect(await colours()).toEqual([
    ['Changed', 1, 2],
    ['Text', 1, 1, 3],
    ['Text', 2, 0, 3],
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

/** Each change as it is drawn: its lines, and its removed lines with where they stand. */
const DRAWN = `
  local ns = vim.api.nvim_get_namespaces().claude_bridge_inline
  local lines, removed = {}, {}
  local review = require('claude_bridge.review.state').pending()[1]
  local buffer = review.proposal.buffer
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, ns, 0, -1, { details = true })) do
    local row, d = mark[2], mark[4]
    if d.hl_eol then
      vim.list_extend(lines, vim.fn.range(row + 1, d.end_row))
    elseif d.virt_lines then
      local texts = vim.tbl_map(function(l) return (l[1][1]:gsub(' *$', '')) end, d.virt_lines)
      table.insert(removed, { row + 1, d.virt_lines_above and 'above' or 'below', texts })
    end
  end
  -- Above and below the only line: from the top down.
  table.sort(removed, function(a, b)
    return a[1] < b[1] or (a[1] == b[1] and a[2] < b[2])
  end)
  return { lines = lines, removed = removed }`;

/** The same from Neovim's own comparison of what is in the buffers now. */
const WANTED = `
  local review = require('claude_bridge.review.state').pending()[1]
  local function lines(buffer)
    local found = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
    local empty = #found == 1 and found[1] == '' and vim.api.nvim_buf_call(buffer, function()
      return vim.fn.wordcount().bytes == 0
    end)
    return empty and {} or found
  end
  local function text(found, buffer)
    local tail = #found > 0 and vim.bo[buffer].endofline and '\\n' or ''
    return table.concat(found, '\\n') .. tail
  end
  local old, new = review.original.buffer, review.proposal.buffer
  local before, after = lines(old), lines(new)
  local diff = (vim.text and vim.text.diff or vim.diff)(text(before, old), text(after, new),
    { result_type = 'indices', indent_heuristic = vim.o.diffopt:find('indent') ~= nil })
  local marked, removed, last = {}, {}, vim.api.nvim_buf_line_count(new)
  for _, hunk in ipairs(diff) do
    local from, count, to, size = unpack(hunk)
    for line = to, to + size - 1 do
      table.insert(marked, line)
    end
    if count > 0 then
      local line = size == 0 and to + 1 or to
      local side = (line > last or #after == 0) and 'below' or 'above'
      table.insert(removed, { math.min(line, last), side, vim.list_slice(before, from, from + count - 1) })
    end
  end
  return { lines = marked, removed = removed }`;

describe('for any texts and any edits', () => {
  const line = fc.constantFrom('', 'a', 'b', 'c', 'ä→😀', 'x  y');
  const lines = fc.array(line, { maxLength: 8 });
  const text = fc
    .tuple(lines, fc.boolean())
    .map(([all, eol]) => all.join('\n') + (eol && all.length > 0 ? '\n' : ''));
  const edit = fc.oneof(
    fc.record({
      side: fc.constantFrom('proposal', 'original'),
      from: fc.nat(9),
      count: fc.nat(4),
      lines,
    }),
    fc.constantFrom('undo', 'redo', 'reject'),
  );

  test('the marks are the difference', async () => {
    bench = await startReviews({ ui: true, settings: { layout: 'inline' } });
    const file = `${bench.folder}/a.txt`;
    await fc.assert(
      fc.asyncProperty(text, text, fc.array(edit, { maxLength: 5 }), async (old, own, edits) => {
        fs.writeFileSync(file, old);
        await bench.nvim.command(`edit! ${file} | 1`);
        const review = await bench.open({ path: file, proposal: own });
        const agree = async (): Promise<void> => {
          const wanted = await bench.nvim.lua(WANTED);
          await waitFor(async () => expect(await bench.nvim.lua(DRAWN)).toEqual(wanted), {
            interval: 5,
          });
        };
        await agree();
        for (const step of edits) {
          if (step === 'reject') {
            await bench.nvim.lua(`require('claude_bridge.review.hunk_commands').reject()`);
          } else if (typeof step === 'string') {
            await bench.nvim.command(`silent ${step}`);
          } else {
            await bench.nvim.lua(
              `local side, from, count, lines = ...
               local buffer = require('claude_bridge.review.state').pending()[1][side].buffer
               local last = vim.api.nvim_buf_line_count(buffer)
               from = math.min(from, last)
               vim.api.nvim_buf_set_lines(buffer, from, math.min(from + count, last), false, lines)`,
              [step.side, step.from, step.count, step.lines],
            );
          }
          await agree();
        }
        await review.close('withdrawn');
      }),
      { numRuns: 40 * Number(process.env['FUZZ_RUNS'] ?? 1), endOnFailure: true },
    );
  });
});

test('the file can be unloaded and loaded again', async () => {
  const { target } = await open({ file: 'a\nb\n', proposal: 'a\nB\n' });
  await bench.nvim.command(`bunload! ${target}`);
  await bench.nvim.feed('Gonew<Esc>');
  await expectRows('a', 'b', 'B', 'new', '~');
  await bench.nvim.lua(`local buffer = vim.fn.bufadd(file) vim.fn.bufload(buffer)
    vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { 'top' })`);
  await expectRows('top', 'a', 'b', 'B', 'new', '~');
});

test('the title follows what no line shows', async () => {
  await open({ file: 'a\nb\n', proposal: 'A\nb' });
  await bench.nvim.screen.shows('[drops the final newline]');
  await bench.nvim.feed('Gdo');
  await bench.nvim.screen.hides('newline]');
  await bench.nvim.input('u');
  await bench.nvim.screen.shows('[drops the final newline]');
  await bench.nvim.feed(':set eol<CR>');
  await bench.nvim.screen.hides('newline]');
});

test('the text looks as it did in its window', async () => {
  await open({
    file: 'a\n\tb\n',
    proposal: 'A\n\tb\n',
    setup: `vim.cmd('setlocal number list listchars=tab:>- signcolumn=yes colorcolumn=9')`,
  });
  await expectRows('      a', '    1 A', '    2 >-------b', '~');
  await bench.nvim.feed(':setlocal nonumber signcolumn=no<CR>');
  await expectRows('a', 'A', '>-------b', '~');
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

  test(']c and [c in Visual mode and after an operator', async () => {
    const { review } = await open({ file: 'a\nb\nc\nd\n', proposal: 'A\nb\nC\nd\n' });
    await bench.nvim.feed('d]c');
    expect(await bench.nvim.lua(`return vim.api.nvim_buf_get_lines(0, 0, -1, false)`)).toEqual([
      'C',
      'd',
    ]);
    await bench.nvim.feed('uggV]cy');
    expect(await bench.nvim.lua(`return vim.fn.getreg('"')`)).toBe('A\nb\nC\n');
    await review.close('withdrawn');
  });

  test('where the user compares the proposal with another text they are those of the diff', async () => {
    await open({ file: 'a\nb\nc\n', proposal: 'A\nb\nc\n' });
    await bench.nvim.lua(`vim.cmd('diffthis | vnew')
      vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'A', 'b', 'x' }) vim.cmd('diffthis | wincmd p')`);
    await bench.nvim.feed('gg]c');
    expect(await cursor()).toBe(3);
    await bench.nvim.feed('do');
    expect(await bench.nvim.lua(`return vim.fn.getline(3)`)).toBe('x');
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
      await waitFor(async () => expect(await bench.nvim.messages()).toMatch(/E444|E5601/));
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
    await waitFor(async () =>
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
    await waitFor(async () =>
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

  /** Each tabpage with its windows; of that of the file also what the user had made of it. */
  const seen = (): Promise<unknown> =>
    bench.nvim.lua(`
      local function describe(window)
        local name = vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)))
        local options = vim.wo[window]
        local marks = vim.api.nvim_win_get_config(window).relative ~= '' and ' floats' or ''
        if name == 'a.txt' then
          local folded = vim.api.nvim_win_call(window, function() return vim.fn.foldclosed(3) end)
          local cursor = vim.api.nvim_win_get_cursor(window)
          marks = marks .. (' at %d,%d'):format(cursor[1], cursor[2])
            .. (options.number and not options.wrap and options.winbar == '' and ' plain' or '')
            .. (folded == 3 and ' folded' or '')
        end
        return name .. marks .. (window == vim.api.nvim_get_current_win() and ' *' or '')
      end
      return vim.tbl_map(function(tabpage)
        return vim.tbl_map(describe, vim.api.nvim_tabpage_list_wins(tabpage))
      end, vim.api.nvim_list_tabpages())`);
  const AS_IT_WAS = 'a.txt at 6,2 plain folded';
  const isGone = () =>
    waitFor(async () =>
      expect(
        await bench.nvim.lua(`return vim.tbl_count(require('claude_bridge.review.state').reviews)`),
      ).toBe(0),
    );
  const beside = async () => {
    bench = await startReviews({ ui: true, settings: { layout: 'inline' } });
    const target = bench.write('a.txt', FILE);
    bench.write('other.txt', 'other\n');
    await bench.nvim.lua(
      `vim.cmd('edit other.txt') vim.cmd.vsplit(...)
      vim.wo.number, vim.wo.wrap, vim.wo.foldmethod = true, false, 'manual'
      vim.cmd('3,5fold')
      vim.api.nvim_win_set_cursor(0, { 6, 2 })
      users = vim.api.nvim_get_current_win()`,
      [target],
    );
    return bench.open({ path: target, proposal: PROPOSAL });
  };

  test.each<[string, string[][]]>([
    [':only<CR>', [[`${AS_IT_WAS} *`]]],
    ['<C-w>o', [[`${AS_IT_WAS} *`]]],
    [':tabnew<CR>:tabprevious<CR>:only<CR>', [[`${AS_IT_WAS} *`], ['']]],
    [':fclose!<CR>', [[`${AS_IT_WAS} *`, 'other.txt']]],
    ['<C-w>w:fclose!<CR>', [[AS_IT_WAS, 'other.txt *']]],
    [':lua vim.api.nvim_win_close(users, true)<CR>', [[`${AS_IT_WAS} *`, 'other.txt']]],
    ['<C-w>w:lua vim.api.nvim_win_hide(users)<CR>', [[AS_IT_WAS, 'other.txt *']]],
    [':tabnew<CR>:tabprevious<CR>:fclose!<CR>', [[`${AS_IT_WAS} *`, 'other.txt'], ['']]],
    ['<C-w>w:bdelete a.txt<CR>', [['other.txt *']]],
    ['<C-w>w:bwipeout! a.txt<CR>', [['other.txt *']]],
    [':only<CR>:bdelete a.txt<CR>', [['other.txt *']]],
    [':only<CR>:%bwipeout!<CR>', [[' *']]],
    ['<C-w>T', [[`${AS_IT_WAS} *`, 'other.txt']]],
    ['<C-w>x', [['other.txt *', AS_IT_WAS]]],
    ['<C-w>r', [['other.txt', `${AS_IT_WAS} *`]]],
    ['<C-w>w:hide<CR>', [[`${AS_IT_WAS} *`]]],
  ])(
    'the review goes on after %s, and the window of the user is there afterwards',
    async (...row) => {
      const [keys, windows] = row;
      const review = await beside();
      await bench.nvim.feed(keys);
      if (keys.includes('%bwipeout')) {
        expect(await review.outcome).toMatchObject({ kind: 'rejected' });
      } else {
        expect(await review.text()).toBe(PROPOSAL);
        expect(await bench.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(1);
        await review.close('accepted');
      }
      await isGone();
      expect(await seen()).toEqual(windows);
      expect(await bench.nvim.messages()).not.toMatch(/E\d+/);
    },
  );

  test.each<[string, string[][]]>([
    ['<C-w>w:only<CR>', [['other.txt *']]],
    ['<C-w>w<C-w>o', [['other.txt *']]],
    [':tabnew<CR>:tabonly<CR>', [[' *']]],
    [':tabnew<CR>:1tabclose<CR>', [[' *']]],
    ['<C-w>w:1close<CR>', [[AS_IT_WAS, 'other.txt *']]],
    ['<C-w>w:1quit<CR>', [[AS_IT_WAS, 'other.txt *']]],
    [
      '<C-w>w:lua vim.api.nvim_win_close(vim.fn.win_getid(1), true)<CR>',
      [[AS_IT_WAS, 'other.txt *']],
    ],
    ['<C-w>w:bwipeout! claudebridge:*<CR>', [[AS_IT_WAS, 'other.txt *']]],
  ])(
    '%s closes the view, which rejects, and as many windows as it would',
    async (keys, windows) => {
      const review = await beside();
      await bench.nvim.feed(keys);
      expect(await review.outcome).toMatchObject({ kind: 'rejected' });
      await isGone();
      expect(await seen()).toEqual(windows);
      expect(await bench.nvim.messages()).not.toMatch(/E\d+/);
    },
  );

  test.each([
    ['split', 'wincmd j'],
    ['split', 'wincmd k'],
    ['vsplit', 'wincmd l'],
    ['vsplit', 'wincmd h'],
    ['vsplit | wincmd l | split', 'wincmd h'],
    ['vsplit | wincmd l | split', 'wincmd l'],
    ['vsplit | split | wincmd l | split', 'wincmd h'],
    ['split | vsplit | vsplit', 'wincmd l'],
    ['split | wincmd j | vsplit', 'wincmd k'],
  ])('closed from elsewhere, after :%s and :%s, the window is where it was', async (...made) => {
    bench = await startReviews({ ui: true, settings: { layout: 'inline' } });
    bench.write('other.txt', 'other\n');
    const target = bench.write('a.txt', FILE);
    await bench.nvim.command('edit other.txt');
    for (const command of made) await bench.nvim.command(command);
    await bench.nvim.command(`edit ${target}`);
    const geometry = () =>
      bench.nvim.lua(`
        local function names(node)
          return node[1] == 'leaf' and vim.fn.bufname(vim.api.nvim_win_get_buf(node[2]))
            or { node[1], vim.tbl_map(names, node[2]) }
        end
        return { names(vim.fn.winlayout()), vim.fn.winrestcmd() }`);
    const before = await geometry();
    const review = await bench.open({ path: target, proposal: PROPOSAL });
    await bench.nvim.lua(`
      local shown = vim.api.nvim_get_current_win()
      vim.cmd('wincmd w')
      vim.api.nvim_win_close(shown, true)`);
    expect(await review.outcome).toMatchObject({ kind: 'rejected' });
    await isGone();
    expect(await geometry()).toEqual(before);
  });

  test('the hidden one takes no focus', async () => {
    await open({ setup: `vim.o.switchbuf = 'useopen'` });
    await bench.nvim.feed(':sbuffer a.txt<CR>');
    await waitFor(async () =>
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
    await waitFor(async () =>
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

  test('an edit that comes while a decided one is not gone yet leaves its window alone', async () => {
    const { target } = await open();
    const users = await bench.nvim.lua(`return vim.api.nvim_list_wins()[2]`);
    await bench.nvim.lua(`
      held, schedule = {}, vim.schedule
      vim.schedule = function(step) table.insert(held, step) end
      vim.cmd.edit('other.txt')`);
    const other = await bench.open({ path: target, proposal: 'OTHER\n', key: 'second' });
    expect(await bench.nvim.lua(`return vim.fn.tabpagenr('$')`)).toBe(2);
    await bench.nvim.lua(`
      vim.schedule = schedule
      for _, step in ipairs(held) do step() end`);
    await bench.nvim.feed(':w<CR>');
    expect(await other.outcome).toMatchObject({ kind: 'accepted', text: 'OTHER\n' });
    await waitFor(async () =>
      expect(
        await bench.nvim.lua(`
          return {
            vim.api.nvim_list_wins(),
            vim.fn.bufname(),
            vim.tbl_count(require('claude_bridge.review.state').reviews),
          }`),
      ).toEqual([[users], 'other.txt', 0]),
    );
    expect(await bench.nvim.messages()).toBe(
      'Claude Bridge: a.txt: rejected, since its view was closed',
    );
  });

  test('the window of the review may float', async () => {
    const { review, before } = await open();
    await bench.nvim.lua(`
      vim.cmd('botright new')
      vim.api.nvim_win_set_config(vim.fn.win_getid(1), { relative = 'editor', row = 1, col = 1, width = 20, height = 5 })`);
    await review.close('withdrawn');
    await waitFor(async () =>
      expect(
        await bench.nvim.lua(`return vim.tbl_count(require('claude_bridge.review.state').reviews)`),
      ).toBe(0),
    );
    await bench.nvim.command('bwipeout!');
    await expectGone(before);
    expect(await bench.nvim.messages()).toBe('');
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

test('<C-c> while it is drawn costs no mark and shows no error', async () => {
  await open({ proposal: FILE });
  await bench.nvim.lua(`
    local marks, left = require('claude_bridge.review.inline_marks'), 2
    local draw = marks.draw
    marks.draw = function(...)
      if left > 0 then
        left = left - 1
        -- What Neovim makes of the key in the midst of Lua, as found in a soak.
        error('Keyboard interrupt')
      end
      draw(...)
    end`);
  await bench.nvim.input('ggOnew<Esc>');
  await waitFor(async () => expect(await colours()).toEqual([['Added', 1, 1]]));
  expect(await bench.nvim.messages()).toBe('');
});

test('a change of many thousands of lines is drawn without holding keys up', async () => {
  const lines = Array.from({ length: 40_000 }, (_, i) => `line ${i}\n`);
  const changed = lines.map((line, i) => (i % 2 ? line : line.toUpperCase()));
  await open({ file: lines.join(''), proposal: changed.join('') });
  const marks = (): Promise<number> =>
    bench.nvim.lua(`
      local ns = vim.api.nvim_get_namespaces().claude_bridge_inline
      return #vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, {})`);
  await waitFor(async () => expect(await marks()).toBe(60_000));
  await bench.nvim.input('ggdd');
  await waitFor(async () => expect(await marks()).toBe(59_998));
});
