/**
 * What an agent causes in the editor besides the view: at once where nothing of the like is under
 * way. What comes meanwhile is gathered, each file once, so that no agent can fill the editor's
 * queue.
 */
import { BridgeError } from '../core/errors.ts';
import type { AbsolutePath } from '../core/ports.ts';
import type { SessionEditor } from './ports.ts';

/** At a time: the editor reads each of them. */
const RELOADED = 10;
/** So many files wait to be looked at; of more, all that are open are. */
const CHANGED = 1_000;

type ReloadEditor = Pick<SessionEditor, 'reloadFiles' | 'openFiles'>;

export class Reloads {
  #waiting = new Set<AbsolutePath>();
  #tooMany = false;
  #running = false;

  constructor(
    private readonly editor: ReloadEditor,
    private readonly onFailed: (error: unknown) => void,
  ) {}

  add(paths: readonly AbsolutePath[]): void {
    if (!this.#tooMany) for (const path of paths) this.#waiting.add(path);
    if (this.#waiting.size > CHANGED) {
      this.#tooMany = true;
      this.#waiting.clear();
    }
    if (!this.#running) void this.#work();
  }

  dispose(): void {
    this.#waiting.clear();
    this.#tooMany = false;
  }

  async #work(): Promise<void> {
    this.#running = true;
    while (this.#waiting.size > 0 || this.#tooMany) {
      try {
        await this.#step();
      } catch (error) {
        this.onFailed(error);
      }
    }
    this.#running = false;
  }

  async #step(): Promise<void> {
    if (this.#tooMany) {
      this.#tooMany = false;
      const open = await this.editor.openFiles();
      for (const path of open) this.#waiting.add(path);
    }
    const paths = [...this.#waiting].slice(0, RELOADED);
    for (const path of paths) this.#waiting.delete(path);
    if (paths.length > 0) await this.editor.reloadFiles(paths);
  }
}

/** Files that wait to be opened; of more, the oldest are not. */
const OPENING = 20;

interface Opening {
  readonly line: number | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

export class Opens {
  /** The latest wish last. */
  readonly #waiting = new Map<AbsolutePath, Opening>();
  #running = false;

  constructor(private readonly editor: Pick<SessionEditor, 'openFile'>) {}

  /** Rejects where the editor does not open it, or too many others wait for the same. */
  open(path: AbsolutePath, line: number | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      // The later wish fulfils the earlier one too.
      this.#waiting.get(path)?.resolve();
      this.#waiting.delete(path);
      this.#waiting.set(path, { line, resolve, reject });
      if (this.#waiting.size > OPENING) this.#refuseOldest();
      if (!this.#running) void this.#work();
    });
  }

  #refuseOldest(): void {
    const [oldest] = this.#waiting;
    if (!oldest) return;
    this.#waiting.delete(oldest[0]);
    oldest[1].reject(new BridgeError('refused', `${OPENING} other files wait to be opened`));
  }

  async #work(): Promise<void> {
    this.#running = true;
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const [path, { line, resolve, reject }] = next;
      this.#waiting.delete(path);
      await this.editor.openFile(path, line).then(resolve, reject);
    }
    this.#running = false;
  }
}
