/** Kernels that the bridge starts itself. */
import fs from 'node:fs';
import path from 'node:path';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { AbsolutePath } from '../core/ports.ts';
import { createConnection, type OwnConnection, removeConnection } from './connection.ts';
import type { Machine } from './jupyter-paths.ts';
import type { KernelSpec } from './kernelspec.ts';
import { type KernelExit, type KernelProcess, launchKernel } from './launch.ts';
import { KernelLink } from './link.ts';
import { settlesWithin, unlessAborted } from './promises.ts';
import type { KernelHandle } from './running-kernel.ts';
import type { ZeroMqLibrary } from './zeromq.ts';

export interface StartOptions {
  readonly spec: KernelSpec;
  readonly notebookPath: AbsolutePath;
  readonly label: string;
  readonly machine: Machine;
  readonly library: ZeroMqLibrary;
  readonly startupTimeoutMs: number;
  readonly logger: Logger;
  /** Ends the start. */
  readonly signal: AbortSignal;
}

/** How long a kernel has to shut down by itself, so that `atexit` of the user's code runs, ms. */
const SHUTDOWN_MS = 500;
/** How soon a killed process is gone, ms. */
const KILLED_MS = 300;
/** Another process may take a free port before the kernel does. */
const TRIES = 3;

/** @throws BridgeError `unavailable` with what the kernel said */
export async function startKernel(options: StartOptions): Promise<KernelHandle> {
  for (let tries = 1; ; tries += 1) {
    const started = Date.now();
    const attempt = await tryToStart(options);
    if ('handle' in attempt) {
      options.logger.info('kernel started', {
        kernel: options.spec.name,
        pid: attempt.pid,
        ms: Date.now() - started,
      });
      return attempt.handle;
    }
    if (tries === TRIES || !/address (already )?in use/i.test(attempt.why)) {
      throw new BridgeError(
        'unavailable',
        `The kernel ${options.label} could not be started: ${attempt.why}`,
      );
    }
  }
}

type Attempt =
  | { readonly handle: KernelHandle; readonly pid: number | undefined }
  | { readonly why: string };

async function tryToStart(options: StartOptions): Promise<Attempt> {
  const connection = await createConnection();
  let link: KernelLink | undefined;
  let kernel: KernelProcess | undefined;
  try {
    kernel = launch(options, connection);
    link = new KernelLink(options.library, connection.info);
    const ready = link.handshake().then(() => undefined);
    const dead = kernel.exited.then(describeExit);
    const first = unlessAborted(Promise.race([ready, dead]), options.signal);
    const inTime = await settlesWithin(first, options.startupTimeoutMs);
    const why = inTime
      ? await first
      : `it did not answer within ${options.startupTimeoutMs / 1000} s (option kernel.startup_timeout_ms)`;
    if (why === undefined) {
      kernel.markStarted();
      return { handle: ownHandle(options, connection, link, kernel), pid: kernel.pid };
    }
    await discard(connection, link, kernel);
    return { why };
  } catch (error) {
    await discard(connection, link, kernel);
    return { why: messageOf(error) };
  }
}

function launch({ spec, notebookPath, machine }: StartOptions, connection: OwnConnection) {
  const folder = path.dirname(notebookPath);
  return launchKernel({
    spec,
    connection,
    // The folder of a notebook that was never saved may not exist yet.
    cwd: fs.existsSync(folder) ? folder : machine.home,
    variables: machine.variables,
    platform: machine.platform,
  });
}

async function discard(connection: OwnConnection, link?: KernelLink, kernel?: KernelProcess) {
  link?.dispose();
  kernel?.kill();
  await removeConnection(connection);
}

function ownHandle(
  { spec, label, logger }: StartOptions,
  connection: OwnConnection,
  link: KernelLink,
  kernel: KernelProcess,
): KernelHandle {
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    link.request('control', 'shutdown_request', { restart: false });
    await settlesWithin(kernel.exited, SHUTDOWN_MS);
    await discard(connection, link, kernel);
    await settlesWithin(kernel.exited, KILLED_MS);
    logger.info('kernel ended', { kernel: spec.name, pid: kernel.pid });
  };
  return {
    link,
    label,
    isOwn: true,
    gone: kernel.exited.then(
      (exit) => `The kernel died: ${describeExit(exit)}. Its state is lost.`,
    ),
    interrupt: () => {
      if (spec.interruptMode === 'signal') kernel.interrupt();
      else link.request('control', 'interrupt_request', {}).dispose();
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function describeExit({ code, signal, stderr }: KernelExit): string {
  const last = stderr.split('\n').filter(Boolean).slice(-3).join(' | ');
  const how =
    signal !== null
      ? `ended by ${signal}`
      : code !== null
        ? `ended with exit code ${code}`
        : 'it could not be run';
  return last === '' ? how : `${how} (${last})`;
}
