/** Ends and new beginnings of either side. */
import process from 'node:process';
import { expect, test } from 'vitest';
import { edit, read } from './support/model.ts';
import { ask, QUESTION, Scene } from './support/scene.ts';

const files = { 'a.txt': 'alpha\nbeta\n' };
const script = (scene: Scene) => [
  [read(scene.path('a.txt'))],
  [edit(scene.path('a.txt'), 'beta', 'BETA')],
];

const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true; // no such process
  }
};

test('the CLI is killed during a review: the view goes, the bridge stays', async () => {
  const scene = await Scene.play({ files, script });
  await ask(scene.cli, 'edit');
  await scene.cli.shows(QUESTION);
  await scene.nvim.showsDiff();
  process.kill(await scene.cli.pid(), 'SIGKILL');
  await scene.nvim.showsNoDiff();
  expect(scene.lockFiles()).toHaveLength(1);
});

test.each(['quit', 'SIGKILL'])(
  'Neovim ends by %s and nothing of the bridge is left',
  async (how) => {
    const scene = await Scene.play({ files });
    const host = await scene.nvim.hostPid();
    if (how === 'quit') await scene.nvim.command('qa!');
    else process.kill(await scene.nvim.lua<number>('return vim.uv.os_getpid()'), 'SIGKILL');
    await expect.poll(() => isGone(host), { timeout: 10_000, interval: 20 }).toBe(true);
    expect(scene.lockFiles()).toEqual([]);
  },
);

test('Neovim is restarted: /ide connects the running CLI to the new one', async () => {
  const scene = await Scene.play({ files });
  await scene.nvim.command('qa!');
  await expect.poll(() => scene.lockFiles(), { timeout: 5_000 }).toEqual([]);
  const again = await scene.startNvim();
  await again.startBridge();
  await ask(scene.cli, '/ide');
  await scene.cli.shows(/Neovim/);
  await scene.cli.key('Up');
  await scene.cli.shows(/❯ +Neovim/);
  await scene.cli.key('Enter');
  await again.isConnected();
  await again.command('1ClaudeMention');
  await scene.cli.shows(/@a\.txt#L1/);
});

test('the bridge is restarted: the CLI comes back by itself', async () => {
  const scene = await Scene.play({ files });
  const port = await scene.port();
  const before = await scene.nvim.hostPid();
  await scene.nvim.command('ClaudeBridgeRestart');
  await expect.poll(() => isGone(before), { timeout: 10_000 }).toBe(true);
  await scene.nvim.isConnected();
  expect(scene.lockFiles()).toEqual([`${port}.lock`]);
  await scene.nvim.command('2ClaudeMention');
  await scene.cli.shows(/@a\.txt#L2/);
});
