/** Kernels of somebody else, joined by their connection file and left running. */
import path from 'node:path';
import { BridgeError } from '../core/errors.ts';
import type { AbsolutePath } from '../core/ports.ts';
import { readConnection } from './connection.ts';
import { type Machine, runtimeFolder } from './jupyter-paths.ts';
import { KernelLink } from './link.ts';
import { settlesWithin } from './promises.ts';
import type { KernelHandle } from './running-kernel.ts';
import type { ZeroMqLibrary } from './zeromq.ts';

export interface JoinOptions {
  readonly file: AbsolutePath;
  readonly label: string;
  readonly library: ZeroMqLibrary;
  /** How long the kernel may be busy with other code before it answers. */
  readonly busyLimitMs: number;
}

/** A kernel on this machine takes a connection at once. */
const CONNECT_MS = 3_000;

/** A bare file name, as `%connect_info` prints it, lies in Jupyter's runtime folder. */
export function connectionPath(name: string, machine: Machine): AbsolutePath {
  const expanded = name.replace(/^~(?=\/|$)/, machine.home);
  return path.resolve(runtimeFolder(machine), expanded);
}

/** @throws BridgeError `unavailable` */
export async function joinKernel(options: JoinOptions): Promise<KernelHandle> {
  const { file, label, library, busyLimitMs } = options;
  const link = new KernelLink(library, await readConnection(file));
  try {
    if (!(await settlesWithin(link.connected, CONNECT_MS))) {
      throw unavailable(`Nothing listens where ${file} says: that kernel has ended.`);
    }
    if (!(await settlesWithin(link.handshake(), busyLimitMs))) {
      throw unavailable(
        `The kernel of ${file} did not answer within ${busyLimitMs / 1000} s: it is busy with other code, or the file is not its own.`,
      );
    }
  } catch (error) {
    link.dispose();
    throw error;
  }
  return {
    link,
    label,
    isOwn: false,
    gone: link.disconnected.then(() => 'The kernel, which was started elsewhere, has ended.'),
    interrupt: () => link.request('control', 'interrupt_request', {}).dispose(),
    close: () => {
      link.dispose();
      return Promise.resolve();
    },
  };
}

const unavailable = (message: string): BridgeError => new BridgeError('unavailable', message);
