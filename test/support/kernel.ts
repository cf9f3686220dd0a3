/** A real Jupyter kernel for tests, which Debian's python3-ipykernel brings. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type {
  CodeQuestion,
  CodeResult,
  Notebook,
  NotebookPort,
} from '../../src/core/code-runner.ts';
import { createConnection, removeConnection } from '../../src/kernel/connection.ts';
import type { KernelOptions } from '../../src/kernel/options.ts';
import { KernelService } from '../../src/kernel/service.ts';
import { untilListening } from './listening.ts';
import { MemoryLogger } from './logger.ts';
import { PROJECT, tempDir } from './nvim.ts';
import { waitFor } from './wait-for.ts';

/** False skips the tests, except in CI, where they have to run. */
export const hasKernel =
  process.env['CI'] === 'true' || fs.existsSync('/usr/share/jupyter/kernels/python3/kernel.json');

export const DEFAULTS: KernelOptions = {
  allow: 'always',
  timeout_ms: 30_000,
  startup_timeout_ms: 30_000,
  max_output_bytes: 50_000,
  max_image_bytes: 1_000_000,
};

export interface KernelScene {
  readonly service: KernelService;
  /** Where the notebook lies, with every home and runtime folder. */
  readonly folder: string;
  readonly notices: string[];
  readonly questions: CodeQuestion[];
  /** The notebook in the editor; change it as a user would. */
  notebook: Notebook | undefined;
  run(code: string, options?: { session?: string; signal?: AbortSignal }): Promise<CodeResult>;
  /** The process id of the kernel of the current notebook. */
  pid(): Promise<number>;
  dispose(): Promise<void>;
}

export interface SceneOptions extends Partial<KernelOptions> {
  readonly variables?: Readonly<Record<string, string>>;
  readonly root?: string;
  excludes?(path: string): boolean;
}

export function kernelScene(options: SceneOptions = {}): KernelScene {
  const { variables, root = PROJECT, excludes = () => false, ...kernelOptions } = options;
  const folder = tempDir('claude-bridge-kernel-test-');
  const notices: string[] = [];
  const questions: CodeQuestion[] = [];
  const port: NotebookPort = {
    currentNotebook: async () => scene.notebook,
    ask: async (question) => void questions.push(question),
    withdraw: async () => {},
    notify: (level, message) => void notices.push(`${level}: ${message}`),
  };
  const service = new KernelService({
    port,
    options: { ...DEFAULTS, ...kernelOptions },
    machine: {
      home: folder,
      variables: { PATH: process.env['PATH'], HOME: folder, TMPDIR: os.tmpdir(), ...variables },
      platform: process.platform,
    },
    logger: new MemoryLogger(),
    root,
    excludes,
  });
  const scene: KernelScene = {
    service,
    folder,
    notices,
    questions,
    notebook: {
      path: path.join(folder, 'demo.py'),
      kind: 'percent',
      language: 'python',
      header: [],
    },
    run: (code, { session = 's', signal = new AbortController().signal } = {}) =>
      service.run({ code, session, signal }),
    pid: async () => Number(textOf(await scene.run('import os; print(os.getpid())'))),
    dispose: async () => {
      await service.dispose();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
  return scene;
}

export function textOf({ output }: CodeResult): string {
  return output.map((one) => (one.kind === 'text' ? one.text : `<${one.mimeType}>`)).join('\n');
}

export interface ForeignKernel {
  readonly file: string;
  readonly pid: number;
  kill(): void;
  dispose(): Promise<void>;
}

/** A kernel that somebody else has started. */
export async function startForeignKernel(): Promise<ForeignKernel> {
  const connection = await createConnection();
  const python = '/usr/bin/python3';
  const child = spawn(python, ['-m', 'ipykernel_launcher', '-f', connection.file], {
    // A group of its own, as a shell's job has: an interrupt goes to the whole group.
    detached: true,
    stdio: 'ignore',
    // It ends with this process, however that ends.
    env: { ...process.env, JPY_PARENT_PID: String(process.pid) },
  });
  await once(child, 'spawn');
  const { ip: host, shell_port, control_port, iopub_port } = connection.info;
  const ports = [shell_port, control_port, iopub_port];
  await Promise.all(ports.map((port) => untilListening({ host, port })));
  return {
    file: connection.file,
    pid: child.pid ?? 0,
    kill: () => void child.kill('SIGKILL'),
    dispose: async () => {
      child.kill('SIGKILL');
      await removeConnection(connection);
    },
  };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie, which only waits for its parent, is dead.
  const [, state] = /^State:\s+(\w)/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return state !== 'Z';
}

export const expectDead = (pid: number) =>
  waitFor(() => {
    if (isAlive(pid)) throw new Error(`process ${pid} still runs`);
  });

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return ''; // it has just gone, or this system has no /proc
  }
}
