/** A kernel never outlives the process that started it. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULTS, expectDead, hasKernel, isAlive } from '../support/kernel.ts';
import { PROJECT, tempDir } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

const folder = tempDir();
const program = path.join(folder, 'owner.mjs');
let owner: ChildProcess | undefined;

/** Runs code that tells the pids of the kernel and of a child of it, and its connection file. */
const OWNER = `
import { KernelService } from ${JSON.stringify(path.join(PROJECT, 'src/kernel/service.ts'))};
const silent = () => {};
const service = new KernelService({
  port: {
    currentNotebook: async () => ({ path: ${JSON.stringify(path.join(folder, 'a.py'))}, kind: 'percent', header: [] }),
    ask: async () => {}, withdraw: async () => {}, notify: silent,
  },
  options: ${JSON.stringify(DEFAULTS)},
  machine: { home: ${JSON.stringify(folder)}, variables: process.env, platform: process.platform },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  root: ${JSON.stringify(PROJECT)},
  excludes: () => false,
});
const code = \`import json, os, subprocess
from ipykernel.connect import get_connection_file
child = subprocess.Popen(["sleep", "600"]).pid
print(json.dumps({"kernel": os.getpid(), "child": child, "file": get_connection_file()}))\`;
const { output } = await service.run({ code, session: 's', signal: new AbortController().signal });
console.log(output[0].text);
process.on('SIGTERM', () => process.exit(0));
`;

beforeAll(() => {
  buildSync({
    stdin: { contents: OWNER, resolveDir: PROJECT, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    logLevel: 'error',
  });
});
afterEach(() => void owner?.kill('SIGKILL'));

interface Running {
  kernel: number;
  child: number;
  file: string;
}

async function startOwner(): Promise<Running> {
  owner = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  owner.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return waitFor((): Running => JSON.parse(said));
}

describe.skipIf(!hasKernel)('when its owner', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)('ends by %s, the kernel is gone', async (signal) => {
    const { kernel, child, file } = await startOwner();
    expect([kernel, child].map(isAlive)).toEqual([true, true]);
    expect(fs.existsSync(file)).toBe(true);
    owner?.kill(signal);
    await expectDead(kernel);
    await expectDead(child);
    await waitFor(() => expect(fs.existsSync(path.dirname(file))).toBe(false));
  });

  test('lives on and the kernel is killed, the child of the kernel and the file are gone', async () => {
    const { kernel, child, file } = await startOwner();
    process.kill(kernel, 'SIGKILL');
    await expectDead(child);
    await waitFor(() => expect(fs.existsSync(path.dirname(file))).toBe(false));
    expect(owner?.exitCode).toBeNull();
  });
});
