import { afterEach, describe, expect, test } from 'vitest';
import type { ReviewSettings } from '../../src/nvim/review-port.ts';
import { type ReviewBench, snapshot, startReviews } from '../support/reviews.ts';
import { waitFor } from '../support/wait-for.ts';

let bench: ReviewBench;
afterEach(() => bench.dispose());

interface Scene {
  /** Lua that sets the screen up; `file` is what the review is for, `other` another file. */
  readonly setup: string;
  /** What to check while the review is open, in Lua; returns what is wrong. */
  readonly during?: string;
  /** Where the review opens in a tabpage of its own although the option does not say so. */
  readonly ownTab?: readonly ReviewSettings['layout'][];
  readonly missing?: boolean;
}

const SIDEBAR = `
  vim.cmd('edit ' .. other .. ' | topleft vsplit')
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_win_set_buf(0, buf)
  vim.cmd('vertical resize 30')
  sidebar, sidebar_buffer = vim.api.nvim_get_current_win(), buf
`;
const SIDEBAR_STAYS = `
  return vim.api.nvim_win_get_width(sidebar) ~= 30 and vim.api.nvim_win_get_width(sidebar)
    or vim.api.nvim_win_get_buf(sidebar) ~= sidebar_buffer and 'sidebar buffer' or ''
`;

const scenes: Readonly<Record<string, Scene>> = {
  'an empty editor': { setup: '' },
  'a new file': { setup: '', missing: true },
  'the file on screen with unsaved text': {
    setup: `vim.cmd('edit ' .. file .. ' | normal Gomine')`,
    during: `return vim.bo[vim.fn.bufnr(file)].modified and '' or 'saved'`,
  },
  'the file loaded and hidden': { setup: `vim.cmd('edit ' .. file .. ' | edit ' .. other)` },
  'another file, scrolled': {
    setup: `vim.cmd('edit ' .. file .. ' | edit ' .. other)
      vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.fn.map(vim.fn.range(200), 'string(v:val)'))
      vim.cmd('silent write | normal 150Gzt5j3l')`,
  },
  'nohidden and an unsaved buffer': {
    setup: `vim.o.hidden = false vim.cmd('edit ' .. other .. ' | normal omine')`,
  },
  'a sidebar with the focus': { setup: SIDEBAR, during: SIDEBAR_STAYS },
  'a sidebar beside': { setup: `${SIDEBAR} vim.cmd('wincmd l')`, during: SIDEBAR_STAYS },
  'a fixed sidebar and a terminal': {
    setup: `${SIDEBAR} vim.wo.winfixwidth = true
      vim.cmd('wincmd l | botright 10new') vim.fn.termopen({ 'cat' })`,
    during: SIDEBAR_STAYS,
  },
  'a terminal alone': { setup: `vim.fn.termopen({ 'cat' })` },
  'a dashboard alone': {
    setup: `vim.bo.buftype = 'nofile' vim.bo.bufhidden = 'wipe' vim.bo.buflisted = false`,
  },
  'winfixbuf everywhere': { setup: `vim.cmd('edit ' .. other) vim.wo.winfixbuf = true` },
  'a quickfix list, a preview and a float': {
    setup: `vim.cmd('edit ' .. other .. ' | pedit ' .. other .. ' | copen')
      vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true,
        { relative = 'editor', row = 1, col = 1, width = 20, height = 5 })`,
  },
  'splitright and splitbelow': {
    setup: `vim.o.splitright = true vim.o.splitbelow = true vim.cmd('edit ' .. other .. ' | vsplit')`,
  },
  'splitkeep=screen, with the cursor at the bottom': {
    setup: `vim.o.splitkeep = 'screen' vim.cmd('edit ' .. other .. ' | split ' .. file .. ' | wincmd _')
      vim.cmd('botright vsplit | normal! Gzb')`,
  },
  'splitkeep=topline, with the cursor at the bottom': {
    setup: `vim.o.splitkeep = 'topline' vim.cmd('edit ' .. file .. ' | split | normal! Gzb')`,
  },
  'splits of uneven sizes': {
    setup: `vim.cmd('edit ' .. other .. ' | split | vsplit | vertical resize 71 | split | resize 15')`,
  },
  'windows so narrow that the current one grows': {
    setup: `vim.cmd('edit ' .. other .. ' | vsplit | split | vsplit')`,
  },
  'a foreign diff': {
    setup: `vim.cmd('edit ' .. file .. ' | diffthis | vsplit ' .. other .. ' | diffthis')`,
    during: `local n = 0
      for _, w in ipairs(vim.api.nvim_tabpage_list_wins(vim.api.nvim_list_tabpages()[1])) do
        n = n + (vim.wo[w].diff and 1 or 0)
      end
      return n == 2 and '' or n`,
    ownTab: ['vertical', 'horizontal'],
  },
  'no room left': {
    setup: `for _ = 1, 30 do pcall(vim.cmd, 'split') end for _ = 1, 99 do pcall(vim.cmd, 'vsplit') end`,
    ownTab: ['vertical', 'horizontal', 'inline'],
  },
  'windows of fixed size, the terminal among them': {
    setup: `vim.cmd('edit ' .. file .. ' | botright vsplit') vim.fn.termopen({ 'cat' })
      vim.cmd('vertical resize 20') vim.wo.winfixwidth = true vim.wo.winfixheight = true
      terminal = vim.api.nvim_get_current_win() vim.cmd('wincmd p | split ' .. other .. ' | wincmd p')
      vim.wo.winfixwidth = true vim.wo.winfixheight = true`,
    during: `return vim.api.nvim_win_get_width(terminal) ~= 20 and vim.api.nvim_win_get_width(terminal) or ''`,
  },
  'several tabpages': {
    setup: `vim.cmd('tabnew ' .. other .. ' | tabnew ' .. file .. ' | tabprevious')`,
  },
  'folds and options of the window': {
    setup: `vim.cmd('edit ' .. file)
      vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.fn.map(vim.fn.range(50), 'string(v:val)'))
      vim.cmd('silent write | 10,20fold | 12,14fold | normal 10Gzo')
      vim.wo.wrap = true vim.wo.number = true vim.wo.foldcolumn = '1' vim.wo.winbar = '%f'
      folds = function() return vim.fn.map(vim.fn.range(1, 50),
        'foldlevel(v:val) .. "/" .. foldclosed(v:val)') end
      before_folds = folds()`,
  },
  'switchbuf that goes to open windows': {
    setup: `vim.o.switchbuf = 'useopen,usetab' vim.cmd('edit ' .. file .. ' | vsplit ' .. other)`,
  },
  "the user's own equalalways off": {
    setup: `vim.o.equalalways = false vim.cmd('vsplit ' .. other .. ' | vertical resize 50')`,
  },
};

