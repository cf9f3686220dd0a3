/** The folders in which the user works, as the editor tells them. */
import type { Disposable } from './disposable.ts';
import { Emitter } from './emitter.ts';
import type { AbsolutePath } from './ports.ts';

export class Workspace {
  readonly #changes = new Emitter<readonly AbsolutePath[]>();
  #folders: readonly AbsolutePath[] = [];

  /** The working directory first. */
  get folders(): readonly AbsolutePath[] {
    return this.#folders;
  }

  onChange(listener: (folders: readonly AbsolutePath[]) => void): Disposable {
    return this.#changes.on(listener);
  }

  update(folders: readonly AbsolutePath[]): void {
    const before = this.#folders;
    if (folders.length === before.length && folders.every((f, i) => f === before[i])) return;
    this.#folders = [...folders];
    this.#changes.emit(this.#folders);
  }
}

/** Whether a path is the folder or lies in it, by their names alone. */
export function isInside(path: AbsolutePath, folder: AbsolutePath): boolean {
  const parent = folder.endsWith('/') ? folder : `${folder}/`;
  return path === folder || path.startsWith(parent);
}
