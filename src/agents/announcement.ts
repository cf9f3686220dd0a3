import type { Logger } from '../core/logger.ts';
import type { AbsolutePath } from '../core/ports.ts';
import { isInside } from '../core/workspace.ts';
import { LockFile, type LockFileState } from '../platform/lock-file.ts';
import { type OtherLock, readOtherLocks } from '../platform/other-locks.ts';
import { isProcessAlive } from '../platform/process.ts';
import { sweepStaleLocks } from '../platform/stale-locks.ts';
import type { Advertisement, AgentFamily, Environment } from './family.ts';

export interface AnnouncementOptions {
  readonly families: readonly AgentFamily[];
  readonly environment: Environment;
  readonly advertisement: Advertisement;
  readonly logger: Logger;
}

export interface LockFileStatus {
  readonly path: AbsolutePath;
  readonly state: LockFileState;
  /** When it was put back last. */
  readonly restoredAt?: Date | undefined;
}

/**
 * Makes this editor known to each family: all lock files are written and removed together. Families
 * that look into the same folder have one file there.
 */
export class Announcement {
  readonly #options: AnnouncementOptions;
  readonly #locks: readonly { readonly family: AgentFamily; readonly file: LockFile }[];
  #advertisement: Advertisement;
  readonly #restoredAt = new Map<AbsolutePath, Date>();
  #withdrawn = false;

  constructor(options: AnnouncementOptions) {
    const { families, environment, advertisement, logger } = options;
    this.#options = options;
    this.#advertisement = advertisement;
    this.#locks = withOwnLock(families, environment).map((family) => ({
      family,
      file: new LockFile({
        folder: family.discovery.folder(environment),
        port: advertisement.port,
        token: advertisement.token,
        logger,
      }),
    }));
  }

  get paths(): readonly AbsolutePath[] {
    return this.#locks.map(({ file }) => file.path);
  }

  /** By these an agent that is started inside the editor finds it. */
  get variables(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.#options.families.flatMap(({ discovery }) =>
        Object.entries(discovery.variables(this.#advertisement)),
      ),
    );
  }

  /**
   * Call this when the server listens: clients remove a lock at whose port nobody answers.
   * @throws BridgeError `startup-failed`; no lock file is left then.
   */
  publish(): void {
    const { environment, logger } = this.#options;
    try {
      for (const { family } of this.#locks) {
        const folder = family.discovery.folder(environment);
        sweepStaleLocks({ folder, logger, isAlive: isProcessAlive });
      }
      this.#write();
    } catch (error) {
      this.withdraw();
      throw error;
    }
    for (const path of this.paths) logger.info('lock file written', { path });
  }

  /** @throws BridgeError where a file cannot be written; the old ones stay. */
  updateFolders(workspaceFolders: readonly AbsolutePath[]): void {
    this.#advertisement = { ...this.#advertisement, workspaceFolders };
    if (!this.#withdrawn) this.#write();
  }

  /** Puts back what was removed by others, and tells what was found. */
  ensure(): readonly LockFileStatus[] {
    return this.#locks.map(({ file: { path }, file }) => {
      const state = file.ensure();
      if (state === 'restored') this.#restoredAt.set(path, new Date());
      return { path, state, restoredAt: this.#restoredAt.get(path) };
    });
  }

  /** Living editors whose folders meet those of this one: clients there match both. */
  rivals(): readonly OtherLock[] {
    const { environment } = this.#options;
    const { workspaceFolders: own } = this.#advertisement;
    const others = this.#locks.flatMap(({ family, file }) =>
      readOtherLocks(family.discovery.folder(environment), file.path),
    );
    return others.filter(
      ({ pid, workspaceFolders }) =>
        isProcessAlive(pid) &&
        workspaceFolders.some((theirs) =>
          own.some((ours) => isInside(ours, theirs) || isInside(theirs, ours)),
        ),
    );
  }

  /** Works at the end of the process too. Do this before the server closes. */
  withdraw(): void {
    this.#withdrawn = true;
    for (const { file } of this.#locks) file.remove();
  }

  #write(): void {
    for (const { family, file } of this.#locks) {
      file.write(family.discovery.content(this.#advertisement, this.#options.environment));
    }
  }
}

function withOwnLock(
  families: readonly AgentFamily[],
  environment: Environment,
): readonly AgentFamily[] {
  const folders = new Map(
    families.map(({ id, discovery }) => [id, discovery.folder(environment)] as const),
  );
  const taken = new Set<AbsolutePath>();
  return families.filter(({ discovery }) => {
    const folder = discovery.folder(environment);
    const reader = discovery.alsoReadBy && folders.get(discovery.alsoReadBy);
    if (taken.has(folder) || (reader !== undefined && reader !== folder)) return false;
    taken.add(folder);
    return true;
  });
}