const layouts = ['vertical', 'horizontal', 'tab', 'inline'] as const;

const ends: Readonly<Record<string, (id: string) => Promise<void>>> = {
  accept: () => bench.nvim.command('write'),
  quit: () => bench.nvim.command('quit'),
  agent: async (id) => {
    await bench.nvim.lua(
      `require('claude_bridge.review').close({ id = ..., ['end'] = 'withdrawn' })`,
      [id],
    );
  },
};

const PROPOSAL = 'one\nTWO\nthree\n';

async function openIn(scene: Scene, layout: ReviewSettings['layout']) {
  bench = await startReviews({ ui: true, settings: { layout } });
  const name = scene.missing ? 'no/such/a.txt' : 'a.txt';
  const file = scene.missing ? `${bench.folder}/${name}` : bench.write(name, 'one\ntwo\nthree\n');
  const other = bench.write('other.txt', 'other\n');
  await bench.nvim.lua(`file, other = ... ${scene.setup}`, [file, other]);
  const before = await snapshot(bench.nvim);
  const review = await bench.open({ path: file, proposal: PROPOSAL });
  return { file, before, review };
}

/** The two sides: where they are and what they show. */
const SIDES = `
  local function side(win)
    local row, col = unpack(vim.api.nvim_win_get_position(win))
    return { tab = vim.api.nvim_tabpage_get_number(vim.api.nvim_win_get_tabpage(win)),
      row = row, col = col, diff = vim.wo[win].diff, width = vim.api.nvim_win_get_width(win),
      height = vim.api.nvim_win_get_height(win), text = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false) }
  end
  local layout = require('claude_bridge.review.state').pending()[1].layout
  return { left = side(layout.left), right = side(layout.right),
    current = vim.api.nvim_get_current_win() == layout.right,
    diffs = vim.tbl_count(vim.tbl_filter(function(w) return vim.wo[w].diff end, vim.api.nvim_tabpage_list_wins(0))) }
`;

interface Side {
  tab: number;
  row: number;
  col: number;
  diff: boolean;
  width: number;
  height: number;
  text: string[];
}

type Layout = ReviewSettings['layout'];

/** The two sides, as the layout says. */
async function expectSides(layout: Layout): Promise<void> {
  const { left, right, current, diffs } = await bench.nvim.lua<{
    left: Side;
    right: Side;
    current: boolean;
    diffs: number;
  }>(SIDES);
  expect(right.text).toEqual(['one', 'TWO', 'three']);
  expect([left.diff, right.diff, current, diffs]).toEqual([true, true, true, 2]);
  if (layout === 'horizontal') {
    expect([right.col, right.row > left.row]).toEqual([left.col, true]);
    expect(Math.abs(left.height - right.height)).toBeLessThanOrEqual(1);
  } else {
    expect([right.row, right.col > left.col]).toEqual([left.row, true]);
    expect(Math.abs(left.width - right.width)).toBeLessThanOrEqual(1);
  }
}

/** One window with the focus, no diff of the review's, and the sizes of all others as before. */
async function expectInline(): Promise<void> {
  expect(
    await bench.nvim.lua(`
      local layout = require('claude_bridge.review.state').pending()[1].layout
      local others = require('claude_bridge.review.window_state').measure(layout.others)
      return { vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(layout.right), 0, -1, false),
        layout.left == nil, vim.wo[layout.right].diff, others == layout.others_measured,
        vim.api.nvim_get_current_win() == layout.right }`),
  ).toEqual([['one', 'TWO', 'three'], true, false, true, true]);
}

describe.each(Object.entries(scenes))('%s', (_, scene) => {
  test.each(layouts)('%s', async (layout) => {
    for (const [name, end] of Object.entries(ends)) {
      await bench?.dispose();
      const { before, review } = await openIn(scene, layout);
      await (layout === 'inline' ? expectInline() : expectSides(layout));
      const tabs = await bench.nvim.lua<number>(`return #vim.api.nvim_list_tabpages()`);
      expect(tabs - (before as { tabs: unknown[] }).tabs.length).toBe(
        layout === 'tab' || scene.ownTab?.includes(layout) ? 1 : 0,
      );
      if (scene.during) expect(await bench.nvim.lua(scene.during)).toBe('');
      await end(review.id);
      await waitFor(async () => {
        expect(await bench.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(0);
        expect(await snapshot(bench.nvim), name).toEqual(before);
      });
      expect(
        await bench.nvim.lua(`return not folds or vim.deep_equal(folds(), before_folds)`),
      ).toBe(true);
      expect(await bench.nvim.messages()).not.toMatch(/E\d+:/);
    }
  });
});
