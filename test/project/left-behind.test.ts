/** The programs of the tests end with the run that has started them, however that ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { afterEach, expect, test } from 'vitest';
import { isRunning } from '../support/bridge.ts';
import { PROJECT, tempDir } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

const counter = () => path.join(tempDir(), 'count');
const faulty = (fault: string) => ({
  script: 'acp-faulty.mjs',
  args: [],
  env: { TEST_FAULT: JSON.stringify({ at: 'start', fault, counter: counter() }) },
});

let parent: ChildProcess | undefined;
let child: number | undefined;
afterEach(() => {
  parent?.kill('SIGKILL');
  if (child !== undefined && isRunning(child)) process.kill(child, 'SIGKILL');
});

/** Starts a program as the product does, and tells its id as soon as it says anything. */
const PARENT = `
  const { spawn } = require('node:child_process');
  const [script, args, env] = process.argv.slice(1);
  const stdio = ['pipe', 'pipe', 'pipe'];
  const options = { stdio, detached: true, env: { ...process.env, ...JSON.parse(env) } };
  const child = spawn(process.execPath, [script, ...JSON.parse(args)], options);
  const tell = () => console.log(child.pid);
  child.stderr.on('data', tell);
  child.stdout.on('data', tell);
  const greeting = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } };
  child.stdin.write(JSON.stringify(greeting) + '\\n');`;

test.each([
  ['a hung agent', () => faulty('hung')],
  ['an agent that floods', () => faulty('floods')],
  ['an agent that waits', () => ({ script: 'acp-agent.mjs', args: [], env: {} })],
  [
    'a hung sid-code',
    () => {
      const options = JSON.stringify({ at: 'start', fault: 'hangs', counter: counter() });
      return { script: 'sid-code-child.mjs', args: ['ws://127.0.0.1:1', options], env: {} };
    },
  ],
] as const)('%s', async (_, program) => {
  const { script, args, env } = program();
  const file = path.join(PROJECT, 'test/support', script);
  const words = ['-e', PARENT, file, JSON.stringify(args), JSON.stringify(env)];
  parent = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  parent.stdout?.on('data', (text) => {
    said += text;
  });
  await waitFor(() => expect(said).toMatch(/^\d+\n/u));
  const pid = Number.parseInt(said, 10);
  child = pid;
  expect(isRunning(pid)).toBe(true);
  parent.kill('SIGKILL');
  await waitFor(() => expect(isRunning(pid)).toBe(false));
});
