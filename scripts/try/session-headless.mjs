// A whole live session without a user: Neovim is driven, and its screen is read.
import fs from 'node:fs';
import path from 'node:path';
import { lockFiles, Steps, startEditor, until } from './driver.mjs';

export async function play({ nvim, home, workspace, env, init }) {
  const clean = { ...env, HOME: home, CLAUDE_BRIDGE_TRY_WORD_MS: '2' };
  const editor = await startEditor(nvim, { init, workspace, env: clean, file: 'session.md' });
  const steps = new Steps();
  try {
    await tour(editor, steps, path.join(workspace, 'session.md'));
    await steps.run('Neovim ends and nothing is left', async () => {
      await editor.quit();
      await until(() => lockFiles(home) === undefined, 'the lock file to go');
    });
  } catch (error) {
    steps.fail(error);
  } finally {
    editor.kill();
  }
  return steps.report();
}

async function tour(editor, steps, file) {
  const { keys, shows } = editor;
  await steps.run('the session opens', () => shows('demo · ready', 'Ask first'));
  await steps.run('a text is sent, and the answer streams', async () => {
    await keys('iall<C-s>');
    await shows('## The tour', 'First a *plan*');
  });
  await steps.run('a plan is approved', async () => {
    await shows('Is this plan good?', '4. Ask what else');
    await keys('<Esc>:ClaudeSessionAnswer<CR>y');
    await shows('The plan stands.');
  });
  await steps.run('a command is allowed, and its output shown', async () => {
    await shows('wc -w session.md', 'Allow once');
    await keys(':ClaudeSessionAnswer<CR>y');
    await shows('✓ wc -w session.md', 'The command ran');
  });
  await steps.run('an edit accepted by :w is written', async () => {
    await until(() => editor.hasDiff(), 'the diff');
    await shows(':w accepts', 'a line by the demo agent');
    await keys(':ClaudeDiffAccept<CR>');
    await until(
      () => fs.readFileSync(file, 'utf8').endsWith('a line by the demo agent\n'),
      'the file to change',
    );
    await shows('The line is **written**.');
  });
  await steps.run('a form is filled in', async () => {
    await shows('What shall I bring?', 'How many');
    await keys(':ClaudeSessionAnswer<CR>/pears<CR><CR>s');
    await shows('You want **3 pears**.');
  });
  await steps.run('the session is ready again, and tells its cost', () =>
    shows('That was the tour.', 'demo · ready', '/200k $'),
  );
  await steps.run('a turn is cancelled', async () => {
    await keys(':ClaudeSessionSend long<CR>');
    await shows('This is line 2.', 'demo · working');
    await keys(':ClaudeSessionCancel<CR>');
    await shows('demo · ready');
  });
}
