/** Faults of the machine. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { tempDir } from '../support/nvim.ts';

function mount(...args: string[]): boolean {
  return spawnSync('mount', args).status === 0;
}

function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder]);
}

/** Whether this user may mount file systems; containers often forbid it. */
export const canMount = ((): boolean => {
  const folder = tempDir('claude-bridge-mount-');
  const can = mount('-t', 'tmpfs', 'tmpfs', folder);
  if (can) unmount(folder);
  else
    process.stderr.write(
      '\nSKIPPED: tests of a full or read-only disk, since mount is refused\n\n',
    );
  fs.rmdirSync(folder);
  return can;
})();

/** A disk of its own, of 1 MB. */
export class SmallDisk {
  readonly path = tempDir('claude-bridge-disk-');
  readonly #ballast = path.join(this.path, 'ballast');

  constructor() {
    if (!mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', this.path)) throw new Error('not mounted');
  }

  /** Until not a byte more fits, nor a file. */
  fill(): void {
    for (const size of [64 * 1024, 1]) {
      try {
        for (;;) fs.appendFileSync(this.#ballast, Buffer.alloc(size));
      } catch {
        // Full, which is what was wanted.
      }
    }
  }

  free(): void {
    fs.rmSync(this.#ballast, { force: true });
  }

  /** For everybody, root too. */
  setReadOnly(isReadOnly: boolean): void {
    const option = `remount,${isReadOnly ? 'ro' : 'rw'}`;
    if (!mount('-o', option, this.path)) throw new Error('not remounted');
  }

  dispose(): void {
    unmount(this.path);
    fs.rmSync(this.path, { recursive: true, force: true });
  }
}
