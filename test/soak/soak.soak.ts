/** Random users and agents on a real Neovim for minutes, and nothing is left of it at the end. */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { startBridge, type TestBridge, whenReady } from '../support/bridge.ts';
import { removeFolder, tempDir } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';
import { Agents } from './agents.ts';
import { type Measure, measure } from './measure.ts';
import { Random } from './random.ts';
import { User } from './user.ts';

const MB = 1024 * 1024;
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10);
const SEED = Number(process.env['SOAK_SEED'] ?? Date.now() % 2 ** 31);
const FILES = ['a.txt', 'b.lua', 'sub/c.ts', 'ü d.md', 'crlf.txt', 'long.txt'];
/** Longer than any step may take. */
const STUCK_MS = 60_000;
/** Four ends within a minute are taken for a loop of crashes. */
const KILL_GAP_MS = 21_000;

const folder = tempDir();
let bridge: TestBridge | undefined;
afterAll(async () => {
  await bridge?.dispose();
  await removeFolder(folder);
});

const counts: Record<string, number> = {};
const count = (name: string) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

/** Whether Neovim answers, and in which mode it is. */
async function mode(): Promise<string> {
  const silent = new Promise<string>((resolve) =>
    setTimeout(() => resolve('Neovim does not answer'), 2_000),
  );
  const answer = bridge?.nvim.client.request('nvim_get_mode', []).then(JSON.stringify, String);
  return Promise.race([answer ?? 'no Neovim', silent]);
}

/** What was done last, the newest first. */
const trail: string[] = [];

