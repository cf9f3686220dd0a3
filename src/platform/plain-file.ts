import fs from 'node:fs';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;
/** Far more than any lock file holds. */
const MAX_BYTES = 1024 * 1024;

export interface PlainFile {
  readonly text: string;
  /** The permission bits. */
  readonly mode: number;
}

/** Undefined for anything but a regular file; a pipe at the path does not make this wait. */
export function readPlainFile(file: string): PlainFile | undefined {
  let handle: number | undefined;
  try {
    handle = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fs.fstatSync(handle);
    if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
    return { text: fs.readFileSync(handle, 'utf8'), mode: stats.mode & 0o777 };
  } catch {
    // Not there, not readable, or a link.
    return undefined;
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}
