/** Runs the code of agents in the kernel of the notebook that the user looks at, with his leave. */
import type {
  CodeRequest,
  CodeResult,
  CodeRunner,
  KernelEvent,
  Notebook,
  NotebookPort,
} from '../core/code-runner.ts';
import type { AsyncDisposable } from '../core/disposable.ts';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { AbsolutePath } from '../core/ports.ts';
import { KernelPool, type KernelPoolOptions } from './kernel-pool.ts';
import { Permission } from './permission.ts';
import { unlessAborted, WorkQueue } from './promises.ts';

export interface KernelServiceOptions extends Omit<KernelPoolOptions, 'onLost'> {
  readonly port: NotebookPort;
  /** Files that agents are told nothing of. */
  excludes(path: AbsolutePath): boolean;
}

const NO_NOTEBOOK =
  'No Jupyter notebook is open: executeCode runs in the kernel of the notebook in the current Neovim window, which must be an .ipynb file, a script with "# %%" cells or a Quarto document (.qmd).';

export class KernelService implements CodeRunner, AsyncDisposable {
  readonly #permission: Permission;
  readonly #pool: KernelPool;
  readonly #turns = new Map<string, WorkQueue>();

  constructor(private readonly settings: KernelServiceOptions) {
    const { port } = settings;
    this.#permission = new Permission(port);
    this.#pool = new KernelPool({
      ...settings,
      onLost: (message) => port.notify('warn', message),
    });
  }

  async run(request: CodeRequest): Promise<CodeResult> {
    if (this.settings.options.allow === 'never') {
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
        void this.#tell(this.#pool.act(event.action, event.notebook));
        break;
    }
  }

  /** The kernels in use, a line each, for the status window. */
  describe(): string[] {
    return this.#pool.labels();
  }

  dispose(): Promise<void> {
    return this.#pool.dispose();
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
    const target = await this.#pool.targetOf(notebook);
    if (this.settings.options.allow === 'ask') {
      const question = { path: notebook.path, kernel: target.label, code: request.code };
      await this.#permission.obtain(request.session, question, request.signal);
    }
    const kernel = await unlessAborted(this.#pool.kernelFor(target), request.signal);
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

  async #tell(work: Promise<string>): Promise<void> {
    const { port } = this.settings;
    try {
      port.notify('info', await work);
    } catch (error) {
      port.notify('error', messageOf(error));
    }
  }
}
