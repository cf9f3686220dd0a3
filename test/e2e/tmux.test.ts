/** The agent outside Neovim, in a pane of tmux: started from Neovim, connected, typed to. */
import { expect, test } from 'vitest';
import { cliEnvironment } from './support/home.ts';
import { commandOf, NEWEST } from './support/install.ts';
import { edit, read, say } from './support/model.ts';
import { Scene } from './support/scene.ts';
import { Terminal } from './support/tmux.ts';

test('a split of tmux, by a command of the options', async () => {
  const scene = await Scene.create({
    files: { 'a.txt': 'alpha\nbeta\n' },
    script: (scene) => [
      [read(scene.path('a.txt'))],
      [edit(scene.path('a.txt'), 'beta', 'BETA')],
      [say('understood')],
    ],
  });
  const nvim = await scene.startNvim();
  const environment = Object.entries(cliEnvironment(scene.home, scene.model.port));
  await nvim.lua(
    `local cmd, tmux = ...
    local function run(arguments)
      return vim.trim(vim.fn.system(vim.list_extend(vim.deepcopy(tmux), arguments)))
    end
    local pane
    require('claude_bridge').setup({ terminal = {
      provider = 'external',
      cmd = cmd,
      external = function(argv, context)
        pane = run(vim.list_extend({ 'split-window', '-d', '-v', '-P', '-F', '#{pane_id}',
          '-c', context.cwd, '--' }, argv))
        _G.pane = pane
      end,
      send = function(text, options)
        run({ 'set-buffer', '-b', 'claude', '--', text })
        run({ 'paste-buffer', '-p', '-d', '-b', 'claude', '-t', pane })
        if options.submit then
          run({ 'send-keys', '-t', pane, 'Enter' })
        end
      end,
    } })`,
    [
      [
        'env',
        ...environment.map(([name, value]) => `${name}=${value}`),
        ...commandOf(NEWEST),
        '--permission-mode',
        'default',
      ],
      ['tmux', ...scene.tmux.server],
    ],
  );
  await nvim.command('ClaudeBridgeTerminal');
  await nvim.isConnected();
  const cli = new Terminal(scene.tmux, await nvim.lua<string>('return _G.pane'));
  await cli.shows(/⧉ In a\.txt/);

  await nvim.command('ClaudeSendText edit the "file"');
  await nvim.showsDiff();
  await nvim.command('ClaudeDiffReject use a constant');
  await scene.modelHears(/edit the "file"/);
  await scene.modelHears(/I rejected your edit of a\.txt: use a constant/);
  await cli.shows(/understood/);
  expect(scene.disk('a.txt')).toBe('alpha\nbeta\n');
});
