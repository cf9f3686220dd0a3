// The whole loop without a user: Neovim and the demo agent are driven, and each step is checked.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { inProject } from '../lib/project.mjs';
import { lockFiles, Steps, say, startEditor, until } from './driver.mjs';

export async function play({ nvim, home, workspace, env, init }) {
  const clean = { ...env, HOME: home };
  delete clean.CLAUDE_CONFIG_DIR;
  const editor = await startEditor(nvim, { init, workspace, env: clean, file: 'welcome.md' });
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
