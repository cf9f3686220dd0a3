/** A session in a real Neovim, played by the test in the place of the node side. */
import { ChatCommand } from '../../src/session/commands.ts';
import { type StartOptions, startNvim, type TestNvim } from './nvim.ts';

export type Event = Record<string, unknown>;
export type Op = Record<string, unknown> & { readonly op: string };

export interface TestChat {
  readonly nvim: TestNvim;
  /** What Lua has sent. */
  readonly events: Event[];
  /** Those of one kind. */
  sent(kind: string): Event[];
  open(session?: string, agent?: string): Promise<void>;
  /** Applies operations as the next batch. */
  apply(ops: readonly Op[], session?: string): Promise<void>;
  call(method: string, params: unknown): Promise<{ ok: boolean; code?: string; value?: unknown }>;
  /** The lines of the conversation. */
  lines(session?: string): Promise<string[]>;
  prompt(session?: string): Promise<string[]>;
  setPrompt(lines: readonly string[], session?: string): Promise<void>;
  /** Goes to the window of a buffer by its name's end. */
  focus(ending: '' | '/prompt', session?: string): Promise<void>;
  /** The card on show in this tab page, or undefined. */
  card(): Promise<Card | undefined>;
}

export interface Card {
  readonly lines: string[];
  readonly title: string;
  readonly footer: string;
  readonly focused: boolean;
}

const BUFFER = `
  local name = ...
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer) == name and vim.api.nvim_buf_is_loaded(buffer) then
      return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
    end
  end
  return {}`;

const CARD = `
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if vim.bo[buffer].filetype == 'claude_bridge_ask' then
      local config = vim.api.nvim_win_get_config(window)
      return {
        lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false),
        title = config.title[1][1],
        footer = config.footer[1][1],
        focused = window == vim.api.nvim_get_current_win(),
      }
    end
  end`;

export async function startChat(options: StartOptions = {}): Promise<TestChat> {
  const nvim = await startNvim(options);
  // A lone Neovim does not load plugins by itself with -u NONE.
  await nvim.command('runtime plugin/claude_bridge.lua');
  await nvim.command('runtime plugin/claude_bridge_session.lua');
  const events = await nvim.captureNotifications();
  const batches = new Map<string, number>();
  const call: TestChat['call'] = (method, params) =>
    nvim.lua(`return require('claude_bridge.rpc').call(...)`, [method, params]);
  const must = async (method: string, params: unknown) => {
    const reply = await call(method, params);
    if (!reply.ok) throw new Error(JSON.stringify(reply));
  };
  const name = (session: string, ending: string) => `claude-session://${session}${ending}`;
  return {
    nvim: { ...nvim, dispose: () => nvim.dispose().then(() => events.forEach(mustBeUnderstood)) },
    events,
    call,
    sent: (kind) => events.filter((event) => event['kind'] === kind),
    open: async (session = 'demo', agent = session) => {
      batches.set(session, 0);
      await must('chat.open', { session, agent });
    },
    apply: async (ops, session = 'demo') => {
      const batch = (batches.get(session) ?? 0) + 1;
      batches.set(session, batch);
      await must('chat.apply', { session, batch, ops });
    },
    lines: (session = 'demo') => nvim.lua(BUFFER, [name(session, '')]),
    prompt: (session = 'demo') => nvim.lua(BUFFER, [name(session, '/prompt')]),
    setPrompt: async (lines, session = 'demo') =>
      void (await nvim.lua(
        `vim.api.nvim_buf_set_lines(vim.fn.bufnr((...)), 0, -1, false, select(2, ...))`,
        [name(session, '/prompt'), lines],
      )),
    focus: async (ending, session = 'demo') =>
      void (await nvim.lua(
        `vim.api.nvim_set_current_win(vim.fn.win_findbuf(vim.fn.bufnr((...)))[1])`,
        [name(session, ending)],
      )),
    card: async () => (await nvim.lua<Card | null>(CARD)) ?? undefined,
  };
}

/** What Lua sends has the shape that node takes. */
function mustBeUnderstood(event: Event): void {
  if (`${event['kind']}`.startsWith('chat_')) ChatCommand.parse(event);
}
