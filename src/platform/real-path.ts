import fs from 'node:fs';
import path from 'node:path';

/** Follows links; of a file that does not exist (yet), those of the folders that do. */
export function realPath(file: string): string {
  const missing: string[] = [];
  for (let at = file; ; at = path.dirname(at)) {
    try {
      return path.join(fs.realpathSync(at), ...missing);
    } catch {
      // Not there, or not for this user: what lies above it is.
      if (at === path.dirname(at)) return file;
      missing.unshift(path.basename(at));
    }
  }
}
