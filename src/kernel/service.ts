/** Runs the code of agents: finds the notebook, asks the user, keeps one kernel for each notebook. */
import type {
  CodeRequest,
  CodeResult,
  CodeRunner,
  KernelAction,
  KernelEvent,
  Notebook,
  NotebookPort,
} from '../core/code-runner.ts';
import type { AsyncDisposable } from '../core/disposable.ts';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { AbsolutePath } from '../core/ports.ts';
import { chooseKernel } from './choose-kernel.ts';
import { connectionPath, joinKernel } from './joined-kernel.ts';
import type { Machine } from './jupyter-paths.ts';
import { findKernels, type KernelSpec } from './kernelspec.ts';
import { kernelOf } from './notebook-metadata.ts';
import type { KernelOptions } from './options.ts';
import { startKernel } from './own-kernel.ts';
import { Permission } from './permission.ts';
import { unlessAborted, WorkQueue } from './promises.ts';
import { kernelLabel, RunningKernel } from './running-kernel.ts';
import { loadZeroMq } from './zeromq.ts';

export interface KernelServiceOptions {
  readonly port: NotebookPort;
  readonly options: KernelOptions;
  readonly machine: Machine;
  readonly logger: Logger;
  /** The plugin's folder, where its npm packages lie. */
  readonly root: AbsolutePath;
  /** Files that agents are told nothing of. */
  excludes(path: AbsolutePath): boolean;
}

/** The kernel that a notebook should run on. */
interface Target {
  /** Same key, same kernel: its state is shared. */
  readonly key: string;
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

const NO_NOTEBOOK =
  'No Jupyter notebook is open: executeCode runs in the kernel of the notebook in the current Neovim window, which must be an .ipynb file, a script with "# %%" cells or a Quarto document (.qmd).';

export class KernelService implements CodeRunner, AsyncDisposable {
  readonly #permission: Permission;
  readonly #kernels = new Map<string, Entry>();
  readonly #turns = new Map<string, WorkQueue>();
  readonly #stopping = new AbortController();

  constructor(private readonly settings: KernelServiceOptions) {
    this.#permission = new Permission(settings.port);
  }

  async run(request: CodeRequest): Promise<CodeResult> {
    const { allow } = this.settings.options;
    if (allow === 'never') {
      throw new BridgeError(
        'refused',
        'The user does not allow agents to run code (option kernel.allow).',
      );
    }
    // One session's calls begin in the order in which they came, however long each has to look.
    const { answer } = await this.#turnsOf(request.session).run(request.signal, () =>
      this.#begin(request),
    );
    return answer;
  }

  handle(event: KernelEvent): void {
    switch (event.kind) {
      case 'code-answer':
        this.#permission.answer(event.id, event.allowed);
        break;
      case 'kernel-command':
        void this.#command(event.action);
        break;
    }
  }

  /** The kernels in use, a line each, for the status window. */
  describe(): string[] {
    return [...this.#kernels.values()].map(({ target }) => target.label);
  }

  /** Ends the kernels that were started here. */
  async dispose(): Promise<void> {
    this.#stopping.abort();
    const entries = [...this.#kernels.values()];
    this.#kernels.clear();
    await Promise.all(entries.map((entry) => stopped(entry, 'The bridge was stopped.')));
  }

  #turnsOf(session: string): WorkQueue {
    const known = this.#turns.get(session);
    if (known) return known;
    const turns = new WorkQueue();
    this.#turns.set(session, turns);
    return turns;
  }

  /** Settles when the code waits for its turn in the kernel. */
  async #begin(request: CodeRequest): Promise<{ answer: Promise<CodeResult> }> {
    const notebook = await this.#notebook();
    const target = await this.#targetOf(notebook);
    if (this.settings.options.allow === 'ask') {
      const question = { path: notebook.path, kernel: target.label, code: request.code };
      await this.#permission.obtain(request.session, question, request.signal);
    }
    const kernel = await unlessAborted(this.#kernelFor(target), request.signal);
    const answer = kernel.run(request);
    // Where the call is cancelled just now, nobody waits for it.
    answer.catch(() => {});
    return { answer };
  }

  async #notebook(): Promise<Notebook> {
    const notebook = await this.settings.port.currentNotebook();
    if (!notebook || this.settings.excludes(notebook.path)) {
      throw new BridgeError('unavailable', NO_NOTEBOOK);
    }
    return notebook;
  }

