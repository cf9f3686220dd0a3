/** Which files an agent may read and write by way of the editor. */
import { readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { BridgeError } from '../core/errors.ts';
import type { AbsolutePath } from '../core/ports.ts';

/**
 * The real path of a file inside one of the folders; links are followed, also in folders above a
 * file that does not exist yet.
 * @throws BridgeError `refused` for any other file.
 */
export async function insideWorkspace(
  file: string,
  folders: readonly AbsolutePath[],
): Promise<AbsolutePath> {
  if (!path.isAbsolute(file)) {
    throw new BridgeError('invalid-argument', `${file} is no absolute path`);
  }
  const real = await realPath(file);
  for (const folder of folders) {
    const relative = path.relative(await realPath(folder), real);
    const inside = relative !== '..' && !relative.startsWith(`..${path.sep}`);
    if (inside && !path.isAbsolute(relative)) return real;
  }
  throw new BridgeError('refused', `${file} is outside of the workspace`);
}

/** Links after which the system gives up too. */
const MAX_LINKS = 40;

async function realPath(file: string, links = 0): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    const parent = path.dirname(file);
    if (parent === file || !isMissing(error)) throw error;
    // Whoever writes to a link that leads to no file makes the file at its other end.
    const target = await readlink(file).catch(() => undefined);
    if (target === undefined) return path.join(await realPath(parent, links), path.basename(file));
    if (links >= MAX_LINKS) throw error;
    // Not normalized: what `..` after a link means, the system says.
    const to = path.isAbsolute(target) ? target : `${parent}${path.sep}${target}`;
    return realPath(to, links + 1);
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
