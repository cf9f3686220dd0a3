/** A real Neovim for tests, alone in a home of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { attach, type NeovimClient } from 'neovim';
import { Screen } from './screen.ts';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** Options of Node for a script of the tests, that it does not outlive the run. */
export const WITH_PARENT: readonly string[] = [
  '--import',
  new URL('./leave-with-parent.mjs', import.meta.url).href,
];

export interface StartOptions {
  /** Attaches a user interface of 120 columns and 40 rows: prompts and typed keys are real then. */
  ui?: boolean;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** False leaves the project off the runtime path. */
  plugin?: boolean;
}

export interface TestNvim {
  readonly client: NeovimClient;
  readonly child: ChildProcess;
  readonly home: string;
  /** Empty without `ui`. */
  readonly screen: Screen;
  lua<T = unknown>(code: string, args?: unknown[]): Promise<T>;
  command(line: string): Promise<void>;
  /** Types keys as a user would; returns before Neovim has worked them off. */
  input(keys: string): Promise<void>;
  /** Runs keys to their end, with mappings. */
  feed(keys: string): Promise<void>;
  messages(): Promise<string>;
  /** Makes the plugin's notifications reach this test instead of a host; the list grows. */
  captureNotifications(): Promise<Record<string, unknown>[]>;
  dispose(): Promise<void>;
}

export function tempDir(prefix = 'claude-bridge-'): string {
  return fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), prefix)));
}

export const nvimBinary = (): string => process.env['NVIM'] ?? 'nvim';

/** The environment of a test's child: nothing of the machine's own configuration reaches it. */
function cleanEnv(home: string, extra: Readonly<Record<string, string>> = {}) {
  const { PATH = '', LANG = 'C.UTF-8' } = process.env;
  return {
    PATH,
    LANG,
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_DATA_HOME: path.join(home, '.local/share'),
    XDG_STATE_HOME: path.join(home, '.local/state'),
    XDG_CACHE_HOME: path.join(home, '.cache'),
    ...extra,
  };
}

/** Without one, node-client takes the console for itself. */
export const silentLogger = new Proxy({}, { get: () => () => silentLogger }) as never;

export async function startNvim(options: StartOptions = {}): Promise<TestNvim> {
  const home = tempDir('claude-bridge-home-');
  const plugin =
    options.plugin === false ? [] : ['--cmd', `set rtp^=${PROJECT.replace(/\/$/, '')}`];
  const mode = options.ui ? ['--embed'] : ['--embed', '--headless'];
  const args = [...mode, '-u', 'NONE', '-i', 'NONE', '-n', ...plugin, ...(options.args ?? [])];
  const child = spawn(nvimBinary(), args, {
    cwd: options.cwd ?? home,
    env: cleanEnv(home, options.env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A test may still talk to a Neovim that it has ended; the answer that never comes says so.
  child.stdin?.on('error', () => {});
  const client = attach({ proc: child, options: { logger: silentLogger } });
  const screen = new Screen(client);
  if (options.ui) await client.uiAttach(120, 40, { ext_linegrid: true });
  const lua = <T>(code: string, luaArgs: unknown[] = []) =>
    client.request('nvim_exec_lua', [code, luaArgs]) as Promise<T>;
  return {
    client,
    child,
    home,
    screen,
    lua,
    command: async (line) => void (await client.command(line)),
    input: async (keys) => void (await client.input(keys)),
    feed: async (keys) =>
      void (await lua(
        `vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(..., true, true, true), 'mx', false)`,
        [keys],
      )),
    messages: async () =>
      (await client.request('nvim_exec2', ['messages', { output: true }])).output,
    captureNotifications: () => captureNotifications(client, lua),
    dispose: () => end(child, home),
  };
}

async function captureNotifications(client: NeovimClient, lua: TestNvim['lua']) {
  const events: Record<string, unknown>[] = [];
  client.on('notification', (method: string, args: unknown[]) => {
    if (method === 'claude_bridge_test')
      events.push((args[0] as Record<string, unknown>[])[0] ?? {});
  });
  const [channel] = (await client.request('nvim_get_api_info', [])) as [number];
  await lua(`require('claude_bridge.channel').attach(...)`, [channel, 'claude_bridge_test']);
  return events;
}

async function end(child: ChildProcess, home: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await removeFolder(home);
}

/** Removes a folder into which children of Neovim, which outlive it for a moment, may still write. */
export async function removeFolder(folder: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return fs.rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
