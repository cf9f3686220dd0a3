// `npm run pictures`: plays the sample workspace in a real terminal and draws its screen for the
// README. Needs tmux. The pictures stand in doc/pictures/.
import fs from 'node:fs';
import path from 'node:path';
import { findNvim } from './lib/nvim.mjs';
import { ensureBuilt, ensurePackages } from './lib/prepare.mjs';
import { inProject, main } from './lib/project.mjs';
import { screenToSvg } from './pictures/screen-to-svg.mjs';
import { Terminal } from './pictures/terminal.mjs';
import { prepareStage } from './try/stage.mjs';

const SIZE = { columns: 132, rows: 27 };
const PROPOSAL = `def greet(name, greeting="Hello"):
    """Greet somebody by name."""
    return f"{greeting}, {name}!"


if __name__ == "__main__":
    print(greet("world"))
`;

const SESSION = {
  CLAUDE_BRIDGE_TRY_AGENT: '[]',
  CLAUDE_BRIDGE_TRY_SESSION: JSON.stringify([
    process.execPath,
    inProject('scripts/demo-session-agent.mjs'),
  ]),
  CLAUDE_BRIDGE_TRY_WORD_MS: '2',
};

await main(async () => {
  await ensurePackages({ dev: false });
  await ensureBuilt();
  const nvim = await findNvim();
  await onStage(nvim, {}, play);
  await onStage(nvim, { CLAUDE_BRIDGE_TRY_LAYOUT: 'inline' }, playInline);
  await onStage(nvim, SESSION, playSession, /demo · ready/);
});

/** Plays a scene on a stage of its own. */
async function onStage(nvim, env, scene, begin = /You are in greet\.py/) {
  const stage = prepareStage();
  const terminal = new Terminal(path.join(stage.root, 'tmux'), SIZE);
  try {
    terminal.open(nvim, stage, env);
    await terminal.shows(begin);
    await scene(terminal, stage);
  } finally {
    terminal.close();
    const patience = { maxRetries: 10, retryDelay: 50 };
    await fs.promises.rm(stage.root, { recursive: true, force: true, ...patience });
  }
}

async function play(terminal, stage) {
  terminal.type('1GVj');
  await terminal.shows(/You selected 2 lines/);
  draw(
    terminal,
    stage,
    'selection',
    'Two lines are selected in Neovim, and the agent beside it knows',
  );
  terminal.keys('Escape');

  const agent = await propose(terminal, stage);
  draw(terminal, stage, 'review', 'A proposed edit beside the file: :w accepts it, :q rejects it');

  terminal.type(':ClaudeBridgeStatus');
  terminal.keys('Enter');
  await terminal.shows(/Pending reviews/);
  draw(terminal, stage, 'status', ':ClaudeBridgeStatus shows port, lock file, clients and reviews');
  agent.close();
}

async function playInline(terminal, stage) {
  const agent = await propose(terminal, stage);
  draw(terminal, stage, 'inline', 'A proposed edit in one window, with the removed lines in it');
  agent.close();
}

/** The plan is approved by then, and a command is to be allowed. */
async function playSession(terminal, stage) {
  terminal.type(':ClaudeSessionSend all');
  terminal.keys('Enter');
  await terminal.shows(/Is this plan good/);
  terminal.type(':ClaudeSessionAllow');
  terminal.keys('Enter');
  await terminal.shows(/Allow once/);
  draw(terminal, stage, 'session', 'A session in Neovim: the agent asks before it runs a command');
}

async function propose(terminal, stage) {
  const agent = await connect(stage);
  void agent.call('openDiff', {
    old_file_path: path.join(stage.workspace, 'greet.py'),
    new_file_path: path.join(stage.workspace, 'greet.py'),
    new_file_contents: PROPOSAL,
    tab_name: '✻ [Claude Code] greet.py (bd82ac) ⧉',
  });
  await terminal.shows(/:w accepts/);
  return agent;
}

function draw(terminal, stage, name, title) {
  const file = inProject(`doc/pictures/${name}.svg`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, screenToSvg(atHome(terminal.screen(), stage), { ...SIZE, title }));
  process.stdout.write(`${path.relative(inProject('.'), file)}\n`);
}

/** The stage's folders as a user has them; what stands right of them keeps its column. */
function atHome(screen, { home, workspace }) {
  const names = { [home]: '~', [workspace]: '~/hello' };
  return screen
    .split('\n')
    .map((line) => {
      let text = line;
      for (const [folder, name] of Object.entries(names)) text = text.replaceAll(folder, name);
      const border = text.lastIndexOf('│');
      const gap = ' '.repeat(line.length - text.length);
      return border < 0 ? text : text.slice(0, border) + gap + text.slice(border);
    })
    .join('\n');
}

/** A second agent, which asks for what the demo agent does not. */
async function connect({ home }) {
  const { default: WebSocket } = await import('ws');
  const folder = path.join(home, '.claude/ide');
  const [lock] = fs.readdirSync(folder).filter((name) => name.endsWith('.lock'));
  const { authToken } = JSON.parse(fs.readFileSync(path.join(folder, lock), 'utf8'));
  const headers = { 'x-claude-code-ide-authorization': authToken };
  const socket = new WebSocket(`ws://127.0.0.1:${path.basename(lock, '.lock')}`, ['mcp'], {
    headers,
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const send = (message) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const clientInfo = { name: 'claude-code', version: '2.1.332' };
  send({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  await new Promise((resolve) => socket.once('message', resolve));
  send({ method: 'notifications/initialized' });
  send({ method: 'ide_connected', params: { pid: process.pid } });
  send({ id: 1, method: 'tools/list' });
  await new Promise((resolve) => socket.once('message', resolve));
  return {
    call: (name, args) => send({ id: 2, method: 'tools/call', params: { name, arguments: args } }),
    close: () => socket.terminate(),
  };
}
