/** One test's stage: a workspace, a real Neovim with the plugin, the real CLI, a scripted model. */
import fs from 'node:fs';
import path from 'node:path';
import { attach, type NeovimClient } from 'neovim';
import { expect, onTestFinished } from 'vitest';
import { untilListening } from '../../support/listening.ts';
import { nvimBinary, PROJECT, silentLogger, tempDir } from '../../support/nvim.ts';
import { cliEnvironment, prepareHome } from './home.ts';
import { commandOf, NEWEST } from './install.ts';
import { type Block, Model } from './model.ts';
import { type Terminal, Tmux } from './tmux.ts';

export interface SceneOptions {
  /** Workspace files by their path; the first one is opened. */
  readonly files: Readonly<Record<string, string>>;
  /** What the model says, turn by turn; made when the paths are known. */
  readonly script?: (scene: Scene) => readonly (readonly Block[])[];
  /** The CLI's version. */
  readonly version?: string;
  /** Lines of the user's init.lua. */
  readonly init?: string;
}

/** What the CLI shows while it asks for an edit. */
export const QUESTION = /Do you want to/;

export class Scene {
  readonly #root = tempDir('claude-bridge-e2e-');
  readonly home = path.join(this.#root, 'home');
  readonly workspace = path.join(this.#root, 'work');
  readonly tmux = new Tmux(path.join(this.#root, 'tmux'));
  readonly model: Model;
  readonly #clients: NeovimClient[] = [];
  #names = 0;

  private constructor(readonly options: SceneOptions) {
    this.model = new Model(options.script?.(this) ?? []);
  }

  /** Sets the stage; the end of the test clears it. */
  static async create(options: SceneOptions): Promise<Scene> {
    const scene = new Scene(options);
    onTestFinished(() => scene.#dispose());
    await scene.model.start();
    for (const [name, content] of Object.entries(options.files)) scene.write(name, content);
    prepareHome(scene.home, scene.workspace);
    scene.#installPlugin();
    return scene;
  }

  /** Sets the stage and brings both actors on: the CLI knows the open file of the editor. */
  static async play(options: SceneOptions): Promise<Scene & { nvim: Editor; cli: Terminal }> {
    const scene = await Scene.create(options);
    const nvim = await scene.startNvim();
    await nvim.startBridge();
    const cli = await scene.startCli();
    await nvim.isConnected();
    await scene.indicates(cli, new RegExp(`⧉ In ${path.basename(scene.firstFile)}`));
    return Object.assign(scene, { nvim, cli });
  }

  get firstFile(): string {
    return Object.keys(this.options.files)[0] ?? '';
  }

  path(name: string): string {
    return path.join(this.workspace, name);
  }

  write(name: string, content: string): void {
    fs.mkdirSync(path.dirname(this.path(name)), { recursive: true });
    fs.writeFileSync(this.path(name), content);
  }

  /** The file on disk, byte for byte (one character a byte); undefined where there is none. */
  disk(name: string): string | undefined {
    const file = this.path(name);
    return fs.existsSync(file) ? fs.readFileSync(file).toString('latin1') : undefined;
  }

  async diskBecomes(name: string, content: string): Promise<void> {
    const bytes = Buffer.from(content).toString('latin1');
    await expect.poll(() => this.disk(name), { timeout: 20_000, interval: 100 }).toBe(bytes);
  }

  async modelHears(pattern: RegExp): Promise<void> {
    const told = () => this.model.told();
    await expect.poll(told, { timeout: 20_000, interval: 100 }).toMatch(pattern);
  }

  lockFiles(): string[] {
    const folder = path.join(this.home, '.claude', 'ide');
    if (!fs.existsSync(folder)) return [];
    return fs.readdirSync(folder).filter((name) => name.endsWith('.lock'));
  }

  /** The port of the one running bridge. */
  async port(): Promise<string> {
    await expect.poll(() => this.lockFiles().length, { timeout: 20_000, interval: 50 }).toBe(1);
    return path.basename(this.lockFiles()[0] ?? '', '.lock');
  }

  async startNvim(args: readonly string[] = [this.firstFile]): Promise<Editor> {
    const name = `nvim-${++this.#names}`;
    const socket = path.join(this.#root, `${name}.sock`);
    const terminal = await this.tmux.open({
      name,
      argv: [nvimBinary(), '--listen', socket, ...args],
      cwd: this.workspace,
      env: { ...cliEnvironment(this.home, this.model.port), PATH: this.#searchPath() },
    });
    await untilListening({ path: socket });
    const client = attach({ socket, options: { logger: silentLogger } });
    this.#clients.push(client);
    return new Editor(this, terminal, client);
  }

  async startCli(more: Readonly<Record<string, string>> = {}): Promise<Terminal> {
    const cli = await this.tmux.open({
      name: `cli-${++this.#names}`,
      argv: [...commandOf(this.#version), '--permission-mode', 'default'],
      cwd: this.workspace,
      env: {
        ...cliEnvironment(this.home, this.model.port),
        CLAUDE_CODE_SSE_PORT: await this.port(),
        ENABLE_IDE_INTEGRATION: 'true',
        ...more,
      },
    });
    await cli.shows(/❯|^>|│ >/m);
    return cli;
  }

  /** The newest CLI shows at once what it is told of the editor, the old one only after seconds. */
  async indicates(cli: Terminal, pattern: RegExp): Promise<void> {
    if (this.#version === NEWEST) await cli.shows(pattern);
  }

  get #version(): string {
    return this.options.version ?? NEWEST;
  }

  /** PATH with a `claude` as a user has it. */
  #searchPath(): string {
    const folder = path.join(this.#root, 'bin');
    const program = path.join(folder, 'claude');
    if (!fs.existsSync(program)) {
      fs.mkdirSync(folder, { recursive: true });
      const command = commandOf(this.#version).map((part) => `'${part}'`);
      fs.writeFileSync(program, `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`, { mode: 0o755 });
    }
    return `${folder}${path.delimiter}${process.env['PATH'] ?? ''}`;
  }

  /** As a package: the way in which Neovim itself installs plugins. */
  #installPlugin(): void {
    const packages = path.join(this.home, '.local/share/nvim/site/pack/test/start');
    fs.mkdirSync(packages, { recursive: true });
    fs.symlinkSync(PROJECT.replace(/\/$/, ''), path.join(packages, 'claude-bridge.nvim'));
    const config = path.join(this.home, '.config', 'nvim');
    fs.mkdirSync(config, { recursive: true });
    fs.writeFileSync(path.join(config, 'init.lua'), `${this.options.init ?? ''}\n`);
  }

  async #dispose(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.tmux.dispose();
    this.model.dispose();
    const patience = { maxRetries: 20, retryDelay: 100 };
    await fs.promises.rm(this.#root, { recursive: true, force: true, ...patience });
  }
}

export class Editor {
  constructor(
    private readonly scene: Scene,
    readonly terminal: Terminal,
    private readonly client: NeovimClient,
  ) {}

  lua<T>(code: string, args: unknown[] = []): Promise<T> {
    return this.client.request('nvim_exec_lua', [code, args]) as Promise<T>;
  }

  /** Types an Ex command, as a user does. */
  async command(line: string): Promise<void> {
    await this.terminal.key('Escape');
    await this.terminal.type(`:${line}`);
    await this.terminal.key('Enter');
  }

  /** @returns the port */
  async startBridge(): Promise<string> {
    await this.command('ClaudeBridgeStart');
    return this.scene.port();
  }

  async isConnected(): Promise<void> {
    const connected = () => this.lua(`return require('claude_bridge').is_connected()`);
    await expect.poll(connected, { timeout: 30_000, interval: 50 }).toBe(true);
  }

  diffWindows(): Promise<number> {
    return this.lua(`return #vim.tbl_filter(function(window)
      return vim.wo[window].diff
    end, vim.api.nvim_list_wins())`);
  }

  async showsDiff(): Promise<void> {
    await expect.poll(() => this.diffWindows(), { timeout: 20_000, interval: 50 }).toBe(2);
  }

  /** No view is left, and the layout is the one window that the test began with. */
  async showsNoDiff(): Promise<void> {
    const windows = () => this.lua<number>('return #vim.api.nvim_list_wins()');
    await expect.poll(() => this.diffWindows(), { timeout: 20_000, interval: 50 }).toBe(0);
    await expect.poll(windows, { timeout: 5_000, interval: 50 }).toBe(1);
  }

  /** 1-based numbers of the lines that the current view marks as changed. */
  changedLines(): Promise<number[]> {
    return this.lua(`return vim.tbl_filter(function(line)
      return vim.fn.diff_hlID(line, 1) ~= 0
    end, vim.fn.range(1, vim.fn.line('$')))`);
  }

  /** The bridge's node process. */
  async hostPid(): Promise<number> {
    return this.lua(`for _, channel in ipairs(vim.api.nvim_list_chans()) do
      if channel.argv and table.concat(channel.argv, ' '):find('host.cjs', 1, true) then
        return vim.fn.jobpid(channel.id)
      end
    end`);
  }

  /** The text of the buffer that shows a file, as lines. */
  lines(name: string): Promise<string[]> {
    const file = this.scene.path(name);
    return this.lua('return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)', [file]);
  }
}

/** Sends a prompt to the agent. */
export async function ask(cli: Terminal, prompt: string): Promise<void> {
  await cli.type(prompt);
  // Keys that come as one burst would be taken for a paste, and Enter for a part of it.
  await cli.shows(new RegExp(`^.*[❯>].*${prompt}`, 'm'));
  await cli.key('Enter');
}

/** Answers the CLI's question about an edit; a key that comes as the question appears is not taken. */
export async function decide(cli: Terminal, key: 'Enter' | 'Escape'): Promise<void> {
  const isAnswered = async () => {
    if (!QUESTION.test(await cli.screen())) return true;
    await cli.key(key);
    return false;
  };
  await expect.poll(isAnswered, { timeout: 20_000, interval: 700 }).toBe(true);
}
