/**
 * The file by which agents find this editor. All work is synchronous: the file is small, steps of
 * an update, a repair and a removal never mix, and the removal works at the end of the process.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { readPlainFile } from './plain-file.ts';

export interface LockFileOptions {
  readonly folder: string;
  readonly port: number;
  /** Stands in the content; a file that holds it is ours. */
  readonly token: string;
  readonly logger: Logger;
}

/** Whether the file was as it should be, is so again, or cannot be. */
export type LockFileState = 'present' | 'restored' | 'missing';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;

export class LockFile {
  readonly path: string;
  readonly #options: LockFileOptions;
  #text: string | undefined;

  constructor(options: LockFileOptions) {
    this.#options = options;
    this.path = path.join(options.folder, `${options.port}.lock`);
  }

  /**
   * Writes the file whole, over whatever is at its place.
   * @throws BridgeError `startup-failed`; a file that was there stays as it was.
   */
  write(content: Readonly<Record<string, unknown>>): void {
    const text = JSON.stringify(content);
    try {
      makePrivateFolder(this.#options.folder);
      replaceFile(this.path, text);
    } catch (error) {
      const why = `Cannot write the lock file ${this.path}: ${messageOf(error)}`;
      throw new BridgeError(
        'startup-failed',
        `${why}. Agents find this editor by it; make its folder writable and yours.`,
        { cause: error },
      );
    }
    this.#text = text;
  }

  /** Puts the file back where something removed or replaced it. */
  ensure(): LockFileState {
    if (this.#text === undefined) return 'missing';
    const found = readPlainFile(this.path);
    if (found?.text === this.#text && found.mode === PRIVATE_FILE) return 'present';
    try {
      makePrivateFolder(this.#options.folder);
      replaceFile(this.path, this.#text);
    } catch (error) {
      this.#options.logger.warn('lock file not restored', { error: messageOf(error) });
      return 'missing';
    }
    this.#options.logger.warn('lock file was missing or changed, restored', { path: this.path });
    return 'restored';
  }

  /** Takes the file away if it is still ours; it is not restored after this. */
  remove(): void {
    this.#text = undefined;
    if (!readPlainFile(this.path)?.text.includes(this.#options.token)) return;
    try {
      fs.unlinkSync(this.path);
    } catch (error) {
      this.#options.logger.warn('lock file not removed', { error: messageOf(error) });
    }
  }
}

/** The mode of a folder that exists already is set too. */
function makePrivateFolder(folder: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const { mode, uid } = fs.statSync(folder);
  if ((mode & 0o777) === PRIVATE_FOLDER) return;
  try {
    fs.chmodSync(folder, PRIVATE_FOLDER);
  } catch (error) {
    // Some mounted file systems know no modes; a folder of somebody else is no place for a token.
    if (uid !== process.getuid?.()) throw error;
  }
}

/** Whoever reads sees the old text or the new; a link at the path is replaced, not followed. */
function replaceFile(target: string, text: string): void {
  const temporary = path.join(
    path.dirname(target),
    `.${path.basename(target)}.${randomBytes(6).toString('hex')}`,
  );
  const file = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, PRIVATE_FILE);
  try {
    try {
      fs.fchmodSync(file, PRIVATE_FILE);
      fs.writeFileSync(file, text);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(temporary, target);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}
