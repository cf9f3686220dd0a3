import fs from 'node:fs';

const LOCK_NAME = /^\d+\.lock$/;

/** The names of the lock files in a folder. */
export function lockNames(folder: string): string[] {
  try {
    return fs.readdirSync(folder).filter((name) => LOCK_NAME.test(name));
  } catch {
    // No folder, no locks; where it cannot be read, writing to it tells why.
    return [];
  }
}
