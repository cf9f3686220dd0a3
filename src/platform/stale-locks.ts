import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { lockNames } from './lock-names.ts';
import { readPlainFile } from './plain-file.ts';

const LockContent = z.object({ pid: z.int().positive() });

export interface SweepOptions {
  readonly folder: string;
  readonly logger: Logger;
  isAlive(pid: number): boolean;
}

/**
 * Removes the locks of editors that ended without removing theirs. A file that tells no process id
 * is somebody else's and stays.
 */
export function sweepStaleLocks({ folder, logger, isAlive }: SweepOptions): void {
  for (const name of lockNames(folder)) {
    const file = path.join(folder, name);
    const pid = ownerOf(file);
    if (pid === undefined || isAlive(pid)) continue;
    try {
      fs.unlinkSync(file);
      logger.info('stale lock file removed', { path: file, pid });
    } catch (error) {
      // Another editor that starts now may have been faster.
      logger.debug('stale lock file not removed', { path: file, error: messageOf(error) });
    }
  }
}

function ownerOf(file: string): number | undefined {
  try {
    return LockContent.parse(JSON.parse(readPlainFile(file)?.text ?? '')).pid;
  } catch {
    // Not a lock that this editor understands.
    return undefined;
  }
}
