/** Which files agents may have opened and saved by the editor. */
import { BridgeError } from './errors.ts';
import type { AbsolutePath } from './ports.ts';
import { isInside, type Workspace } from './workspace.ts';

export interface ReachOptions {
  readonly workspace: Pick<Workspace, 'folders'>;
  /** The user lets them have any file. */
  readonly outside: boolean;
  /** Follows symbolic links: one that leads out of the workspace is outside. */
  readonly realPath: (path: AbsolutePath) => AbsolutePath;
}

export class Reach {
  constructor(private readonly options: ReachOptions) {}

  /** The file that a path leads to, as the system follows it. */
  realPath(path: AbsolutePath): AbsolutePath {
    return this.options.realPath(path);
  }

  /** @throws BridgeError `refused` for a file outside the workspace, unless the user allows it */
  check(path: AbsolutePath): void {
    const { workspace, outside, realPath } = this.options;
    if (outside) return;
    const real = realPath(path);
    if (workspace.folders.some((folder) => isInside(real, realPath(folder)))) return;
    const why = `Outside the workspace of the editor: ${path}`;
    throw new BridgeError(
      'refused',
      `${why}. The user can allow it by the option tools.outside_workspace of the editor.`,
    );
  }
}
