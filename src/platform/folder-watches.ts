/** Watches folders; one that goes and comes back under its name is watched anew. */
import fs from 'node:fs';
import path from 'node:path';
import type { Disposable } from '../core/disposable.ts';
import { messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';

export interface FolderWatchesOptions {
  readonly logger: Logger;
  /** Something in the folder may have changed, or the folder itself. */
  readonly onEvent: (folder: string) => void;
}

interface Watch {
  readonly watcher: fs.FSWatcher;
  /** Tells the folder from another of the same name. */
  readonly inode: bigint | undefined;
}

export class FolderWatches implements Disposable {
  readonly #watches = new Map<string, Watch>();

  constructor(private readonly options: FolderWatchesOptions) {}

  /**
   * Sets the folders to watch; absolute paths.
   * @param touched those in which something has happened: they may be others of their name by now
   */
  set(folders: ReadonlySet<string>, touched: ReadonlySet<string> = new Set()): void {
    for (const [folder, { inode }] of this.#watches) {
      const isAnother = touched.has(folder) && inode !== inodeOf(folder);
      if (isAnother || !folders.has(folder)) this.#end(folder);
    }
    for (const folder of folders) this.#begin(folder);
  }

  dispose(): void {
    for (const folder of [...this.#watches.keys()]) this.#end(folder);
  }

  #begin(folder: string): void {
    if (this.#watches.has(folder)) return;
    const { logger, onEvent } = this.options;
    const inode = inodeOf(folder);
    try {
      const watcher = fs.watch(folder, { persistent: false }, () => onEvent(folder));
      watcher.on('error', (error) => {
        logger.debug('folder no longer watched', { error: messageOf(error) });
        if (this.#watches.get(folder)?.watcher === watcher) this.#end(folder);
      });
      this.#watches.set(folder, { watcher, inode });
    } catch (error) {
      // No right to look into it, or no watches left: an expected write is still looked for.
      logger.debug('folder not watched', { folder, error: messageOf(error) });
    }
  }

  #end(folder: string): void {
    this.#watches.get(folder)?.watcher.close();
    this.#watches.delete(folder);
  }
}

/**
 * The folders in which a change of the file is seen: its own, or while that is not there the one in
 * which it would be made; and that of the file to which a link leads.
 */
export function homesOf(file: string): string[] {
  const homes = new Set([existing(path.dirname(file))]);
  try {
    homes.add(path.dirname(fs.realpathSync(file)));
  } catch {
    // There is no file, or none that we may see.
  }
  return [...homes];
}

function existing(folder: string): string {
  const above = path.dirname(folder);
  return above === folder || fs.existsSync(folder) ? folder : existing(above);
}

function inodeOf(folder: string): bigint | undefined {
  try {
    return fs.statSync(folder, { throwIfNoEntry: false, bigint: true })?.ino;
  } catch {
    return undefined;
  }
}
