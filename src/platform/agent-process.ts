/** Starts an agent as a child of this process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { BridgeError } from '../core/errors.ts';
import { LastWords } from '../core/last-words.ts';
import type { AgentCommand, AgentProcess, StartProcess } from '../core/pipe.ts';

/** How long an agent has to end by itself, and then to end when told to. */
const GRACE_MS = 2_000;
/** How long what it wrote last may take to arrive after its end. */
const DRAIN_MS = 500;

/** The agents that this process has started, so that none of them stays behind. */
export class AgentProcesses {
  readonly #running = new Set<number>();

  /** @throws BridgeError `unavailable` where the program cannot be started. */
  readonly start: StartProcess = async (command, onError) => {
    const started = await startProcess(command, onError);
    const { pid } = started;
    this.#running.add(pid);
    void started.exited.then(() => this.#running.delete(pid));
    return started;
  };

  /** At the end of this process, when there is no time left to ask. */
  killAll(): void {
    for (const pid of this.#running) kill(pid, 'SIGKILL');
    this.#running.clear();
  }
}

/** @throws BridgeError `unavailable` where the program cannot be started. */
export async function startProcess(
  { command, args, folder, env }: AgentCommand,
  onError: (line: string) => void,
): Promise<AgentProcess & { readonly pid: number }> {
  const child = spawn(command, [...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // The agent gets no part of what is typed at the editor's terminal, Ctrl-C among it.
    detached: process.platform !== 'win32',
  });
  const lastWords = new LastWords();
  createInterface({ input: child.stderr }).on('line', (line) => onError(lastWords.hear(line)));
  // A child that is gone is told by its exit.
  child.stdin.on('error', () => {});
  const closed = new Promise((resolve) => child.once('close', resolve));
  const exited = once(child, 'exit').then(async ([code, signal]: unknown[]) => {
    // What it has left behind may hold its output open for ever.
    await Promise.race([closed, setTimeout(DRAIN_MS, undefined, { ref: false })]);
    return lastWords.after(describe(command, code, signal));
  });
  // Without a listener the error of a failed start would be thrown.
  exited.catch(() => {});
  try {
    await once(child, 'spawn');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const why = missing ? 'it is not installed or not on the PATH' : String(error);
    throw new BridgeError('unavailable', `${command} cannot be started: ${why}`, { cause: error });
  }
  const { pid } = child;
  if (pid === undefined) throw new BridgeError('unavailable', `${command} has no process`);
  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    exited,
    stop: async () => {
      child.stdin.end();
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        if (await endsWithin(exited, signal === 'SIGTERM' ? 100 : GRACE_MS)) return;
        kill(pid, signal);
      }
      await exited;
    },
  };
}

/** Ends the agent and what it has started. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // It has ended by itself meanwhile.
  }
}

async function endsWithin(exited: Promise<string>, ms: number): Promise<boolean> {
  const over = new AbortController();
  const late = setTimeout(ms, false as const, { signal: over.signal }).catch(() => false as const);
  const ended = await Promise.race([exited.then(() => true as const), late]);
  over.abort();
  return ended;
}

function describe(command: string, code: unknown, signal: unknown): string {
  const how = typeof signal === 'string' ? `was ended by ${signal}` : `exited with code ${code}`;
  return `${command} ${how}`;
}
