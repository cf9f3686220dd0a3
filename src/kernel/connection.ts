/** Connection files: where a kernel listens and the key that signs its messages. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { BridgeError, messageOf } from '../core/errors.ts';

const Port = z.int().min(1).max(65_535);

const ConnectionFile = z.object({
  transport: z.enum(['tcp', 'ipc']).default('tcp'),
  ip: z.string().min(1),
  shell_port: Port,
  iopub_port: Port,
  stdin_port: Port,
  control_port: Port,
  hb_port: Port,
  key: z.string().default(''),
  signature_scheme: z
    .string()
    .regex(/^hmac-(sha256|sha384|sha512|sha1|md5)$/, 'must be an HMAC scheme such as hmac-sha256')
    .default('hmac-sha256'),
});
export type ConnectionInfo = z.output<typeof ConnectionFile>;

export type ChannelName = 'shell' | 'iopub' | 'stdin' | 'control';

export function endpoint(info: ConnectionInfo, channel: ChannelName): string {
  const port = info[`${channel}_port`];
  if (info.transport === 'ipc') return `ipc://${info.ip}-${port}`;
  const host = info.ip.includes(':') ? `[${info.ip}]` : info.ip;
  return `tcp://${host}:${port}`;
}

export interface OwnConnection {
  readonly info: ConnectionInfo;
  /** The private folder that holds nothing but the file. */
  readonly folder: string;
  readonly file: string;
}

/** Writes a connection file for a kernel that is about to start. */
export async function createConnection(): Promise<OwnConnection> {
  const [shell_port, iopub_port, stdin_port, control_port, hb_port] = await freePorts();
  const info: ConnectionInfo = {
    transport: 'tcp',
    ip: '127.0.0.1',
    shell_port,
    iopub_port,
    stdin_port,
    control_port,
    hb_port,
    key: randomUUID(),
    signature_scheme: 'hmac-sha256',
  };
  // mkdtemp makes the folder for its owner only.
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'claude-bridge-kernel-'));
  const file = path.join(folder, 'kernel.json');
  await fs.writeFile(file, JSON.stringify(info), { mode: 0o600, flag: 'wx' });
  return { info, folder, file };
}

export async function removeConnection({ folder }: OwnConnection): Promise<void> {
  await fs.rm(folder, { recursive: true, force: true });
}

/**
 * Reads the connection file of a kernel that runs.
 * @throws BridgeError `unavailable` saying what is wrong with the file
 */
export async function readConnection(file: string): Promise<ConnectionInfo> {
  const info = ConnectionFile.safeParse(await readJson(file));
  if (!info.success) {
    const { path: where, message } = info.error.issues[0] ?? { path: [], message: 'not usable' };
    throw unusable(file, `${where.join('.')} ${message}`.trim());
  }
  if (info.data.transport === 'tcp' && !isLoopback(info.data.ip)) {
    throw unusable(
      file,
      `the kernel listens on ${info.data.ip}, and only kernels of this machine are joined; forward its ports (jupyter's --ssh makes such a file) and name the file with 127.0.0.1`,
    );
  }
  return info.data;
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await fs.readFile(file, 'utf8'));
  } catch (error) {
    throw unusable(file, messageOf(error));
  }
}

function unusable(file: string, why: string): BridgeError {
  return new BridgeError('unavailable', `The connection file ${file} cannot be used: ${why}.`);
}

function isLoopback(ip: string): boolean {
  return ip === 'localhost' || ip === '::1' || (net.isIPv4(ip) && ip.startsWith('127.'));
}

/** Held all at once, so that no two are the same. */
async function freePorts(): Promise<[number, number, number, number, number]> {
  const servers = await Promise.all([listen(), listen(), listen(), listen(), listen()]);
  const [a, b, c, d, e] = servers.map(portOf);
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  if (!a || !b || !c || !d || !e) throw new BridgeError('unavailable', 'No free ports were found.');
  return [a, b, c, d, e];
}

function listen(): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function portOf(server: net.Server): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}
