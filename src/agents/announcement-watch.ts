/**
 * Puts lock files back that others remove or change, as soon as they do: agents that start later
 * find this editor by nothing else.
 */
import type { Disposable } from '../core/disposable.ts';
import type { Logger } from '../core/logger.ts';
import { FileWatcher } from '../platform/file-watcher.ts';
import type { Announcement } from './announcement.ts';

export interface AnnouncementWatchOptions {
  readonly announcement: Pick<Announcement, 'paths' | 'ensure'>;
  readonly logger: Logger;
  readonly limits?: Partial<AnnouncementWatchLimits>;
}

export interface AnnouncementWatchLimits {
  /** Whoever removes the file each time it is back has won after so many times ... */
  readonly maxRestores: number;
  /** ... within this time, ms. */
  readonly windowMs: number;
}

const LIMITS: AnnouncementWatchLimits = { maxRestores: 10, windowMs: 60_000 };

export class AnnouncementWatch implements Disposable {
  readonly #options: AnnouncementWatchOptions;
  readonly #limits: AnnouncementWatchLimits;
  readonly #watcher: FileWatcher;
  /** When files were put back, on the clock of `performance`. */
  #restores: number[] = [];

  /** Call this when the lock files are written. */
  constructor(options: AnnouncementWatchOptions) {
    const { announcement, logger, limits } = options;
    this.#options = options;
    this.#limits = { ...LIMITS, ...limits };
    this.#watcher = new FileWatcher({ logger, onChange: () => this.#check() });
    this.#watcher.watch(announcement.paths);
  }

  dispose(): void {
    this.#watcher.dispose();
  }

  #check(): void {
    const { announcement, logger } = this.#options;
    const { maxRestores, windowMs } = this.#limits;
    const now = performance.now();
    this.#restores = this.#restores.filter((at) => now - at < windowMs);
    if (this.#restores.length >= maxRestores) {
      logger.warn('lock file not restored: something removes it each time');
      return;
    }
    if (announcement.ensure().every(({ state }) => state !== 'restored')) return;
    this.#restores.push(now);
    // The folder may be another one now, of the same name.
    this.#watcher.watch([]);
    this.#watcher.watch(announcement.paths);
  }
}
