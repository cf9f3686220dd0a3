/** Code that an agent runs, through the whole product. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import { expectDead, hasKernel, isAlive } from '../support/kernel.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge;
afterEach(() => bridge?.dispose());

const start = async (options: object = {}): Promise<TestBridge> => {
  bridge = await startBridge({
    ui: true,
    files: { 'demo.py': '# %%\nx = 1\n', 'plain.txt': 'plain\n' },
    args: ['demo.py'],
    options: { kernel: options },
  });
  return bridge;
};
const always = { allow: 'always' };
/** The kernels are looked for first, by programs that may be slow to start. */
const isAsked = () =>
  waitFor(async () => expect(await bridge.nvim.messages()).toContain(':ClaudeKernelAllow'));
const PID = 'import os; print(os.getpid())';

test('without a notebook the answer says what is missing', async () => {
  await start(always);
  await bridge.nvim.command('edit plain.txt');
  const peer = await bridge.peer();
  const { content, isError } = await peer.call('executeCode', { code: '1' });
  expect(isError).toBe(true);
  expect(content).toEqual([
    { type: 'text', text: expect.stringMatching(/^No Jupyter notebook is open/) },
  ]);
});

describe.skipIf(!hasKernel)('with a kernel', () => {
  test('the user is asked once; text, images and errors arrive as blocks', async () => {
    await start();
    const peer = await bridge.peer();
    const first = peer.call('executeCode', { code: 'y = 20' });
    await isAsked();
    await bridge.nvim.command('ClaudeKernelAllow');
    expect(await first).toEqual({ content: [{ type: 'text', text: '(no output)' }] });
    const code = `from IPython.display import Image, display
print("sum")
display(Image(data=b"\\x89PNG\\r\\n\\x1a\\n" + b"x" * 20))
y + 1`;
    expect(await peer.call('executeCode', { code })).toEqual({
      content: [
        { type: 'text', text: 'sum\n' },
        { type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgp4/) },
        { type: 'text', text: '21' },
      ],
    });
    expect(await peer.call('executeCode', { code: 'raise ValueError("no")' })).toEqual({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(/ValueError: no$/) }],
    });
    await bridge.nvim.command('ClaudeKernelRestart');
    await waitFor(async () => expect(await bridge.nvim.messages()).toContain('restarted'));
    expect(await peer.callTexts('executeCode', { code: 'y' })).toEqual([
      expect.stringContaining('NameError'),
    ]);
  });

  test('a refusal is told to the agent, and nothing runs', async () => {
    await start();
    const peer = await bridge.peer();
    const marker = path.join(bridge.workspace, 'ran');
    const call = peer.call('executeCode', { code: `open(${JSON.stringify(marker)}, "w")` });
    await isAsked();
    await bridge.nvim.command('ClaudeKernelRefuse');
    const { content, isError } = await call;
    expect(isError).toBe(true);
    expect(content).toEqual([{ type: 'text', text: expect.stringContaining('did not allow') }]);
    expect(fs.existsSync(marker)).toBe(false);
  });

  test('a cancelled call interrupts its code', async () => {
    await start(always);
    const peer = await bridge.peer();
    const marker = path.join(bridge.workspace, 'begun');
    const code = `import time\nopen(${JSON.stringify(marker)}, "w").close()\ntime.sleep(600)`;
    const call = peer.call('executeCode', { code }, 'long').catch(() => undefined);
    await waitFor(() => expect(fs.existsSync(marker)).toBe(true));
    peer.cancel('long');
    expect(await peer.callTexts('executeCode', { code: '"free"' })).toEqual(["'free'"]);
    void call;
  });

  const ends: Record<string, (b: TestBridge) => Promise<unknown>> = {
    ':ClaudeBridgeStop': (b) => b.nvim.command('ClaudeBridgeStop'),
    ':qa!': async (b) => void b.nvim.client.command('qa!').catch(() => {}),
    'kill -9 of Neovim': async (b) => b.nvim.child.kill('SIGKILL'),
    'kill -9 of node': async (b) => process.kill(await b.nodePid(), 'SIGKILL'),
  };
  test.each(Object.keys(ends))('%s ends the kernel', async (way) => {
    await start(always);
    const peer = await bridge.peer();
    const [said] = await peer.callTexts('executeCode', { code: PID });
    const pid = Number(said);
    expect(isAlive(pid)).toBe(true);
    await ends[way]?.(bridge);
    await expectDead(pid);
  });
});
