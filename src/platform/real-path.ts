import fs from 'node:fs';
import path from 'node:path';

/** Links after which the system gives up too. */
const MAX_LINKS = 40;

/**
 * Follows links; of a file that does not exist (yet), those of the folders that do, and the link
 * that leads to it: whoever writes there makes the file at its other end.
 */
export function realPath(file: string, links = 0): string {
  const missing: string[] = [];
  for (let at = file; ; at = path.dirname(at)) {
    try {
      return path.join(fs.realpathSync(at), ...missing);
    } catch {
      // Not there, or not for this user: what lies above it is.
      const target = links < MAX_LINKS ? targetOf(at) : undefined;
      if (target !== undefined) return realPath([target, ...missing].join(path.sep), links + 1);
      if (at === path.dirname(at)) return file;
      missing.unshift(path.basename(at));
    }
  }
}

/** Not normalized: what `..` after a link means, the system says. */
function targetOf(link: string): string | undefined {
  try {
    const target = fs.readlinkSync(link);
    return path.isAbsolute(target) ? target : `${path.dirname(link)}${path.sep}${target}`;
  } catch {
    return undefined;
  }
}
