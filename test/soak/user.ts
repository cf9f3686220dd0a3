/** A user of Neovim who does whatever comes to mind. */
import path from 'node:path';
import type { TestBridge } from '../support/bridge.ts';
import type { Random } from './random.ts';

const WEIGHTS = {
  move: 10,
  select: 10,
  type: 6,
  open: 5,
  window: 5,
  tab: 2,
  mention: 4,
  accept: 6,
  reject: 6,
  editReview: 6,
  closeReview: 4,
  change: 5,
  diskDiff: 1,
  prompt: 2,
  cmdwin: 1,
  terminal: 1,
  directory: 1,
  sharing: 1,
  status: 1,
  recall: 1,
} as const;
export type UserAction = keyof typeof WEIGHTS;

const late = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 300));

/** Keys that close a window are not to end Neovim: that is what its last window does. */
const KEEP_ONE_WINDOW =
  ":silent! lua local n = 0; for _, w in ipairs(vim.api.nvim_list_wins()) do n = n + (vim.api.nvim_win_get_config(w).relative == '' and 1 or 0) end; if n == 1 then vim.cmd.split() end<CR>";

export class User {
  readonly #bridge: TestBridge;
  readonly #random: Random;
  #action: UserAction = 'move';
  readonly #files: readonly string[];

  constructor(bridge: TestBridge, random: Random, files: readonly string[]) {
    this.#bridge = bridge;
    this.#random = random;
    this.#files = files;
  }

  /** Chooses what comes next, and tells it. */
  next(): string {
    this.#action = this.#random.weighted(WEIGHTS);
    return `user: ${this.#action}`;
  }

  async act(): Promise<UserAction> {
    const action = this.#action;
    await this.rest();
    await this.#input(KEEP_ONE_WINDOW + this.#keys(action));
    return action;
  }

  /** Back to Normal mode in a window of his own, from whatever the last keys led to. */
  async rest(): Promise<void> {
    const { nvim } = this.#bridge;
    let last = '';
    for (let i = 0; i < 400; i += 1) {
      const { mode, blocking } = (await nvim.client.request('nvim_get_mode', [])) as {
        mode: string;
        blocking: boolean;
      };
      last = mode;
      if (blocking || mode.startsWith('r')) await this.#input(i % 2 === 0 ? '<CR>' : '<Esc>');
      else if (mode !== 'n' && mode !== 'nt') await this.#input('<C-\\><C-n>');
      else {
        // Keys that were sent before may lead to a prompt just now, at which this gets no answer.
        const type = await Promise.race([
          nvim.lua<string>('return vim.fn.getcmdwintype()'),
          late(),
        ]);
        if (type === '') return;
        if (type !== undefined) await this.#input('<C-c><C-c>');
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`Neovim stays in mode ${last}`);
  }

  async #input(keys: string): Promise<void> {
    await this.#bridge.nvim.input(keys);
  }

  #keys(action: UserAction): string {
    const random = this.#random;
    const count = 1 + random.below(9);
    const command = (line: string): string => `:silent! ${line}<CR>`;
    switch (action) {
      case 'move':
        return random.of(['gg', 'G', `${count}j`, `${count}k`, 'w', '$', '<C-d>', '<C-u>', '%']);
      case 'select':
        return `${random.of(['v', 'V', '<C-v>'])}${count}${random.of(['j', 'l', 'w', '$', 'G'])}${random.of(['', '<Esc>', 'y', 'o'])}`;
      case 'type':
        return random.of([`otext ${count}<Esc>`, 'dd', 'u', '<C-r>', 'x', `A ü${count}<Esc>`]);
      case 'open':
        return command(`edit! ${path.join(this.#bridge.workspace, random.of(this.#files))}`);
      case 'window':
        return random.of([
          '<C-w>s',
          '<C-w>v',
          '<C-w>w',
          '<C-w>c',
          '<C-w>o',
          '<C-w>p',
          '<C-w>=',
          ':silent! q<CR>',
        ]);
      case 'tab':
        return command(random.of(['tabnew', 'tab split', 'tabclose', 'tabnext', 'tabonly']));
      case 'mention':
        return random.of([
          command('ClaudeMention'),
          `V${count}j:<C-u>silent! '<lt>,'>ClaudeMention<CR>`,
        ]);
      case 'accept':
        return command('ClaudeDiffAccept');
      case 'reject':
        return command(`ClaudeDiffReject ${random.of(['', 'not like this'])}`);
      case 'editReview':
        return `${this.#toReview()}ggOedited ${count}<Esc>${random.of(['', ':w<CR>', ':q<CR>', ':wq<CR>', 'u'])}`;
      case 'closeReview':
        return (
          this.#toReview() +
          random.of([':q<CR>', ':bwipeout<CR>', ':only<CR>', ':tabclose<CR>', '<C-w>c', ':bd!<CR>'])
        );
      case 'change':
        return (
          this.#toReview() +
          random.of([
            ...[
              'ClaudeHunkReject',
              'ClaudeHunkNext',
              '2,5ClaudeHunkReject',
              '1ClaudeDiffAccept',
            ].map(command),
            ...[']c', '[c', 'do', 'GVkd'],
          ])
        );
      case 'diskDiff':
        return (
          command('ClaudeDiffDisk') + random.of([':silent! q<CR>', ':silent! tabclose<CR>', ''])
        );
      case 'prompt':
        return random.of([
          ':echo "a\\nb\\nc"<CR>',
          ':call confirm("?", "&a\\n&b")<CR>',
          'd',
          '"a',
          'qzjq',
          ':s/a',
          'r',
        ]);
      case 'cmdwin':
        return 'q:';
      case 'terminal':
        return command('ClaudeBridgeTerminal');
      case 'directory':
        return command(`cd ${random.of(['.', '..', 'sub', this.#bridge.workspace])}`);
      case 'sharing':
        return command('ClaudeSharing');
      case 'status':
        return `${command('ClaudeBridgeStatus')}q`;
      case 'recall':
        return `${command('ClaudeDiffRecall')}1<CR>`;
    }
  }

  #toReview(): string {
    return `:silent! lua local r = require('claude_bridge.review').list()[1]; if r then require('claude_bridge.review').jump(r.id) end<CR>`;
  }
}
