/** Where Jupyter keeps its data and the files of running kernels, as `jupyter --paths` says. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { AbsolutePath } from '../core/ports.ts';

export interface Machine {
  readonly home: AbsolutePath;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

const PYTHON_LIMIT_MS = 5_000;

/** Folders of shared Jupyter data, first found wins. */
export async function dataFolders(machine: Machine): Promise<AbsolutePath[]> {
  const { variables, platform } = machine;
  const listed = (variables['JUPYTER_PATH'] ?? '').split(path.delimiter);
  const prefix = await pythonPrefix(machine);
  const environment = prefix === undefined ? [] : [path.join(prefix, 'share', 'jupyter')];
  // Inside an environment its own kernels come before the user's, as Jupyter has it.
  const inEnvironment = Boolean(variables['VIRTUAL_ENV'] ?? variables['CONDA_PREFIX']);
  const user = userData(machine);
  const personal = inEnvironment ? [...environment, user] : [user, ...environment];
  const system =
    platform === 'win32'
      ? [path.join(variables['PROGRAMDATA'] ?? 'C:\\ProgramData', 'jupyter')]
      : ['/usr/local/share/jupyter', '/usr/share/jupyter'];
  return [...new Set([...listed, ...personal, ...system].filter(path.isAbsolute))];
}

/** Where the connection files of running kernels lie. */
export function runtimeFolder(machine: Machine): AbsolutePath {
  return machine.variables['JUPYTER_RUNTIME_DIR'] || path.join(userData(machine), 'runtime');
}

function userData({ home, variables, platform }: Machine): AbsolutePath {
  const named = variables['JUPYTER_DATA_DIR'];
  if (named) return named;
  if (platform === 'darwin') return path.join(home, 'Library', 'Jupyter');
  if (platform === 'win32') {
    return path.join(variables['APPDATA'] ?? path.join(home, 'AppData', 'Roaming'), 'jupyter');
  }
  return path.join(variables['XDG_DATA_HOME'] || path.join(home, '.local', 'share'), 'jupyter');
}

async function pythonPrefix({ variables }: Machine): Promise<AbsolutePath | undefined> {
  for (const program of ['python3', 'python']) {
    try {
      const { stdout } = await promisify(execFile)(
        program,
        ['-c', 'import sys; print(sys.prefix)'],
        { env: { ...variables }, timeout: PYTHON_LIMIT_MS },
      );
      return stdout.trim();
    } catch {
      // Not on PATH, or broken: the next one, or the other folders.
    }
  }
  return undefined;
}