  async #targetOf(notebook: Notebook): Promise<Target> {
    const { options, machine } = this.settings;
    const joined = notebook.connectionFile ?? options.connection_file;
    if (joined !== undefined) {
      const file = connectionPath(joined, machine);
      return { key: `file ${file}`, label: file, notebook, from: { kind: 'file', file } };
    }
    const key = `notebook ${notebook.path}`;
    const named = await kernelOf(notebook);
    const running = this.#kernels.get(key)?.target;
    if (running?.from.kind === 'spec' && isSameName(named.name, running.from.spec.name)) {
      return running;
    }
    const spec = chooseKernel(notebook, named, options.name, await findKernels(machine));
    const label = kernelLabel(spec.name, notebook.path);
    return { key, label, notebook, from: { kind: 'spec', spec } };
  }

  async #kernelFor(target: Target): Promise<RunningKernel> {
    if (this.#stopping.signal.aborted)
      throw new BridgeError('unavailable', 'The bridge is stopping.');
    const entry = this.#kernels.get(target.key);
    if (entry && entry.target.label === target.label) return entry.kernel;
    if (entry) {
      // The notebook names another kernel than before.
      this.#kernels.delete(target.key);
      void stopped(entry, 'The notebook was given another kernel.');
    }
    return this.#open(target);
  }

  async #open(target: Target): Promise<RunningKernel> {
    const kernel = this.#connect(target);
    const entry = { target, kernel };
    this.#kernels.set(target.key, entry);
    const forget = (): void => {
      if (this.#kernels.get(target.key) === entry) this.#kernels.delete(target.key);
    };
    try {
      const opened = await kernel;
      void opened.ended.then((why) => {
        const isUnexpected = this.#kernels.get(target.key) === entry;
        forget();
        if (isUnexpected) this.settings.port.notify('warn', `Kernel ${target.label}: ${why}`);
      });
      return opened;
    } catch (error) {
      forget();
      throw error;
    }
  }

  async #connect({ from, label, notebook }: Target): Promise<RunningKernel> {
    const { options, machine, logger, root } = this.settings;
    const library = loadZeroMq(root);
    const { startup_timeout_ms: startupTimeoutMs, timeout_ms: timeoutMs } = options;
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
    const limits = {
      timeoutMs,
      maxOutputBytes: options.max_output_bytes,
      maxImageBytes: options.max_image_bytes,
    };
    return new RunningKernel(handle, limits);
  }

  async #command(action: KernelAction): Promise<void> {
    try {
      const done = await this.#act(action);
      this.settings.port.notify('info', done);
    } catch (error) {
      this.settings.port.notify('error', messageOf(error));
    }
  }

  async #act(action: KernelAction): Promise<string> {
    const entry = await this.#entryMeant();
    const kernel = await entry.kernel;
    const { label } = kernel;
    if (action === 'interrupt') {
      kernel.interrupt();
      return `Kernel ${label} interrupted`;
    }
    if (action === 'restart' && !kernel.isOwn) {
      throw new BridgeError(
        'refused',
        `Kernel ${label} was started elsewhere: restart it there, or leave it with :ClaudeKernelStop`,
      );
    }
    this.#kernels.delete(entry.target.key);
    await kernel.stop(`The user has ${action === 'stop' ? 'stopped' : 'restarted'} the kernel.`);
    if (action === 'stop') return kernel.isOwn ? `Kernel ${label} stopped` : `Left kernel ${label}`;
    await this.#kernelFor(entry.target);
    return `Kernel ${label} restarted`;
  }

  /** The kernel of the current notebook, or the only one. */
  async #entryMeant(): Promise<Entry> {
    const notebook = await this.settings.port.currentNotebook();
    const key = notebook && (await this.#targetOf(notebook)).key;
    const entry = key === undefined ? undefined : this.#kernels.get(key);
    if (entry) return entry;
    const [only, another] = this.#kernels.values();
    if (only && !another) return only;
    throw new BridgeError(
      'not-found',
      only
        ? 'Several kernels run: go to the notebook whose kernel you mean'
        : 'No kernel runs: it starts when an agent runs its first code',
    );
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