/** A step that never ends is told by its name, and so is one that Neovim does not survive. */
async function limited<T>(what: string, work: Promise<T>): Promise<T> {
  trail.unshift(what);
  trail.length = Math.min(trail.length, 12);
  const child = bridge?.nvim.child;
  let timer: NodeJS.Timeout | undefined;
  let onExit = (): void => {};
  const late = new Promise<never>((_, reject) => {
    const fail = (how: string) =>
      reject(new Error(`${how}, seed ${SEED}, after ${trail.join(' < ')}`));
    timer = setTimeout(() => void mode().then((now) => fail(`stuck (${now})`)), STUCK_MS);
    onExit = () => fail(`Neovim ended by ${child?.signalCode ?? child?.exitCode}`);
    // What is tidied up after that must not hide it by waiting for an answer.
    if (child && (child.signalCode ?? child.exitCode) !== null) onExit();
    else child?.once('exit', onExit);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    child?.off('exit', onExit);
  }
}

/** Waits until the process serves, at the same place. */
async function ready(of: TestBridge): Promise<void> {
  const { port, token, lockFile } = of;
  expect(await whenReady(of.nvim)).toEqual({ port, token, lockFile });
}

const machine = {
  async kill(of: TestBridge) {
    const pid = await of.nodePid();
    process.kill(pid, 'SIGKILL');
    await waitFor(async () => expect(await of.nodePid()).not.toBe(pid));
  },
  async restart(of: TestBridge) {
    const pid = await of.nodePid();
    await of.nvim.command('ClaudeBridgeRestart');
    await waitFor(async () => expect(await of.nodePid()).not.toBe(pid));
  },
  async stopAndStart(of: TestBridge) {
    await of.nvim.command('ClaudeBridgeStop');
    await of.nvim.command('ClaudeBridgeStart');
  },
  async loseLock(of: TestBridge) {
    fs.rmSync(of.lockFile, { force: true });
    await waitFor(() => fs.accessSync(of.lockFile));
  },
};

async function play(
  of: TestBridge,
  random: Random,
  until: number,
  isRough: boolean,
): Promise<void> {
  const user = new User(of, random, FILES);
  const agents = new Agents(of, random, FILES);
  let lastFault = performance.now();
  try {
    while (performance.now() < until) {
      if (random.below(3) === 0) count(`user: ${await limited(user.next(), user.act())}`);
      else count(`agent: ${await limited(agents.next(), agents.act())}`);
      if (isRough && performance.now() - lastFault > KILL_GAP_MS) {
        await user.rest();
        const fault = random.of(Object.keys(machine) as (keyof typeof machine)[]);
        await limited(fault, machine[fault](of));
        await limited(`ready after ${fault}`, ready(of));
        count(`machine: ${fault}`);
        lastFault = performance.now();
      }
      if (random.below(50) === 0) await expectNoFault(of, user);
    }
  } finally {
    await limited('rest', user.rest());
    await limited('the end of the agents', agents.dispose());
  }
  await expectNoFault(of, user);
}

/** No error of ours was shown; the list of messages is as long as it is. */
async function expectNoFault(of: TestBridge, user: User): Promise<void> {
  await user.rest();
  const messages = await of.nvim.messages();
  expect(messages).not.toMatch(/claude_bridge\/|stack traceback|E5108|keeps ending/);
  await of.nvim.command('messages clear');
}

/** What a user closes at the end of the day. */
async function tidy(of: TestBridge): Promise<void> {
  const { nvim } = of;
  await nvim.input('<C-\\><C-n>');
  await waitFor(async () =>
    expect(
      await nvim.lua(`return vim.tbl_count(require('claude_bridge.review.state').reviews)`),
    ).toBe(0),
  );
  await nvim.lua(
    `
    vim.cmd('silent! tabonly! | silent! only! | silent! %bwipeout!')
    vim.cmd('cd ' .. vim.fn.fnameescape(...))
    if not require('claude_bridge.sharing').is_on() then vim.cmd('ClaudeSharing on') end
    vim.cmd('silent! %bwipeout!')`,
    [of.workspace],
  );
  for (const name of FILES) {
    await nvim.command(`silent edit ${path.join(of.workspace, name).replaceAll(' ', '\\ ')}`);
  }
  await nvim.command('silent! only!');
  // For ten seconds after an acceptance the file is looked at.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
}

function expectNothingLeft(before: Measure, after: Measure): void {
  const { rss: rssBefore, lua: luaBefore, ...nvimBefore } = before.nvim;
  const { rss, lua, ...nvim } = after.nvim;
  expect(nvim).toEqual(nvimBefore);
  expect(after.disk).toEqual(before.disk);
  expect(after.node.resources).toEqual(before.node.resources);
  expect(after.node.files).toBe(before.node.files);
  expect(after.node.heapUsed - before.node.heapUsed).toBeLessThan(8 * MB);
  expect(lua - luaBefore).toBeLessThan(4 * 1024);
  expect(rss - rssBefore).toBeLessThan(60 * MB);
}

function report(before: Measure, after: Measure): string {
  const rows = (['nvim', 'node', 'disk'] as const).flatMap((part) =>
    Object.entries(before[part]).map(([name, value]) => {
      const now = (after[part] as Record<string, unknown>)[name];
      return `  ${`${part} ${name}`.padEnd(20)} ${JSON.stringify(value)} -> ${JSON.stringify(now)}`;
    }),
  );
  const done = Object.entries(counts).sort(([a], [b]) => a.localeCompare(b));
  return [
    `Soak of ${MINUTES} minutes, seed ${SEED} (SOAK_SEED plays it again)`,
    ...done.map(([name, times]) => `  ${name.padEnd(24)} ${times}`),
    'Held before and after',
    ...rows,
    '',
  ].join('\n');
}

test(`${MINUTES} minutes, seed ${SEED}`, { timeout: (MINUTES + 2) * 60_000 }, async () => {
  const probe = path.join(folder, 'probe');
  const preload = fileURLToPath(new URL('probe.cjs', import.meta.url));
  const random = new Random(SEED);
  const layout = random.of(['vertical', 'horizontal', 'tab', 'inline']);
  count(`layout: ${layout}`);
  const lines = Array.from({ length: 200 }, (_, i) => `line ${i}`);
  const files = Object.fromEntries(FILES.map((name) => [name, `${lines.join('\n')}\n`]));
  const of = await startBridge({
    ui: true,
    files: { ...files, 'crlf.txt': lines.join('\r\n'), 'long.txt': 'x'.repeat(100_000) },
    args: ['a.txt'],
    env: { NODE_OPTIONS: `--expose-gc --require=${preload}`, SOAK_PROBE: probe },
    options: {
      diff: { layout },
      terminal: { cmd: ['cat'] },
      kernel: { allow: 'never' },
      log: { level: 'debug' },
    },
  });
  bridge = of;
  const begun = performance.now();
  const at = (share: number) => begun + MINUTES * 60_000 * share;
  // Roughly first; then a process that lives on has to show that it does not grow.
  await play(of, random, at(0.5), true);
  await play(of, random, at(0.6), false);
  await tidy(of);
  const before = await measure(of, probe);
  await play(of, random, at(1), false);
  await tidy(of);
  const after = await measure(of, probe);
  process.stdout.write(`\n${report(before, after)}`);
  expectNothingLeft(before, after);
});
