import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ForeignKernel,
  hasKernel,
  isAlive,
  type KernelScene,
  kernelScene,
  type SceneOptions,
  startForeignKernel,
  textOf,
} from '../support/kernel.ts';
import { waitFor } from '../support/wait-for.ts';

let scene: KernelScene;
let foreign: ForeignKernel;

const start = (options: SceneOptions = {}): KernelScene => {
  scene = kernelScene({ connection_file: foreign.file, ...options });
  return scene;
};

/** Somebody else's front end on the same kernel. */
const otherFrontEnd = () => kernelScene({ connection_file: foreign.file });

beforeEach(async () => {
  foreign = await startForeignKernel();
});
afterEach(async () => {
  await scene.dispose();
  await foreign.dispose();
});

describe.skipIf(!hasKernel)('a joined kernel', () => {
  test('is the one of the file, shares its state, and is left running', async () => {
    start();
    const other = otherFrontEnd();
    await other.run('shared = "yes"');
    expect(await scene.pid()).toBe(foreign.pid);
    expect(textOf(await scene.run('shared'))).toBe("'yes'");
    expect(scene.service.describe()).toEqual([foreign.file]);
    await scene.service.dispose();
    expect(textOf(await other.run('shared'))).toBe("'yes'");
    expect(isAlive(foreign.pid)).toBe(true);
    await other.dispose();
  });

  test('may be named by the notebook, and is interrupted by a message', async () => {
    start({ connection_file: undefined, timeout_ms: 1_000 });
    const { notebook } = scene;
    if (!notebook) throw new Error('no notebook');
    scene.notebook = { ...notebook, connectionFile: foreign.file };
    expect(await scene.pid()).toBe(foreign.pid);
    expect(textOf(await scene.run('import time; time.sleep(600)'))).toContain('was interrupted.');
    expect(textOf(await scene.run('1'))).toBe('1');
  });

  test('runs the code of others undisturbed, and ours does not wait where it cannot be taken back', async () => {
    start({ timeout_ms: 500 });
    await scene.run('1');
    const other = otherFrontEnd();
    const gate = path.join(scene.folder, 'gate');
    const begun = path.join(scene.folder, 'begun');
    const busy = other.run(`import os, time
open(${JSON.stringify(begun)}, "w").close()
while not os.path.exists(${JSON.stringify(gate)}): time.sleep(0.05)
"undisturbed"`);
    await waitFor(() => expect(fs.existsSync(begun)).toBe(true));
    const late = await scene.run('ran = 1');
    expect(late.ok).toBe(false);
    expect(textOf(late)).toMatch(/busy with other code.*was not run/);
    const signal = AbortSignal.timeout(100);
    await expect(scene.run('ran = 1', { signal })).rejects.toMatchObject({ code: 'cancelled' });
    fs.writeFileSync(gate, '');
    expect(textOf(await busy)).toBe("'undisturbed'");
    expect(textOf(await other.run('"ran" in dir()'))).toBe('False');
    await other.dispose();
  });

  test('cannot be restarted from here, but left', async () => {
    start();
    await scene.run('1');
    scene.service.handle({ kind: 'kernel-command', action: 'restart' });
    await waitFor(() => expect(scene.notices.at(-1)).toMatch(/^error: .*started elsewhere/));
    scene.service.handle({ kind: 'kernel-command', action: 'stop' });
    await waitFor(() => expect(scene.notices.at(-1)).toBe(`info: Left kernel ${foreign.file}`));
    expect(isAlive(foreign.pid)).toBe(true);
  });

  test('that ends is told, and a file of a kernel that has ended as well', async () => {
    start();
    await scene.run('1');
    const running = scene.run('import time; time.sleep(600)');
    foreign.kill();
    const answer = await running;
    expect(answer.ok).toBe(false);
    expect(textOf(answer)).toContain('started elsewhere, has ended');
    await expect(scene.run('1')).rejects.toThrow(/Nothing listens where .* says/);
  });

  test('whose key is another is not believed', async () => {
    start({ startup_timeout_ms: 2_000 });
    await scene.run('1');
    const info = JSON.parse(fs.readFileSync(foreign.file, 'utf8'));
    const forged = `${scene.folder}/forged.json`;
    fs.writeFileSync(forged, JSON.stringify({ ...info, key: 'wrong' }));
    const { notebook } = scene;
    if (!notebook) throw new Error('no notebook');
    scene.notebook = { ...notebook, connectionFile: forged };
    await expect(scene.run('1')).rejects.toThrow(/did not answer within 2 s/);
  });
});
