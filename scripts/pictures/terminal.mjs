// A real terminal of a fixed size, by tmux.
import { execFileSync } from 'node:child_process';
import { inProject } from '../lib/project.mjs';

const LIMIT_MS = 20_000;

export class Terminal {
  constructor(socket, size) {
    this.size = size;
    this.tmux = (...args) =>
      execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  }

  open(nvim, stage, own = {}) {
    const agent = JSON.stringify([process.execPath, inProject('scripts/demo-agent.mjs')]);
    const env = {
      ...stage.xdg,
      HOME: stage.home,
      PATH: process.env.PATH,
      LANG: 'C.UTF-8',
      TERM: 'tmux-256color',
      COLORTERM: 'truecolor',
      CLAUDE_BRIDGE_TRY_PLUGIN: stage.plugin,
      CLAUDE_BRIDGE_TRY_AGENT: agent,
      ...own,
    };
    const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const size = ['-x', String(this.size.columns), '-y', String(this.size.rows)];
    const program = ['env', '-i', ...pairs, nvim, ...stage.init, 'greet.py'];
    this.tmux('new-session', '-d', '-s', 'picture', ...size, '-c', stage.workspace, ...program);
    this.tmux('set-option', '-g', 'status', 'off');
    this.tmux('set-option', '-ga', 'terminal-features', '*:RGB');
  }

  type(text) {
    this.tmux('send-keys', '-t', 'picture', '-l', text);
  }

  keys(...names) {
    this.tmux('send-keys', '-t', 'picture', ...names);
  }

  screen() {
    return this.tmux('capture-pane', '-e', '-p', '-t', 'picture');
  }

  async shows(pattern) {
    const end = Date.now() + LIMIT_MS;
    while (!pattern.test(this.tmux('capture-pane', '-p', '-t', 'picture'))) {
      if (Date.now() > end)
        throw new Error(`The screen never showed ${pattern}:\n${this.screen()}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // What the screen shows last comes a moment after what is waited for.
    await new Promise((resolve) => setTimeout(resolve, 300));
  }

  close() {
    try {
      this.tmux('kill-server');
    } catch {
      // It has ended already.
    }
  }
}
