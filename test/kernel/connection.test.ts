import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createConnection,
  endpoint,
  readConnection,
  removeConnection,
} from '../../src/kernel/connection.ts';
import { connectionPath } from '../../src/kernel/joined-kernel.ts';
import { tempDir } from '../support/nvim.ts';

let folder: string;
beforeEach(() => {
  folder = tempDir();
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const PORTS = { shell_port: 1, iopub_port: 2, stdin_port: 3, control_port: 4, hb_port: 5 };
const KEYED = { ...PORTS, key: 'k', signature_scheme: 'hmac-sha256', transport: 'tcp' };

function write(content: unknown): string {
  const file = path.join(folder, 'kernel-1.json');
  fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test('a new file is for its owner only, on loopback, with a key and five ports', async () => {
  const connection = await createConnection();
  const mode = (name: string) => fs.statSync(name).mode & 0o777;
  expect(mode(connection.file)).toBe(0o600);
  expect(mode(connection.folder)).toBe(0o700);
  expect(await readConnection(connection.file)).toEqual(connection.info);
  expect(connection.info).toMatchObject({ transport: 'tcp', ip: '127.0.0.1' });
  expect(connection.info.key).toMatch(/^[0-9a-f-]{36}$/);
  const { shell_port, iopub_port, stdin_port, control_port, hb_port } = connection.info;
  expect(new Set([shell_port, iopub_port, stdin_port, control_port, hb_port]).size).toBe(5);
  await removeConnection(connection);
  await removeConnection(connection);
  expect(fs.existsSync(connection.folder)).toBe(false);
});

test.each([
  [{ ...KEYED, ip: '127.0.0.1' }, 'tcp://127.0.0.1:1'],
  [{ ...KEYED, ip: 'localhost' }, 'tcp://localhost:1'],
  [{ ...KEYED, ip: '::1' }, 'tcp://[::1]:1'],
  [{ ...KEYED, ip: '/run/k', transport: 'ipc' }, 'ipc:///run/k-1'],
])('a file of %j is joined at %s', async (content, expected) => {
  expect(endpoint(await readConnection(write(content)), 'shell')).toBe(expected);
});

test.each([
  [{ ...KEYED, ip: '10.0.0.7' }, /listens on 10\.0\.0\.7.*this machine/],
  [{ ...KEYED, ip: '0.0.0.0' }, /this machine/],
  [{ ...KEYED, ip: '127.evil.example' }, /this machine/],
  [{ ...KEYED, ip: '127.0.0.1', shell_port: 0 }, /shell_port/],
  [{ ...KEYED, ip: '127.0.0.1', signature_scheme: 'rot13' }, /signature_scheme must be an HMAC/],
  [PORTS, /ip /],
  ['{', /cannot be used/],
])('a file of %j is refused', async (content, message) => {
  await expect(readConnection(write(content))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(message),
  });
});

test('a file that is not there is named', async () => {
  const file = path.join(folder, 'none.json');
  await expect(readConnection(file)).rejects.toThrow(`The connection file ${file} cannot be used`);
});

test('a bare name lies in the runtime folder of Jupyter', () => {
  const machine = {
    home: '/home/u',
    variables: { JUPYTER_RUNTIME_DIR: '/run/j' },
    platform: 'linux',
  } as const;
  expect(connectionPath('kernel-1.json', machine)).toBe('/run/j/kernel-1.json');
  expect(connectionPath('/tmp/k.json', machine)).toBe('/tmp/k.json');
  expect(connectionPath('~/k.json', machine)).toBe('/home/u/k.json');
});
