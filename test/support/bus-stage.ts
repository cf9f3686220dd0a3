/**
 * The message bus as a user has it: `:ClaudeSession` in a real Neovim with the plugin's own node
 * process, and a scripted agent. What counts is on the screen.
 */
import path from 'node:path';
import { expect } from 'vitest';
import { startBridge, type TestBridge } from './bridge.ts';
import { BusAgent } from './bus-agent.ts';
import { waitFor } from './wait-for.ts';

/** Plays one type of message, and looks at the screen. */
export type Scene = (stage: BusStage) => Promise<void>;

export class BusStage {
  /** How often a scene has looked at the screen. */
  looks = 0;
  readonly #played = new Set<string>();

  private constructor(
    readonly agent: BusAgent,
    readonly bridge: TestBridge,
  ) {}

  static async start(): Promise<BusStage> {
    const agent = await BusAgent.listen();
    const options = {
      session: { agent: 'demo', agents: { demo: { dialect: 'bus', url: agent.url } } },
      diff: { focus: false },
    };
    const files = { 'a.txt': 'first\nsecond\n', 'b.txt': 'other\n', '.env': 'KEY=1\n' };
    const bridge = await startBridge({ ui: true, options, files });
    await bridge.nvim.command('runtime plugin/claude_bridge_session.lua');
    const stage = new BusStage(agent, bridge);
    await stage.type(':edit a.txt<CR>:ClaudeSession<CR>');
    await agent.hears('get_status');
    await stage.shows('demo · ready');
    return stage;
  }

  /** Each scene begins in the file, with an empty conversation. */
  async reset(): Promise<void> {
    await this.causes('reset_session', () =>
      this.type('<Esc><C-Bslash><C-n><C-w>t:edit! a.txt<CR>:ClaudeSessionReset<CR>'),
    );
    this.looks = 0;
  }

  type(keys: string): Promise<void> {
    return this.bridge.nvim.input(keys);
  }

  shows(...texts: (string | RegExp)[]): Promise<void> {
    this.looks += 1;
    return this.bridge.nvim.screen.shows(...texts);
  }

  hides(text: string): Promise<void> {
    this.looks += 1;
    return this.bridge.nvim.screen.hides(text);
  }

  /** Once the agent's word after it is on the screen, what has not come will not come. */
  async neverShows(...texts: string[]): Promise<void> {
    this.agent.say('info', { message: 'and so on' });
    await this.shows('and so on');
    for (const text of texts) expect(this.bridge.nvim.screen.text).not.toContain(text);
  }

  file(name: string): string {
    return path.join(this.bridge.workspace, name);
  }

  say(message: string, data?: unknown, id?: string): void {
    this.#played.add(message);
    this.agent.say(message, data, id);
  }

  hasPlayed(message: string): boolean {
    return this.#played.has(message);
  }

  /** Does something, and waits for the next message of a type that comes of it. */
  async causes(message: string, act: () => Promise<unknown>): Promise<unknown> {
    const before = this.agent.of(message).length;
    await act();
    return (await this.agent.hears(message, before + 1)).data;
  }

  /** What the agent hears when the user goes to the card that shows this, and presses keys. */
  answer(message: string, keys: string, ...seen: string[]): Promise<unknown> {
    return this.causes(message, async () => {
      await this.shows(...seen);
      await this.type(`:ClaudeSessionAnswer<CR>${keys}`);
    });
  }

  /** Opens the fold of the last entry: that one which holds `text`, where it may still be to come. */
  async unfold(text?: string): Promise<void> {
    const open = () => this.type(':ClaudeSession<CR><C-w>kG[[zv');
    if (text === undefined) return open();
    const isShown = () => this.bridge.nvim.screen.text.includes(text);
    await waitFor(async () => {
      await open();
      await expect.poll(isShown, { timeout: 300 }).toBe(true);
    });
    this.looks += 1;
  }

  /** Into the prompt; a key such as CTRL-C, which interrupts, must come after that. */
  async toPrompt(): Promise<void> {
    await this.type(':ClaudeSession<CR>');
    const name = () => this.bridge.nvim.lua<string>('return vim.api.nvim_buf_get_name(0)');
    await expect.poll(name).toBe('claude-session://demo/prompt');
  }

  /** Into the window of a proposed edit, once it is there. */
  async toProposal(): Promise<void> {
    const lua = `
      for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window))
        if vim.wo[window].diff and name:find('^claudebridge://') and not name:find('/original/') then
          vim.api.nvim_set_current_win(window)
          return true
        end
      end
      return false`;
    await expect.poll(() => this.bridge.nvim.lua<boolean>(lua)).toBe(true);
  }

  async dispose(): Promise<void> {
    await this.agent.dispose();
    await this.bridge.dispose();
  }
}
