/** Notices that files of the editor have changed on disk, whoever wrote them. */
import fs from 'node:fs';
import type { Disposable } from '../core/disposable.ts';
import type { Logger } from '../core/logger.ts';
import { FolderWatches, homesOf } from './folder-watches.ts';

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
  /**
   * A file that was changed no longer ago than this when its watch begins is told: the editor may
   * have read it before.
   */
  readonly recentMs: number;
  /** A file that is away no longer than this was written anew: some programs delete it first. */
  readonly goneMs: number;
}

const LIMITS: FileWatcherLimits = {
  settleMs: 30,
  pollMs: 200,
  expectMs: 10_000,
  recentMs: 5_000,
  goneMs: 300,
};

/** How often folders may change while their watches are being made. */
const MAX_ROUNDS = 3;

/** What tells one state of a file from another; undefined where there is no file. */
type Stamp = string | undefined;

/**
 * Watches the folders of the files, not the files: most programs write a new file and rename it.
 */
export class FileWatcher implements Disposable {
  readonly #options: FileWatcherOptions;
  readonly #limits: FileWatcherLimits;
  readonly #stamps = new Map<string, Stamp>();
  /** Of each watched file the folders in which its changes are seen. */
  readonly #homes = new Map<string, readonly string[]>();
  readonly #folders: FolderWatches;
  readonly #expected = new Map<string, number>();
  #settling: NodeJS.Timeout | undefined;
  #polling: NodeJS.Timeout | undefined;
  /** Files that are away, and since when, on the clock of `performance`. */
  readonly #away = new Map<string, number>();
  #waiting: NodeJS.Timeout | undefined;
  #suspects = new Set<string>();
  /** Folders in which something has happened. */
  #touched = new Set<string>();
  #disposed = false;

  constructor(options: FileWatcherOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#folders = new FolderWatches({
      logger: options.logger,
      onEvent: (folder) => this.#suspect(folder),
    });
  }

  /** Sets the files to watch; absolute paths. */
  watch(paths: readonly string[]): void {
    if (this.#disposed) return;
    const wanted = new Set(paths);
    for (const file of this.#stamps.keys()) {
      if (!wanted.has(file) && !this.#expected.has(file)) this.#stamps.delete(file);
    }
    for (const file of this.#homes.keys()) {
      if (!wanted.has(file)) this.#homes.delete(file);
    }
    const fresh = [...wanted].filter((file) => !this.#homes.has(file));
    // The watches first: what is written after the look at a file is seen by them.
    this.#settleIn(fresh);
    const recent = fresh.filter((file) => this.#isRecent(file));
    for (const file of fresh) {
      if (!this.#stamps.has(file)) this.#stamps.set(file, stampOf(file));
    }
    if (recent.length > 0) this.#options.onChange(recent);
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
    clearTimeout(this.#waiting);
    clearInterval(this.#polling);
    this.#folders.dispose();
    this.#stamps.clear();
    this.#homes.clear();
  }

  /** Folders come and go, also while their watches are being made. */
  #settleIn(files: Iterable<string>, touched?: ReadonlySet<string>): void {
    let moved = [...files];
    let round = 0;
    do {
      for (const file of moved) this.#homes.set(file, homesOf(file));
      this.#folders.set(new Set([...this.#homes.values()].flat()), touched);
      moved = moved.filter(
        (file) => homesOf(file).join('\n') !== this.#homes.get(file)?.join('\n'),
      );
    } while (moved.length > 0 && ++round < MAX_ROUNDS);
  }

  #isRecent(file: string): boolean {
    return !this.#stamps.has(file) && changedAt(file) > Date.now() - this.#limits.recentMs;
  }

  /** The name that comes with an event may be missing or of a temporary file: look at all. */
  #suspect(folder: string): void {
    this.#touched.add(folder);
    for (const [file, homes] of this.#homes) {
      if (homes.includes(folder)) this.#suspects.add(file);
    }
    this.#settling ??= setTimeout(() => this.#settle(), this.#limits.settleMs);
  }

  #settle(): void {
    this.#settling = undefined;
    const suspects = [...this.#suspects].filter((file) => this.#homes.has(file));
    const touched = this.#touched;
    this.#suspects = new Set();
    this.#touched = new Set();
    this.#settleIn(suspects, touched);
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
      const isSame = !this.#stamps.has(file) || this.#stamps.get(file) === stamp;
      if (!isSame && stamp === undefined && this.#mayComeBack(file)) continue;
      this.#away.delete(file);
      if (isSame) continue;
      this.#stamps.set(file, stamp);
      changed.push(file);
    }
    if (changed.length > 0) this.#options.onChange(changed);
  }

  #mayComeBack(file: string): boolean {
    const { goneMs } = this.#limits;
    const now = performance.now();
    const since = this.#away.get(file) ?? now;
    if (now - since >= goneMs) return false;
    this.#away.set(file, since);
    this.#waiting ??= setTimeout(() => this.#lookForAway(), goneMs);
    return true;
  }

  #lookForAway(): void {
    this.#waiting = undefined;
    this.#compare([...this.#away.keys()]);
  }
}

/** When the file was written, renamed or linked last, ms since the epoch; 0 where there is none. */
function changedAt(file: string): number {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0;
  } catch {
    return 0;
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
