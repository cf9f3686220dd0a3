// `npm run try`: Neovim on a sample workspace with the bridge running, and an agent beside it.
// `npm run try -- --session` has a live session with a demo agent instead.
// With `--headless` either plays by itself and tells what happened.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { findNvim } from './lib/nvim.mjs';
import { ensureBuilt, ensurePackages } from './lib/prepare.mjs';
import { Failure, inProject, main, onPath } from './lib/project.mjs';
import { prepareStage, XDG } from './try/stage.mjs';

const SESSION_AGENT = [process.execPath, inProject('scripts/demo-session-agent.mjs')];

await main(async () => {
  const args = process.argv.slice(2);
  const unknown = args.filter((arg) => !['--headless', '--session'].includes(arg));
  if (unknown.length > 0) throw new Failure('usage: npm run try [-- [--session] [--headless]]');
  const isSession = args.includes('--session');
  await ensurePackages({ dev: false });
  await ensureBuilt();
  const nvim = await findNvim();
  const stage = prepareStage();
  if (isSession) stage.env.CLAUDE_BRIDGE_TRY_SESSION = JSON.stringify(SESSION_AGENT);
  try {
    if (args.includes('--headless')) {
      const { play } = await import(`./try/${isSession ? 'session-' : ''}headless.mjs`);
      return await play({ nvim, ...stage });
    }
    if (!process.stdin.isTTY) {
      throw new Failure('This needs a terminal. Without one: npm run try -- --headless');
    }
    return await (isSession ? openSession(nvim, stage) : open(nvim, stage));
  } finally {
    const patience = { maxRetries: 10, retryDelay: 50 };
    await fs.promises.rm(stage.root, { recursive: true, force: true, ...patience });
  }
});

async function open(nvim, stage) {
  const claude = onPath('claude');
  const agent = claude
    ? withoutXdg(claude)
    : [process.execPath, inProject('scripts/demo-agent.mjs')];
  const env = {
    ...stage.env,
    CLAUDE_BRIDGE_TRY_AGENT: JSON.stringify(agent),
    // The user's claude is logged in in the user's home; the demo agent needs nobody's.
    ...(claude ? {} : { HOME: stage.home, CLAUDE_CONFIG_DIR: path.join(stage.home, '.claude') }),
  };
  return edit(nvim, stage, env, 'welcome.md');
}

/** The demo agent needs nobody's home. */
function openSession(nvim, stage) {
  return edit(nvim, stage, { ...stage.env, HOME: stage.home }, 'session.md');
}

function edit(nvim, stage, env, file) {
  const options = { cwd: stage.workspace, env, stdio: 'inherit' };
  const child = spawn(nvim, [...stage.init, file], options);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Neovim's files go to the stage; the user's agent keeps its own places. */
function withoutXdg(program) {
  const own = Object.keys(XDG).flatMap((name) =>
    process.env[name] === undefined ? ['-u', name] : [],
  );
  const kept = Object.keys(XDG)
    .filter((name) => process.env[name] !== undefined)
    .map((name) => `${name}=${process.env[name]}`);
  return ['env', ...own, ...kept, program];
}
