/** What the agent learns of the editor by itself. */
import { expect, test } from 'vitest';
import { VERSIONS } from './support/install.ts';
import { ask, Scene } from './support/scene.ts';

const files = { 'a.txt': 'alpha\nbeta\ngamma\n', 'sub/b.txt': 'other\n' };

test.each(VERSIONS)('%s: the open file is told to the model', async (version) => {
  const scene = await Scene.play({ files, version });
  await ask(scene.cli, 'hello');
  await scene.modelHears(new RegExp(`The user opened the file ${scene.path('a.txt')} in the IDE`));
});

test.each(VERSIONS)('%s: selected lines are told to the model', async (version) => {
  const scene = await Scene.play({ files, version });
  await scene.nvim.terminal.type('ggjVj');
  await scene.indicates(scene.cli, /⧉ 2 lines selected/);
  await ask(scene.cli, 'hello');
  await scene.modelHears(
    new RegExp(
      `The user selected the lines [12] to [23] from ${scene.path('a.txt')}:\\s+beta\\s+gamma`,
    ),
  );
});

test('a mention lands in the prompt and its lines are read', async () => {
  const scene = await Scene.play({ files });
  await scene.nvim.terminal.type('ggVj');
  // In Visual mode Neovim puts '<,'> before the command by itself.
  await scene.nvim.terminal.type(':ClaudeMention');
  await scene.nvim.terminal.key('Enter');
  await scene.cli.shows(/@a\.txt#L1-2/);
  await scene.nvim.command('ClaudeMention sub/b.txt');
  await scene.cli.shows(/@a\.txt#L1-2 @sub\/b\.txt/);
  await ask(scene.cli, ' look');
  await scene.modelHears(/alpha/);
  expect(await scene.cli.screen()).toMatch(/Read a\.txt/);
});

test.each(VERSIONS)('%s: a mention of its own folder is looked up', async (version) => {
  const scene = await Scene.play({ files, version });
  await scene.nvim.isConnected();
  await scene.nvim.command('ClaudeMention .');
  await scene.cli.shows(new RegExp(`@"${scene.workspace}/"`));
  await ask(scene.cli, ' look');
  await scene.cli.shows(/Listed directory/);
});

test('mentions made before the agent came are delivered to it in order', async () => {
  const scene = await Scene.create({ files });
  const nvim = await scene.startNvim();
  await nvim.startBridge();
  await nvim.command('1ClaudeMention');
  await nvim.command('ClaudeMention sub/b.txt');
  const cli = await scene.startCli();
  await cli.shows(/@a\.txt#L1 @sub\/b\.txt/);
});

test('claude typed into a :terminal of this Neovim connects by itself', async () => {
  const scene = await Scene.create({ files });
  const nvim = await scene.startNvim();
  await nvim.startBridge();
  await nvim.command('rightbelow vsplit | terminal');
  await nvim.command('startinsert');
  await nvim.terminal.type('claude --permission-mode default');
  await nvim.terminal.key('Enter');
  await nvim.terminal.shows(/⧉ In a\.txt/);
});
