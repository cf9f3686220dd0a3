/** Programs on a screen of their own: typed to and looked at as a user does, by a private tmux. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const execFileAsync = promisify(execFile);

export interface TerminalOptions {
  readonly name: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment beside PATH, TERM and LANG. */
  readonly env: Readonly<Record<string, string>>;
}

/** A tmux server for one test; nothing of the user's own tmux is touched. */
export class Tmux {
  constructor(private readonly folder: string) {
    fs.mkdirSync(folder, { recursive: true });
  }

  run(...args: string[]): Promise<string> {
    const options = { encoding: 'utf8' as const, env: this.#env() };
    return execFileAsync('tmux', [...this.server, ...args], options).then((out) => out.stdout);
  }

  async open(options: TerminalOptions): Promise<Terminal> {
    const variables = Object.entries({
      PATH: process.env['PATH'] ?? '',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      ...options.env,
    });
    const environment = variables.map(([name, value]) => `${name}=${value}`);
    const size = ['-x', '160', '-y', '50'];
    const session = ['new-session', '-d', '-s', options.name, ...size, '-c', options.cwd];
    await this.run(...session, 'env', '-i', ...environment, ...options.argv);
    return new Terminal(this, options.name);
  }

  /** Ends the server and every program that was started on it. */
  async dispose(): Promise<void> {
    // A server whose last program has ended is gone: nothing to list, nothing to end.
    const listed = await this.run('list-panes', '-a', '-F', '#{pane_pid}').catch(() => '');
    const pids = listed.split('\n').filter(Boolean).map(Number);
    for (const pid of pids) killNow(pid);
    await this.run('kill-server').catch(() => '');
  }

  /** What a command line of tmux begins with, to speak to this server. */
  get server(): string[] {
    return ['-S', path.join(this.folder, 'tmux'), '-f', '/dev/null'];
  }

  #env(): NodeJS.ProcessEnv {
    const { TMUX: _outer, ...rest } = process.env;
    return rest;
  }
}

export class Terminal {
  constructor(
    private readonly tmux: Tmux,
    readonly name: string,
  ) {}

  screen(): Promise<string> {
    return this.tmux.run('capture-pane', '-p', '-t', this.name);
  }

  async type(text: string): Promise<void> {
    await this.tmux.run('send-keys', '-t', this.name, '-l', '--', text);
  }

  /** Keys by tmux's names: Enter, Escape, C-c. */
  async key(...keys: string[]): Promise<void> {
    await this.tmux.run('send-keys', '-t', this.name, ...keys);
  }

  async pid(): Promise<number> {
    return Number(await this.tmux.run('display-message', '-p', '-t', this.name, '#{pane_pid}'));
  }

  /** Waits until the screen shows it; a failure prints the screen. */
  async shows(pattern: RegExp, timeout = 20_000): Promise<string> {
    await expect.poll(() => this.screen(), { timeout, interval: 100 }).toMatch(pattern);
    return this.screen();
  }

  async hides(pattern: RegExp, timeout = 20_000): Promise<void> {
    await expect.poll(() => this.screen(), { timeout, interval: 100 }).not.toMatch(pattern);
  }
}

/** Without a chance to write anything more into its home, which is about to be deleted. */
function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended by itself
  }
}
