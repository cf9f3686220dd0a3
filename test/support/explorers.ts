/** Explorers of other plugins, each opened on a folder: the real one where it is there. */
import fs from 'node:fs';
import path from 'node:path';
import { PROJECT, type TestNvim } from './nvim.ts';
import { waitFor } from './wait-for.ts';

interface Driver {
  /** Folders of the real plugin and of what it needs. */
  readonly repositories: readonly string[];
  readonly stub?: string;
  readonly setup: string;
  /** Gets the folder. */
  readonly open: string;
  /** Marks what the cursor is at; absent where the explorer knows no marks. */
  readonly mark?: string;
}

const drivers = {
  oil: {
    repositories: ['oil.nvim'],
    stub: 'oil',
    setup: `require('oil').setup({ columns = {} })`,
    open: `require('oil').open(...)`,
  },
  'nvim-tree': {
    repositories: ['nvim-tree.lua'],
    stub: 'nvim_tree',
    setup: `require('nvim-tree').setup({})`,
    open: `require('nvim-tree.api').tree.open({ path = ... })`,
    mark: `require('nvim-tree.api').marks.toggle()`,
  },
  'neo-tree': {
    repositories: ['neo-tree.nvim', 'nui.nvim', 'plenary.nvim'],
    stub: 'neo_tree',
    setup: `require('neo-tree').setup({ log_level = 'fatal' })`,
    open: `require('neo-tree.command').execute({ dir = ..., position = 'left' })`,
    mark: `local state = require('neo-tree.sources.manager').get_state_for_window()
      state.selected[state.tree:get_node(vim.fn.line('.')):get_id()] = true`,
  },
  'mini.files': {
    repositories: ['mini.nvim'],
    stub: 'mini_files',
    setup: `require('mini.files').setup()`,
    open: `require('mini.files').open(..., false)`,
  },
  snacks: {
    repositories: ['snacks.nvim'],
    stub: 'snacks',
    setup: `require('snacks').setup({ picker = { enabled = true } })`,
    open: `require('snacks').picker.explorer({ cwd = ... })`,
    mark: `require('snacks').picker.get()[1].list:select()`,
  },
  netrw: {
    repositories: [],
    setup: `vim.cmd('filetype plugin on | syntax on | runtime! plugin/netrwPlugin.vim')
      pcall(vim.cmd.packadd, 'netrw')`,
    open: `vim.cmd('Explore ' .. ...)`,
    mark: `vim.api.nvim_feedkeys('mf', 'mx', false)`,
  },
} satisfies Record<string, Driver>;

export type ExplorerName = keyof typeof drivers;
export const EXPLORERS = Object.keys(drivers) as readonly ExplorerName[];
export const canMark = (name: ExplorerName): boolean => 'mark' in drivers[name];

export class Explorer {
  readonly #driver: Driver;

  constructor(
    private readonly nvim: TestNvim,
    name: ExplorerName,
  ) {
    this.#driver = drivers[name];
  }

  async load(): Promise<void> {
    const folder = process.env['CLAUDE_BRIDGE_PLUGINS'];
    const { repositories, stub, setup } = this.#driver;
    const real = repositories.map((name) => path.join(folder ?? '', name));
    if (folder && stub && real.every((one) => fs.existsSync(one))) {
      for (const one of real) await this.nvim.lua(`vim.opt.rtp:append(...)`, [one]);
    } else if (stub) {
      const stubs = path.join(PROJECT, 'test/support/explorers/stubs.lua');
      await this.nvim.lua(`dofile(select(1, ...))[select(2, ...)]()`, [stubs, stub]);
    }
    await this.nvim.lua(setup);
  }

  /** Resolves when the list shows these names. */
  async open(folder: string, names: readonly string[]): Promise<void> {
    await this.nvim.lua(this.#driver.open, [folder]);
    await waitFor(async () => {
      for (const name of names) await this.row(name);
    });
  }

  /** The row that shows a name, from 1. */
  async row(name: string): Promise<number> {
    const lines = await this.nvim.lua<string[]>(
      `return vim.api.nvim_buf_get_lines(0, 0, -1, false)`,
    );
    const row = lines.findIndex((line) => line.includes(name));
    if (row < 0) throw new Error(`${name} is not in\n${lines.join('\n')}`);
    return row + 1;
  }

  async go(name: string): Promise<void> {
    await this.nvim.lua(`vim.api.nvim_win_set_cursor(0, { ..., 0 })`, [await this.row(name)]);
  }

  async mark(name: string): Promise<void> {
    await this.go(name);
    await this.nvim.lua(this.#driver.mark ?? '');
  }
}
