import path from 'node:path';
import { z } from 'zod';
import { lockNames } from './lock-names.ts';
import { readPlainFile } from './plain-file.ts';

/** The lock file of another editor. */
export interface OtherLock {
  readonly path: string;
  readonly pid: number;
  readonly ideName: string;
  readonly workspaceFolders: readonly string[];
}

const Content = z.object({
  pid: z.int().positive(),
  ideName: z.string().catch('unknown editor'),
  workspaceFolders: z.array(z.string()),
});

/** All lock files of a folder but one's own; what is not understood is left out. */
export function readOtherLocks(folder: string, own: string): readonly OtherLock[] {
  return lockNames(folder)
    .map((name) => path.join(folder, name))
    .filter((file) => file !== own)
    .flatMap((file) => {
      const content = read(file);
      return content ? [{ path: file, ...content }] : [];
    });
}

function read(file: string): z.output<typeof Content> | undefined {
  try {
    return Content.parse(JSON.parse(readPlainFile(file)?.text ?? ''));
  } catch {
    // Not a lock that this editor understands.
    return undefined;
  }
}
