/** Notices that files of the editor have changed on disk, whoever wrote them. */
import fs from 'node:fs';
import path from 'node:path';
import type { Disposable } from '../core/disposable.ts';
import { messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';

export interface FileWatcherOptions {
  readonly logger: Logger;
  /** Called with the files that changed, appeared or vanished; many changes come at once. */
  readonly onChange: (paths: readonly string[]) => void;
  readonly limits?: Partial<FileWatcherLimits>;
}

export interface FileWatcherLimits {
  /** Changes within this time are told together. */
  readonly settleMs: number;
  /** How often an expected write is looked for, and for how long: watches can miss one. */
  readonly pollMs: number;
  readonly expectMs: number;
}

const LIMITS: FileWatcherLimits = { settleMs: 30, pollMs: 200, expectMs: 10_000 };

/** What tells one state of a file from another; undefined where there is no file. */
type Stamp = string | undefined;

/**
 * Watches the folders of the files, not the files: most programs write a new file and rename it.
 */
export class FileWatcher implements Disposable {
  readonly #options: FileWatcherOptions;
  readonly #limits: FileWatcherLimits;
  readonly #stamps = new Map<string, Stamp>();
  readonly #folders = new Map<string, fs.FSWatcher>();
  readonly #expected = new Map<string, number>();
  #settling: NodeJS.Timeout | undefined;
  #polling: NodeJS.Timeout | undefined;
  #suspects = new Set<string>();
  #disposed = false;

  constructor(options: FileWatcherOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  /** Sets the files to watch; absolute paths. */
  watch(paths: readonly string[]): void {
    if (this.#disposed) return;
    const wanted = new Set(paths);
    for (const file of this.#stamps.keys()) {
      if (!wanted.has(file) && !this.#expected.has(file)) this.#stamps.delete(file);
    }
    for (const file of wanted) {
      if (!this.#stamps.has(file)) this.#stamps.set(file, stampOf(file));
    }
    this.#watchFolders();
  }

  /** An agent will write this file soon. */
  expect(file: string): void {
    if (this.#disposed) return;
    if (!this.#stamps.has(file)) this.#stamps.set(file, stampOf(file));
    this.#expected.set(file, Date.now() + this.#limits.expectMs);
    this.#polling ??= setInterval(() => this.#poll(), this.#limits.pollMs);
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#settling);
    clearInterval(this.#polling);
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
    this.#stamps.clear();
  }

  #watchFolders(): void {
    const wanted = new Set([...this.#stamps.keys()].map((file) => path.dirname(file)));
    for (const [folder, watcher] of this.#folders) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of wanted) this.#watchFolder(folder);
  }

  #watchFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    try {
      const watcher = fs.watch(folder, { persistent: false }, () => this.#suspect(folder));
      watcher.on('error', (error) => {
        this.#options.logger.debug('folder no longer watched', { error: messageOf(error) });
        watcher.close();
        this.#folders.delete(folder);
      });
      this.#folders.set(folder, watcher);
    } catch (error) {
      // A folder that does not exist yet, or no watches left: an expected write is still polled.
      this.#options.logger.debug('folder not watched', { folder, error: messageOf(error) });
    }
  }

  /** The name that comes with an event may be missing or of a temporary file: look at all. */
  #suspect(folder: string): void {
    for (const file of this.#stamps.keys()) {
      if (path.dirname(file) === folder) this.#suspects.add(file);
    }
    this.#settling ??= setTimeout(() => this.#settle(), this.#limits.settleMs);
  }

  #settle(): void {
    this.#settling = undefined;
    const suspects = this.#suspects;
    this.#suspects = new Set();
    this.#compare(suspects);
  }

  #poll(): void {
    this.#compare(new Set(this.#expected.keys()));
    const now = Date.now();
    for (const [file, until] of this.#expected) {
      if (until < now) this.#expected.delete(file);
    }
    if (this.#expected.size > 0) return;
    clearInterval(this.#polling);
    this.#polling = undefined;
  }

  #compare(files: Iterable<string>): void {
    const changed: string[] = [];
    for (const file of files) {
      const stamp = stampOf(file);
      if (!this.#stamps.has(file) || this.#stamps.get(file) === stamp) continue;
      this.#stamps.set(file, stamp);
      changed.push(file);
    }
    if (changed.length > 0) this.#options.onChange(changed);
  }
}

function stampOf(file: string): Stamp {
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false, bigint: true });
    return stat && `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
  } catch {
    // A folder on the way is closed to us: the file is as good as gone.
    return undefined;
  }
}
