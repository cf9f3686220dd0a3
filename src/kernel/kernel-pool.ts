/** The kernels in use: one for each notebook, or one that several notebooks have joined. */
import type { KernelAction, Notebook } from '../core/code-runner.ts';
import type { AsyncDisposable } from '../core/disposable.ts';
import { BridgeError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { AbsolutePath } from '../core/ports.ts';
import { chooseKernel } from './choose-kernel.ts';
import { connectionPath, joinKernel } from './joined-kernel.ts';
import type { Machine } from './jupyter-paths.ts';
import { findKernels, type KernelSpec } from './kernelspec.ts';
import { kernelOf } from './notebook-metadata.ts';
import type { KernelOptions } from './options.ts';
import { startKernel } from './own-kernel.ts';
import { kernelLabel, RunningKernel } from './running-kernel.ts';
import { loadZeroMq } from './zeromq.ts';

export interface KernelPoolOptions {
  readonly options: KernelOptions;
  readonly machine: Machine;
  readonly logger: Logger;
  /** The plugin's folder, where its npm packages lie. */
  readonly root: AbsolutePath;
  /** A kernel has ended that nobody has stopped. */
  onLost(message: string): void;
}

/** The kernel that a notebook should run on. */
export interface Target {
  /** Same key, same kernel: its state is shared. */
  readonly key: string;
  /** For the user's eyes. */
  readonly label: string;
  readonly notebook: Notebook;
  readonly from:
    | { readonly kind: 'spec'; readonly spec: KernelSpec }
    | { readonly kind: 'file'; readonly file: AbsolutePath };
}

interface Entry {
  readonly target: Target;
  readonly kernel: Promise<RunningKernel>;
}

export class KernelPool implements AsyncDisposable {
  readonly #entries = new Map<string, Entry>();
  readonly #stopping = new AbortController();

  constructor(private readonly settings: KernelPoolOptions) {}

  /** @throws BridgeError `unavailable` where the kernel that is named is not installed */
  async targetOf(notebook: Notebook): Promise<Target> {
    const { options, machine } = this.settings;
    const key = this.#keyOf(notebook);
    const file = this.#joinedBy(notebook);
    if (file !== undefined) return { key, label: file, notebook, from: { kind: 'file', file } };
    const named = await kernelOf(notebook);
    const running = this.#entries.get(key)?.target;
    if (running?.from.kind === 'spec' && isSameName(named.name, running.from.spec.name)) {
      return running;
    }
    const spec = chooseKernel(notebook, named, options.name, await findKernels(machine));
    const label = kernelLabel(spec.name, notebook.path);
    return { key, label, notebook, from: { kind: 'spec', spec } };
  }

  /** The running kernel of a target, which is started or joined first where it has to be. */
  async kernelFor(target: Target): Promise<RunningKernel> {
    if (this.#stopping.signal.aborted) {
      throw new BridgeError('unavailable', 'The bridge is stopping.');
    }
    const entry = this.#entries.get(target.key);
    if (entry && entry.target.label === target.label) return entry.kernel;
    if (entry) {
      this.#entries.delete(target.key);
      void stopped(entry, 'The notebook was given another kernel.');
    }
    return this.#open(target);
  }

  /** What each kernel is called, for the status window. */
  labels(): string[] {
    return [...this.#entries.values()].map(({ target }) => target.label);
  }

  /**
   * Carries out a command of the user on the kernel of a notebook, or on the only one.
   * @returns what was done, as a line for the user
   */
  async act(action: KernelAction, notebook: Notebook | undefined): Promise<string> {
    const { target, kernel: opening } = this.#entryMeant(notebook);
    const kernel = await opening;
    const { label, isOwn } = kernel;
    if (action === 'interrupt') {
      kernel.interrupt();
      return `Kernel ${label} interrupted`;
    }
    if (action === 'restart' && !isOwn) {
      throw new BridgeError(
        'refused',
        `Kernel ${label} was started elsewhere: restart it there, or leave it with :ClaudeKernelStop`,
      );
    }
    this.#entries.delete(target.key);
    await kernel.stop(`The user has ${action === 'stop' ? 'stopped' : 'restarted'} the kernel.`);
    if (action === 'stop') return isOwn ? `Kernel ${label} stopped` : `Left kernel ${label}`;
    await this.kernelFor(target);
    return `Kernel ${label} restarted`;
  }

  /** Ends the kernels that were started here and leaves the others. */
  async dispose(): Promise<void> {
    this.#stopping.abort();
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map((entry) => stopped(entry, 'The bridge was stopped.')));
  }

  #joinedBy(notebook: Notebook): AbsolutePath | undefined {
    const { options, machine } = this.settings;
    const name = notebook.connectionFile ?? options.connection_file;
    return name === undefined ? undefined : connectionPath(name, machine);
  }

  #keyOf(notebook: Notebook): string {
    const file = this.#joinedBy(notebook);
    return file === undefined ? `notebook ${notebook.path}` : `file ${file}`;
  }

  #entryMeant(notebook: Notebook | undefined): Entry {
    const own = notebook && this.#entries.get(this.#keyOf(notebook));
    if (own) return own;
    const [only, another] = this.#entries.values();
    if (only && !another) return only;
    throw new BridgeError(
      'not-found',
      only
        ? 'Several kernels run: go to the notebook whose kernel you mean'
        : 'No kernel runs: it starts when an agent runs its first code',
    );
  }

  async #open(target: Target): Promise<RunningKernel> {
    const entry = { target, kernel: this.#connect(target) };
    this.#entries.set(target.key, entry);
    const isCurrent = (): boolean => this.#entries.get(target.key) === entry;
    try {
      const kernel = await entry.kernel;
      void kernel.ended.then((why) => {
        if (!isCurrent()) return;
        this.#entries.delete(target.key);
        this.settings.onLost(`Kernel ${target.label}: ${why}`);
      });
      return kernel;
    } catch (error) {
      if (isCurrent()) this.#entries.delete(target.key);
      throw error;
    }
  }

  async #connect({ from, label, notebook }: Target): Promise<RunningKernel> {
    const { options, machine, logger, root } = this.settings;
    const library = loadZeroMq(root);
    const { startup_timeout_ms: startupTimeoutMs } = options;
    const handle =
      from.kind === 'file'
        ? await joinKernel({ file: from.file, label, library, busyLimitMs: startupTimeoutMs })
        : await startKernel({
            spec: from.spec,
            notebookPath: notebook.path,
            label,
            machine,
            library,
            startupTimeoutMs,
            logger,
            signal: this.#stopping.signal,
          });
    return new RunningKernel(handle, {
      timeoutMs: options.timeout_ms,
      maxOutputBytes: options.max_output_bytes,
      maxImageBytes: options.max_image_bytes,
    });
  }
}

/** Never fails: a kernel that could not be started needs no stop. */
async function stopped({ kernel }: Entry, reason: string): Promise<void> {
  const running = await kernel.catch(() => undefined);
  await running?.stop(reason);
}

/** True where the notebook does not ask for another kernel than the running one. */
function isSameName(named: string | undefined, running: string): boolean {
  return named === undefined || named.toLowerCase() === running.toLowerCase();
}
