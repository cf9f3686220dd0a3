/** Starts a kernel's process and sees to it that it never outlives this one. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { AbsolutePath } from '../core/ports.ts';
import type { OwnConnection } from './connection.ts';
import type { KernelSpec } from './kernelspec.ts';

/**
 * Becomes the kernel, after it has left a guard in the kernel's process group. The guard reads a
 * pipe whose other end only this process holds; when that ends, by whatever death, the guard
 * removes the connection file and kills the group, itself included. Jupyter's own way, a parent
 * process id that the kernel watches, misses orphans that a session manager adopts, and kernels
 * that are not ipykernel.
 */
const GUARDED = `exec 3<&0 </dev/null
( (trap '' HUP INT TERM; read -r _ <&3; rm -f -- "$1"; rmdir -- "$2"; kill -s KILL -- "-$$") \
>/dev/null 2>&1 & )
exec 3<&-
shift 2
exec "$@"`;

const STDERR_KEPT = 4_000;

export interface KernelExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of what the process wrote to stderr since markStarted(), or at all. */
  readonly stderr: string;
}

export interface KernelProcess {
  readonly pid: number | undefined;
  /** Settles once, never rejects. */
  readonly exited: Promise<KernelExit>;
  /** As Ctrl-C in a terminal would: the kernel and what it has started. */
  interrupt(): void;
  /** What it said while it started does not explain its end. */
  markStarted(): void;
  kill(): void;
}

export interface LaunchOptions {
  readonly spec: KernelSpec;
  readonly connection: OwnConnection;
  readonly cwd: AbsolutePath;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

export function launchKernel(options: LaunchOptions): KernelProcess {
  const { connection, cwd, platform } = options;
  const [program = '', ...args] = kernelArguments(options);
  const guarded = platform !== 'win32';
  const command = guarded ? '/bin/sh' : program;
  const commandArgs = guarded
    ? ['-c', GUARDED, 'sh', connection.file, connection.folder, program, ...args]
    : args;
  const child = spawn(command, commandArgs, {
    cwd,
    env: kernelEnvironment(options),
    // Its own process group, so that an interrupt reaches its children and nobody else.
    detached: guarded,
    stdio: ['pipe', 'ignore', 'pipe'],
    windowsHide: true,
  });
  return watch(child, guarded);
}

function kernelArguments({ spec, connection }: LaunchOptions): string[] {
  const values: Readonly<Record<string, string>> = {
    connection_file: connection.file,
    resource_dir: spec.folder,
    prefix: path.resolve(spec.folder, '../../../..'),
  };
  return spec.argv.map((argument) =>
    argument.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole),
  );
}

function kernelEnvironment({ spec, variables }: LaunchOptions): NodeJS.ProcessEnv {
  const own = Object.entries(spec.env).map(([name, value]) => [
    name,
    value.replace(/\$\{(\w+)\}/g, (_, variable: string) => variables[variable] ?? ''),
  ]);
  return { ...variables, ...Object.fromEntries(own), JPY_PARENT_PID: String(process.pid) };
}

function watch(child: ChildProcess, isGroup: boolean): KernelProcess {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_KEPT);
  });
  // The pipe breaks when the guard goes; that the kernel has gone is told by 'exit'.
  child.stdin?.on('error', () => {});
  const exited = new Promise<KernelExit>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, stderr: error.message }));
    child.once('exit', (code, signal) => {
      // The guard ends what the kernel has left running.
      child.stdin?.destroy();
      // What it last wrote may still be on its way.
      setImmediate(() => resolve({ code, signal, stderr: stderr.trim() }));
    });
  });
  const send = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(isGroup ? -child.pid : child.pid, signal);
    } catch {
      // It has just gone.
    }
  };
  return {
    pid: child.pid,
    exited,
    interrupt: () => send('SIGINT'),
    markStarted: () => {
      stderr = '';
    },
    kill: () => {
      child.stdin?.destroy();
      send('SIGKILL');
    },
  };
}
