// The whole loop without a user: Neovim and the demo agent are driven, and each step is checked.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { attach } from 'neovim';
import { inProject } from '../lib/project.mjs';

const LIMIT_MS = 15_000;

/** node-client takes the console for itself. */
const say = (line) => process.stdout.write(`${line}\n`);

export async function play({ nvim, home, workspace, env, init }) {
  const clean = { ...env, HOME: home };
  delete clean.CLAUDE_CONFIG_DIR;
  const editor = await startEditor(nvim, { init, workspace, env: clean });
  const file = path.join(workspace, 'welcome.md');
  const steps = new Steps();
  let agent;
  try {
    const port = await steps.run('the bridge starts and writes its lock file', async () => {
      const locks = await until(() => lockFiles(home), 'a lock file');
      return path.basename(locks[0], '.lock');
    });
    agent = startAgent(workspace, { ...clean, CLAUDE_CODE_SSE_PORT: port });
    await steps.run('the agent connects', () => agent.says(/^Connected to Neovim/));
    await steps.run('the agent is told the open file', () => agent.says(/^You are in welcome\.md/));
    await steps.run('a selection reaches the agent', async () => {
      await editor.keys('GkVj');
      await agent.says(/^You selected 2 lines in welcome\.md/);
    });
    await steps.run('a mention reaches the agent', async () => {
      await editor.keys(':ClaudeMention<CR>');
      await agent.says(/^You mentioned @welcome\.md#L\d+-\d+/);
    });
    await steps.run('an edit accepted by :w is written by the agent', async () => {
      const before = fs.readFileSync(file, 'utf8');
      await proposeAnd(agent, editor, ':w<CR>');
      await agent.says(/^Accepted as proposed/);
      if (fs.readFileSync(file, 'utf8') === before) throw new Error('the file did not change');
      await until(async () => !(await editor.hasDiff()), 'the view to go');
    });
    await steps.run('an edit rejected by :q leaves the file alone', async () => {
      const before = fs.readFileSync(file, 'utf8');
      await proposeAnd(agent, editor, ':q<CR>');
      await agent.says(/^Rejected/);
      if (fs.readFileSync(file, 'utf8') !== before) throw new Error('the file changed');
      await until(async () => !(await editor.hasDiff()), 'the view to go');
    });
    await steps.run('Neovim ends and nothing is left', async () => {
      await editor.quit();
      await until(() => lockFiles(home) === undefined, 'the lock file to go');
      await agent.says(/^The editor has gone/);
    });
  } catch (error) {
    steps.fail(error);
  } finally {
    agent?.kill();
    editor.kill();
  }
  return steps.report();
}

async function proposeAnd(agent, editor, keys) {
  agent.enter();
  await agent.says(/^Proposing/);
  await until(() => editor.hasDiff(), 'the diff');
  await editor.keys(keys);
}

class Steps {
  #current = '';
  #failed = false;

  async run(name, work) {
    this.#current = name;
    const value = await work();
    say(`ok      ${name}`);
    return value;
  }

  fail(error) {
    this.#failed = true;
    say(`FAILED  ${this.#current}: ${error.message}`);
  }

  report() {
    say(this.#failed ? 'The loop is broken.' : 'The whole loop works.');
    return this.#failed ? 1 : 0;
  }
}

const silent = new Proxy({}, { get: () => () => silent });

async function startEditor(nvim, { init, workspace, env }) {
  const args = ['--embed', ...init, 'welcome.md'];
  const child = spawn(nvim, args, { cwd: workspace, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const client = attach({ proc: child, options: { logger: silent } });
  // With a user interface, typed keys and prompts are what they are for a user.
  await client.uiAttach(120, 40, { ext_linegrid: true });
  return {
    keys: (keys) => client.input(keys),
    hasDiff: () =>
      client.lua(
        'return #vim.tbl_filter(function(w) return vim.wo[w].diff end, vim.api.nvim_list_wins()) == 2',
      ),
    quit: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      await client.input('<Esc>:qa!<CR>');
      await gone;
    },
    kill: () => child.kill('SIGKILL'),
  };
}

function startAgent(cwd, env) {
  const script = inProject('scripts/demo-agent.mjs');
  const child = spawn(process.execPath, [script], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const unread = [];
  readline.createInterface({ input: child.stdout }).on('line', (line) => {
    say(`agent   ${line}`);
    unread.push(line);
  });
  /** Waits for a line and forgets all up to it. */
  const says = async (pattern) => {
    const index = await until(() => {
      const found = unread.findIndex((line) => pattern.test(line));
      return found < 0 ? undefined : { found };
    }, `the agent to say ${pattern}`);
    unread.splice(0, index.found + 1);
  };
  return { says, enter: () => child.stdin.write('\n'), kill: () => child.kill('SIGKILL') };
}

function lockFiles(home) {
  const folder = path.join(home, '.claude', 'ide');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const locks = names.filter((name) => name.endsWith('.lock'));
  return locks.length > 0 ? locks : undefined;
}

/** Looks again and again until there is a value. */
async function until(look, what) {
  const end = Date.now() + LIMIT_MS;
  while (Date.now() < end) {
    const value = await look();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`waited in vain for ${what}`);
}
