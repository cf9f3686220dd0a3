/** Proposed edits: decided in Neovim, decided in the CLI, and what stands on disk afterwards. */
import { describe, expect, test } from 'vitest';
import { VERSIONS } from './support/install.ts';
import { edit, read, say } from './support/model.ts';
import { ask, decide, QUESTION, Scene } from './support/scene.ts';

const BEFORE = 'alpha\nbeta\ngamma\n';
const AFTER = 'alpha\nBETA\ngamma\n';

/** The agent has proposed one edit of a.txt, and both sides show it. */
async function proposed(version: string) {
  const scene = await Scene.play({ files: { 'a.txt': BEFORE }, version, script: editOfA });
  await ask(scene.cli, 'edit');
  await scene.cli.shows(QUESTION);
  await scene.nvim.showsDiff();
  return scene;
}

const editOfA = (scene: Scene) => [
  [read(scene.path('a.txt'))],
  [edit(scene.path('a.txt'), 'beta', 'BETA')],
];

describe.each(VERSIONS)('%s', (version) => {
  test('with diff.enabled off the CLI asks in its terminal alone', async () => {
    const scene = await Scene.play({
      files: { 'a.txt': BEFORE },
      version,
      script: editOfA,
      init: 'vim.g.claude_bridge = { diff = { enabled = false } }',
    });
    await ask(scene.cli, 'edit');
    await scene.cli.shows(QUESTION);
    await scene.nvim.terminal.shows(/Claude Code asks in its terminal/);
    await decide(scene.cli, 'Enter');
    await scene.diskBecomes('a.txt', AFTER);
    await expect.poll(() => scene.nvim.lines('a.txt')).toEqual(['alpha', 'BETA', 'gamma']);
    await scene.nvim.showsNoDiff();
    await scene.cli.shows(/done/);
  });

  test('accepted by :w, the CLI writes the file and the buffer shows it', async () => {
    const scene = await proposed(version);
    await scene.nvim.command('w');
    await scene.diskBecomes('a.txt', AFTER);
    await scene.nvim.showsNoDiff();
    await expect.poll(() => scene.nvim.lines('a.txt')).toEqual(['alpha', 'BETA', 'gamma']);
    await scene.cli.shows(/done/);
    expect(await scene.nvim.terminal.screen()).not.toMatch(/W1[12]|Press ENTER|\[O\]K/);
  });

  test('changed by the user, then :w', async () => {
    const scene = await proposed(version);
    await scene.nvim.terminal.type('ccBETA by hand');
    await scene.nvim.command('w');
    await scene.diskBecomes('a.txt', 'alpha\nBETA by hand\ngamma\n');
    await scene.nvim.showsNoDiff();
    await scene.modelHears(/user modified your proposed changes/);
  });

  test('rejected by :q', async () => {
    const scene = await proposed(version);
    await scene.nvim.command('q');
    await scene.cli.shows(/rejected/i);
    await scene.nvim.showsNoDiff();
    expect(scene.disk('a.txt')).toBe(BEFORE);
  });

  test('accepted in the CLI, the view goes away', async () => {
    const scene = await proposed(version);
    await decide(scene.cli, 'Enter');
    await scene.diskBecomes('a.txt', AFTER);
    await scene.nvim.showsNoDiff();
    await expect.poll(() => scene.nvim.lines('a.txt')).toEqual(['alpha', 'BETA', 'gamma']);
  });

  test.each([
    'ClaudeBridgeStop',
    'ClaudeBridgeRestart',
    "lua vim.uv.kill(vim.fn.jobpid(require('claude_bridge.host').job()), 'sigkill')",
  ])('%s decides nothing: the question in the CLI stays', async (command) => {
    const scene = await proposed(version);
    await scene.nvim.command(command);
    await scene.nvim.showsNoDiff();
    expect(scene.disk('a.txt')).toBe(BEFORE);
    await scene.cli.shows(QUESTION);
    await decide(scene.cli, 'Enter');
    await scene.diskBecomes('a.txt', AFTER);
    await scene.cli.shows(/done/);
  });

  test('rejected in the CLI, the view goes away', async () => {
    const scene = await proposed(version);
    await decide(scene.cli, 'Escape');
    await scene.nvim.showsNoDiff();
    expect(scene.disk('a.txt')).toBe(BEFORE);
  });
});

test('two edits in one turn are reviewed one after the other', async () => {
  const scene = await Scene.play({
    files: { 'a.txt': BEFORE },
    script: (scene) => [
      [read(scene.path('a.txt'))],
      [edit(scene.path('a.txt'), 'alpha', 'ALPHA'), edit(scene.path('a.txt'), 'gamma', 'GAMMA')],
    ],
  });
  await ask(scene.cli, 'edit');
  await scene.nvim.showsDiff();
  await scene.nvim.command('w');
  await scene.diskBecomes('a.txt', 'ALPHA\nbeta\ngamma\n');
  await scene.nvim.showsDiff();
  await scene.nvim.command('w');
  await scene.diskBecomes('a.txt', 'ALPHA\nbeta\nGAMMA\n');
  await scene.nvim.showsNoDiff();
});

test('unsaved text of the user outlives an accepted edit', async () => {
  const scene = await Scene.play({ files: { 'a.txt': BEFORE }, script: editOfA });
  await scene.nvim.terminal.type('Gomine');
  await scene.nvim.terminal.key('Escape');
  await ask(scene.cli, 'edit');
  await scene.nvim.showsDiff();
  await scene.nvim.command('w');
  await scene.diskBecomes('a.txt', AFTER);
  await scene.nvim.showsNoDiff();
  expect(await scene.nvim.lines('a.txt')).toContain('mine');
});

test('rejected with a reason: the agent in a terminal of Neovim takes it as the next prompt', async () => {
  const scene = await Scene.create({
    files: { 'a.txt': BEFORE },
    script: (scene) => [...editOfA(scene), [say('understood')]],
    init: `vim.g.claude_bridge = { terminal = { cmd = 'claude --permission-mode default' } }`,
  });
  const nvim = await scene.startNvim();
  await nvim.command('ClaudeBridgeTerminal');
  await nvim.isConnected();
  await nvim.terminal.shows(/❯/);
  await ask(nvim.terminal, 'edit');
  await nvim.showsDiff();
  await nvim.command('ClaudeDiffReject use a constant, !please');
  await scene.modelHears(/I rejected your edit of a\.txt: use a constant, !please/);
  expect(scene.disk('a.txt')).toBe(BEFORE);
  await nvim.terminal.shows(/understood/);
});
