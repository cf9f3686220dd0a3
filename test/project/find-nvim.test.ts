/** Which Neovim the scripts take. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { nvimBinary, PROJECT, tempDir } from '../support/nvim.ts';

const FINDER = path.join(PROJECT, 'scripts/lib/nvim.mjs');
const SCRIPT = `
  const { findNvim } = await import(process.argv[1]);
  await findNvim().then(console.log, (error) => console.log(error.message));`;

function folder(): string {
  const made = tempDir();
  onTestFinished(() => fs.rmSync(made, { recursive: true }));
  return made;
}

/** A program that says it is a Neovim of this version. */
function fakeNvim(version: string): string {
  const file = path.join(folder(), 'nvim');
  fs.writeFileSync(file, `#!/bin/sh\necho NVIM v${version}\n`, { mode: 0o755 });
  return file;
}

async function find(env: Record<string, string>): Promise<string> {
  const args = ['--input-type=module', '-e', SCRIPT, FINDER];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return stdout.trim();
}

test('the one that NVIM names, before the one on PATH', async () => {
  const named = fakeNvim('0.11.2');
  const onPath = fakeNvim('0.12.0');
  expect(await find({ NVIM: named, PATH: path.dirname(onPath) })).toBe(named);
  expect(await find({ PATH: path.dirname(onPath) })).toBe(onPath);
});

test('inside a :terminal NVIM is a socket and names no program', async () => {
  const socket = path.join(folder(), 'nvim.sock');
  const server = net.createServer().listen(socket);
  onTestFinished(() => void server.close());
  const onPath = fakeNvim('0.10.4');
  expect(await find({ NVIM: socket, PATH: path.dirname(onPath) })).toBe(onPath);
});

test('one that is too old is refused where it was named', async () => {
  const old = fakeNvim('0.9.5');
  expect(await find({ NVIM: old, PATH: '' })).toBe(`NVIM=${old} is no Neovim 0.10 or newer.`);
});

test('a real one is taken by its name too', async () => {
  const real = fs.realpathSync(nvimBinary());
  expect(await find({ NVIM: 'nvim', PATH: `${path.dirname(real)}:/bin:/usr/bin` })).toBe(
    path.join(path.dirname(real), 'nvim'),
  );
});
