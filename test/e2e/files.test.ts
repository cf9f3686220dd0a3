/** Files that are not plain: what is on disk afterwards is right to the byte. */
import { expect, test } from 'vitest';
import { VERSIONS } from './support/install.ts';
import { type Block, edit, read, write } from './support/model.ts';
import { ask, Scene } from './support/scene.ts';

const accepted = async (scene: Scene & Awaited<ReturnType<typeof Scene.play>>) => {
  await ask(scene.cli, 'edit');
  await scene.nvim.showsDiff();
  await scene.nvim.command('w');
};

test.each(VERSIONS)('%s: a CRLF file shows and changes the one line only', async (version) => {
  const scene = await Scene.play({
    files: { 'dos.txt': 'alpha\r\nbeta\r\ngamma\r\n' },
    version,
    script: (scene) => editOf(scene.path('dos.txt')),
  });
  await ask(scene.cli, 'edit');
  await scene.nvim.showsDiff();
  expect(await scene.nvim.changedLines()).toEqual([2]);
  await scene.nvim.command('w');
  await scene.diskBecomes('dos.txt', 'alpha\r\nBETA\r\ngamma\r\n');
  await scene.cli.shows(/done/);
  expect(scene.model.told()).not.toMatch(/user modified/);
});

test.each(VERSIONS)('%s: a file without a final newline keeps its end', async (version) => {
  const scene = await Scene.play({
    files: { 'bare.txt': 'alpha\nbeta' },
    version,
    script: (scene) => editOf(scene.path('bare.txt')),
  });
  await accepted(scene);
  await scene.diskBecomes('bare.txt', 'alpha\nBETA');
  await scene.cli.shows(/done/);
  expect(scene.model.told()).not.toMatch(/user modified/);
});

test('a new file in a missing folder comes to be when it is accepted', async () => {
  const scene = await Scene.play({
    files: { 'a.txt': 'alpha\n' },
    script: (scene) => [[write(scene.path('deep/er/new.txt'), 'one\ntwo\n')]],
  });
  await accepted(scene);
  await scene.diskBecomes('deep/er/new.txt', 'one\ntwo\n');
  await scene.nvim.showsNoDiff();
});

test('a rejected new file leaves nothing', async () => {
  const scene = await Scene.play({
    files: { 'a.txt': 'alpha\n' },
    script: (scene) => [[write(scene.path('deep/new.txt'), 'one\n')]],
  });
  await ask(scene.cli, 'edit');
  await scene.nvim.showsDiff();
  await scene.nvim.command('q');
  await scene.cli.shows(/rejected/i);
  await scene.nvim.showsNoDiff();
  expect(scene.disk('deep')).toBeUndefined();
});

const editOf = (file: string): Block[][] => [[read(file)], [edit(file, 'beta', 'BETA')]];
