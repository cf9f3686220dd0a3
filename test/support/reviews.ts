/** Reviews of the core on a real Neovim: the product's way from a request to its outcome. */
import fs from 'node:fs';
import path from 'node:path';
import { type Review, Reviews } from '../../src/core/reviews.ts';
import { RpcCalls } from '../../src/nvim/calls.ts';
import { reviewEvents } from '../../src/nvim/review-events.ts';
import { type ReviewLimits, type ReviewSettings, reviewPort } from '../../src/nvim/review-port.ts';
import { MemoryLogger } from './logger.ts';
import { type StartOptions, startNvim, type TestNvim, tempDir } from './nvim.ts';

export interface ReviewBench {
  readonly nvim: TestNvim;
  readonly reviews: Reviews;
  /** A folder for files. */
  readonly folder: string;
  /** Ids in the order in which Neovim told of a decision. */
  readonly decided: string[];
  write(name: string, content: string | Uint8Array): string;
  open(request: OpenRequest): Promise<Review>;
  dispose(): Promise<void>;
}

export interface OpenRequest {
  path: string;
  proposal: string;
  key?: string;
  owner?: string;
  editable?: boolean;
  keepsLineEnds?: boolean;
  signal?: AbortSignal;
}

export interface BenchOptions extends StartOptions {
  settings?: Partial<ReviewSettings>;
  limits?: ReviewLimits;
}

const SETTINGS: ReviewSettings = { layout: 'vertical', focus: true, jump: true };

export async function startReviews(options: BenchOptions = {}): Promise<ReviewBench> {
  const folder = tempDir('claude-bridge-files-');
  const nvim = await startNvim({ cwd: folder, ...options });
  await nvim.captureNotifications();
  const settings = { ...SETTINGS, ...options.settings };
  const port = reviewPort(new RpcCalls(nvim.client), settings, options.limits);
  const reviews = new Reviews({ port, logger: new MemoryLogger() });
  const decided: string[] = [];
  nvim.client.on('notification', (method: string, args: [[Record<string, unknown>]]) => {
    const [[raw]] = args;
    const event = reviewEvents[String(raw['kind'])]?.safeParse(raw).data;
    if (method !== 'claude_bridge_test' || event?.kind !== 'review-decided') return;
    decided.push(event.id);
    reviews.decide(event.id, event.decision);
  });
  return {
    nvim,
    reviews,
    folder,
    decided,
    write(name, content) {
      const file = path.join(folder, name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, content);
      return file;
    },
    open: ({ path: file, key = 'tab', owner = 's', editable = true, signal, ...rest }) =>
      reviews.open(
        { owner, key, oldPath: file, newPath: file, editable, ...rest },
        signal ?? new AbortController().signal,
      ),
    async dispose() {
      await nvim.dispose();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a user can see and would miss: windows with their sizes, buffers, options, focus. */
export async function snapshot(nvim: TestNvim): Promise<unknown> {
  return nvim.lua(SNAPSHOT);
}

const SNAPSHOT = `
local function windows(tab)
  return vim.tbl_map(function(win)
    local options = {}
    for _, name in ipairs({ 'diff', 'scrollbind', 'cursorbind', 'wrap', 'foldmethod', 'foldcolumn',
      'foldenable', 'foldlevel', 'winbar', 'winfixbuf', 'winfixwidth', 'number', 'signcolumn' }) do
      options[name] = vim.api.nvim_get_option_value(name, { win = win, scope = 'local' })
    end
    return {
      id = win,
      buffer = vim.api.nvim_win_get_buf(win),
      width = vim.api.nvim_win_get_width(win),
      height = vim.api.nvim_win_get_height(win),
      cursor = vim.api.nvim_win_get_cursor(win),
      topline = vim.fn.getwininfo(win)[1].topline,
      alternate = vim.api.nvim_win_call(win, function() return vim.fn.bufnr('#') end),
      jumps = vim.api.nvim_win_call(win, function() return #vim.fn.getjumplist()[1] end),
      options = options,
    }
  end, vim.api.nvim_tabpage_list_wins(tab))
end
return {
  tabs = vim.tbl_map(windows, vim.api.nvim_list_tabpages()),
  buffers = vim.tbl_map(function(buf)
    return { buf, vim.api.nvim_buf_get_name(buf), vim.bo[buf].buflisted, vim.bo[buf].modified,
      vim.api.nvim_buf_is_loaded(buf) }
  end, vim.api.nvim_list_bufs()),
  current = vim.api.nvim_get_current_win(),
  -- Where <C-w>p and g<Tab> go.
  previous = vim.tbl_map(function(tab)
    local number = vim.api.nvim_tabpage_get_number(tab)
    local previous = vim.fn.tabpagewinnr(number, '#')
    return previous == vim.fn.tabpagewinnr(number) and 0 or previous
  end, vim.api.nvim_list_tabpages()),
  previous_tab = vim.fn.tabpagenr('#'),
  options = { vim.o.scrollopt, vim.o.hidden, vim.o.equalalways, vim.o.eadirection, vim.o.eventignore,
    vim.o.cpoptions, vim.o.undoreload, vim.o.viewoptions, vim.o.autoread },
  layout = vim.fn.winlayout(),
}
`;
