/** Text of files that no buffer holds. */
import { readFile, stat } from 'node:fs/promises';
import { BridgeError } from '../core/errors.ts';
import { MESSAGE_LIMIT } from '../core/lines.ts';
import type { AbsolutePath } from '../core/ports.ts';
import { isMissing } from './workspace.ts';

/**
 * As a buffer would have it: without a byte order mark, and where it is no UTF-8, as Latin-1, which
 * every file can be read as and is written back by the same bytes.
 * @returns undefined where there is no such file.
 */
export async function textOnDisk(file: AbsolutePath): Promise<string | undefined> {
  if (!(await isRegular(file))) return undefined;
  const bytes = await readFile(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

/**
 * @returns false where there is no such file.
 * @throws BridgeError `refused` for what would hold up whoever reads or writes it.
 */
export async function isRegular(file: AbsolutePath): Promise<boolean> {
  try {
    const about = await stat(file);
    if (!about.isFile()) throw new BridgeError('refused', `${file} is no regular file`);
    if (about.size > MESSAGE_LIMIT) throw new BridgeError('refused', `${file} is too large`);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
