import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  expectDead,
  hasKernel,
  isAlive,
  type KernelScene,
  kernelScene,
  type SceneOptions,
  textOf,
} from '../support/kernel.ts';
import { tempDir } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

let scene: KernelScene;
/** One kernel for what leaves none the worse. */
let shared: KernelScene | undefined;

afterEach(async () => {
  if (scene !== shared) await scene.dispose();
});
afterAll(() => shared?.dispose());

const share = (): KernelScene => {
  shared ??= kernelScene();
  scene = shared;
  return scene;
};

const start = (options: SceneOptions = {}): KernelScene => {
  scene = kernelScene(options);
  return scene;
};

/** A kernel that is a command, found before all others. */
function installKernel(name: string, argv: string[], more: object = {}): string {
  const folder = tempDir();
  fs.mkdirSync(path.join(folder, 'kernels', name), { recursive: true });
  const spec = { argv, display_name: name, language: 'python', ...more };
  fs.writeFileSync(path.join(folder, 'kernels', name, 'kernel.json'), JSON.stringify(spec));
  return folder;
}

describe.skipIf(!hasKernel)('a started kernel', () => {
  test('keeps its state between calls and tells results, text, images and errors apart', async () => {
    share();
    expect(await scene.run('x = 41')).toEqual({
      ok: true,
      output: [{ kind: 'text', text: '(no output)' }],
    });
    expect(
      await scene.run('import sys\nprint("out")\nprint("err", file=sys.stderr)\nx + 1'),
    ).toEqual({
      ok: true,
      output: [
        { kind: 'text', text: expect.stringMatching(/^(out\nerr|err\nout)\n$/) },
        { kind: 'text', text: '42' },
      ],
    });
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const code = `from IPython.display import Image, display
import base64
display(Image(data=base64.b64decode("${png}")))
shown = display("old", display_id=True)
print("between")
shown.update("new")`;
    expect(await scene.run(code)).toEqual({
      ok: true,
      output: [
        { kind: 'image', mimeType: 'image/png', data: png },
        { kind: 'text', text: "'new'" },
        { kind: 'text', text: 'between\n' },
      ],
    });
    const failed = await scene.run('print("before")\n1 / 0');
    expect(failed.ok).toBe(false);
    expect(textOf(failed)).toMatch(/^before\n.*ZeroDivisionError: division by zero$/s);
    expect(textOf(failed)).not.toContain('\x1b');
    const syntax = await scene.run('def');
    expect(syntax.ok).toBe(false);
    expect(textOf(syntax)).toContain('SyntaxError');
    expect(textOf(await scene.run('x'))).toBe('41');
  });

  test('runs in the folder of the notebook, and what is asked for as input is refused', async () => {
    share();
    expect(textOf(await scene.run('import os; print(os.getcwd())'))).toBe(`${scene.folder}\n`);
    const asked = await scene.run('input("name? ")');
    expect(asked.ok).toBe(false);
    expect(textOf(asked)).toContain('put the value into the code instead of calling input()');
  });

  test('long output is cut with a note', async () => {
    start({ max_output_bytes: 2_000 });
    const { ok, output } = await scene.run('for i in range(20000): print("line", i)');
    expect(ok).toBe(true);
    const text = textOf({ ok, output });
    expect(text).toMatch(/^line 0\n.*output truncated: \d+ bytes left out.*\nline 19999\n$/s);
    expect(Buffer.byteLength(text)).toBeLessThan(2_100);
  });

  test('code beyond the time limit is interrupted, and the state stays', async () => {
    start({ timeout_ms: 1_000 });
    await scene.run('kept = 1');
    const late = await scene.run('import time\nprint("begun", flush=True)\ntime.sleep(600)');
    expect(late.ok).toBe(false);
    expect(textOf(late)).toMatch(
      /^begun\n.*KeyboardInterrupt.*longer than 1 s .*was interrupted\.$/s,
    );
    expect(textOf(await scene.run('kept'))).toBe('1');
  });

  test('a cancelled call ends at once, its code is interrupted, later ones go on', async () => {
    share();
    await scene.run('import time; done = False');
    const abort = new AbortController();
    const marker = path.join(scene.folder, 'begun');
    const code = `open(${JSON.stringify(marker)}, "w").close()\ntime.sleep(600)\ndone = True`;
    const running = scene.run(code, { signal: abort.signal });
    const waiting = scene.run('never = 1', { signal: abort.signal });
    await waitFor(() => expect(fs.existsSync(marker)).toBe(true));
    const next = scene.run('print(done, "never" in dir())');
    abort.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    expect(textOf(await next)).toBe('False False\n');
  });

  test('a call that is cancelled as it is sent leaves nothing running', async () => {
    share();
    await scene.run('import time');
    for (const wait of [0, 1, 3, 6]) {
      const signal = AbortSignal.timeout(wait);
      const call = scene.run('time.sleep(600)', { signal });
      await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    }
    expect(textOf(await scene.run('print("free")'))).toBe('free\n');
  });

  test('calls at the same time run one after the other, in order', async () => {
    share();
    const calls = [1, 2, 3, 4].map((n) =>
      scene.run(`order = globals().get("order", []) + [${n}]\norder`),
    );
    const answers = await Promise.all(calls);
    expect(answers.map(textOf)).toEqual(['[1]', '[1, 2]', '[1, 2, 3]', '[1, 2, 3, 4]']);
  });

  test('a kernel that dies is told with what it said, and the next call has a new one', async () => {
    start();
    const pid = await scene.pid();
    const death = scene.run(
      'import os, signal\nprint("last words", flush=True)\nos.kill(os.getpid(), signal.SIGKILL)',
    );
    const queued = scene.run('1');
    const dead = await death;
    expect(dead.ok).toBe(false);
    expect(textOf(dead)).toContain('The kernel died: ended by SIGKILL. Its state is lost.');
    expect(textOf(await queued)).toContain('This code was not run.');
    expect(scene.notices).toEqual([
      expect.stringMatching(/^warn: Kernel python3 of demo\.py: .*died/),
    ]);
    expect(await scene.pid()).not.toBe(pid);
  });

  test('code that ignores interrupts does not hold the next calls up', async () => {
    start({ timeout_ms: 500 });
    const stubborn = `import time
while True:
  try:
    time.sleep(0.2)
  except KeyboardInterrupt:
    pass`;
    const late = await scene.run(stubborn);
    expect(textOf(late)).toContain('does not react to an interrupt');
    expect(textOf(await scene.run('1'))).toContain('still busy with earlier code');
    scene.service.handle({ kind: 'kernel-command', action: 'restart' });
    await waitFor(() =>
      expect(scene.notices).toContain('info: Kernel python3 of demo.py restarted'),
    );
    expect(textOf(await scene.run('1'))).toBe('1');
  });

  test('commands interrupt, restart and stop it', async () => {
    start();
    const pid = await scene.pid();
    await scene.run('state = 1; import time');
    const marker = path.join(scene.folder, 'begun');
    const running = scene.run(`open(${JSON.stringify(marker)}, "w").close()\ntime.sleep(600)`);
    await waitFor(() => expect(fs.existsSync(marker)).toBe(true));
    scene.service.handle({ kind: 'kernel-command', action: 'interrupt' });
    expect(textOf(await running)).toContain('KeyboardInterrupt');
    scene.service.handle({ kind: 'kernel-command', action: 'restart' });
    await waitFor(() =>
      expect(scene.notices.at(-1)).toBe('info: Kernel python3 of demo.py restarted'),
    );
    expect(textOf(await scene.run('state'))).toContain('NameError');
    expect(scene.service.describe()).toEqual(['python3 of demo.py']);
    scene.service.handle({ kind: 'kernel-command', action: 'stop' });
    await waitFor(() =>
      expect(scene.notices.at(-1)).toBe('info: Kernel python3 of demo.py stopped'),
    );
    expect(scene.service.describe()).toEqual([]);
    scene.service.handle({ kind: 'kernel-command', action: 'interrupt' });
    await waitFor(() => expect(scene.notices.at(-1)).toMatch(/^error: No kernel runs/));
    expect(isAlive(pid)).toBe(false);
  });

  test('each notebook has its own, and all end with the service', async () => {
    start();
    await scene.run('mine = 1');
    const first = await scene.pid();
    scene.notebook = { path: path.join(scene.folder, 'other.qmd'), kind: 'quarto', header: [] };
    expect(textOf(await scene.run('mine'))).toContain('NameError');
    const second = await scene.pid();
    const file = textOf(
      await scene.run(
        'from ipykernel.connect import get_connection_file; print(get_connection_file())',
      ),
    ).trim();
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    scene.service.handle({ kind: 'kernel-command', action: 'stop' });
    await waitFor(() => expect(scene.notices).toEqual([expect.stringMatching(/^error: Several/)]));
    const third = {
      path: path.join(scene.folder, 'third.py'),
      kind: 'percent',
      header: [],
    } as const;
    scene.notebook = third;
    const stopped = await scene.pid();
    scene.service.handle({ kind: 'kernel-command', action: 'stop', notebook: third });
    await waitFor(() =>
      expect(scene.notices.at(-1)).toBe('info: Kernel python3 of third.py stopped'),
    );
    expect([first, second, stopped].map(isAlive)).toEqual([true, true, false]);
    await scene.service.dispose();
    await scene.service.dispose();
    await expectDead(first);
    await expectDead(second);
    expect(fs.existsSync(path.dirname(file))).toBe(false);
    await expect(scene.run('1')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('what the code has started ends with it', async () => {
    start();
    const child = Number(
      textOf(await scene.run('import subprocess\nprint(subprocess.Popen(["sleep", "600"]).pid)')),
    );
    expect(isAlive(child)).toBe(true);
    await scene.service.dispose();
    await expectDead(child);
  });

  test('the kernel that the ipynb names is taken, with its environment', async () => {
    const { argv } = JSON.parse(
      fs.readFileSync('/usr/share/jupyter/kernels/python3/kernel.json', 'utf8'),
    );
    const JUPYTER_PATH = installKernel('mine', argv, { env: { GREETING: `hi from ${'$'}{HOME}` } });
    start({ variables: { JUPYTER_PATH } });
    const file = path.join(scene.folder, 'n.ipynb');
    fs.writeFileSync(
      file,
      JSON.stringify({ cells: [], metadata: { kernelspec: { name: 'mine' } } }),
    );
    scene.notebook = { path: file, kind: 'ipynb', header: [] };
    expect(textOf(await scene.run('import os; print(os.environ["GREETING"])'))).toBe(
      `hi from ${scene.folder}\n`,
    );
    expect(scene.service.describe()).toEqual(['mine of n.ipynb']);
    fs.rmSync(JUPYTER_PATH, { recursive: true });
  });

  test('a notebook that is given another kernel gets that one', async () => {
    start();
    const pid = await scene.pid();
    const { argv } = JSON.parse(
      fs.readFileSync('/usr/share/jupyter/kernels/python3/kernel.json', 'utf8'),
    );
    const user = path.join(scene.folder, '.local/share/jupyter/kernels/late');
    fs.mkdirSync(user, { recursive: true });
    fs.writeFileSync(path.join(user, 'kernel.json'), JSON.stringify({ argv, language: 'python' }));
    const header = ['# ---', '# jupyter:', '#   kernelspec:', '#     name: late', '# ---'];
    scene.notebook = { path: path.join(scene.folder, 'demo.py'), kind: 'percent', header };
    expect(await scene.pid()).not.toBe(pid);
    expect(scene.service.describe()).toEqual(['late of demo.py']);
    await expectDead(pid);
  });
});

describe('what keeps code from running', () => {
  test('no notebook, or one that is kept from agents', async () => {
    start({ excludes: (file) => file.endsWith('secret.py') });
    scene.notebook = { path: '/w/secret.py', kind: 'percent', header: [] };
    await expect(scene.run('1')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^No Jupyter notebook is open/),
    });
    scene.notebook = undefined;
    await expect(scene.run('1')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('the option that forbids it', async () => {
    start({ allow: 'never' });
    await expect(scene.run('1')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('kernel.allow'),
    });
  });

  test('the user, who is asked before anything starts', async () => {
    const JUPYTER_PATH = installKernel('python3', ['/no/such/python']);
    start({ allow: 'ask', variables: { JUPYTER_PATH, PATH: '' } });
    const refused = scene.run('print(1)', { session: 'claude' });
    await waitFor(() => expect(scene.questions).toHaveLength(1));
    expect(scene.questions[0]).toMatchObject({ kernel: 'python3 of demo.py', code: 'print(1)' });
    expect(scene.service.describe()).toEqual([]);
    scene.service.handle({ kind: 'code-answer', id: scene.questions[0]?.id ?? '', allowed: false });
    await expect(refused).rejects.toMatchObject({ code: 'refused' });
    expect(scene.service.describe()).toEqual([]);
    fs.rmSync(JUPYTER_PATH, { recursive: true });
  });

  test('a missing package, with the command that installs it', async () => {
    const root = tempDir();
    fs.writeFileSync(path.join(root, 'package.json'), '{}');
    const JUPYTER_PATH = installKernel('python3', ['/no/such/python']);
    start({ root, variables: { JUPYTER_PATH, PATH: '' } });
    await expect(scene.run('1')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/npm package zeromq.*npm install --include=optional/),
    });
    for (const folder of [root, JUPYTER_PATH]) fs.rmSync(folder, { recursive: true });
  });

  test('a kernel that is not installed', async () => {
    start({ name: 'no-such-kernel' });
    await expect(scene.run('1')).rejects.toThrow(
      /kernel no-such-kernel of demo\.py is not installed/,
    );
  });

  test.each([
    [
      'a program that fails',
      ['/bin/sh', '-c', 'echo "No module named ipykernel" >&2; exit 3'],
      /exit code 3 \(No module named ipykernel\)/,
    ],
    [
      'a program that is not there',
      ['/no/such/python'],
      /could not be started: ended with exit code 127/,
    ],
    ['a program that says nothing', ['/bin/sleep', '600'], /did not answer within 1 s/],
  ])('%s', async (_, argv, message) => {
    const JUPYTER_PATH = installKernel('broken', argv);
    start({ name: 'broken', startup_timeout_ms: 1_000, variables: { JUPYTER_PATH } });
    await expect(scene.run('1')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(message),
    });
    expect(scene.service.describe()).toEqual([]);
    fs.rmSync(JUPYTER_PATH, { recursive: true });
  });
});
