/** What the user keeps to himself: files by pattern, or the editor's context altogether. */
import { basename } from 'node:path';
import picomatch from 'picomatch';
import type { AbsolutePath } from './ports.ts';

/** Files that hold secrets by custom. */
export const DEFAULT_EXCLUDE: readonly string[] = [
  '.env*',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '.netrc',
  '.pgpass',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '.ssh/',
  '.gnupg/',
  '.aws/credentials',
];

export interface PrivacyOptions {
  /**
   * Glob patterns. Without a slash: the base name, anywhere. With a final slash: a folder's
   * content, anywhere. Otherwise: the path, from any folder on where it is not absolute.
   */
  readonly exclude?: readonly string[];
  /** False keeps selection and open files back, whatever their names. */
  readonly sharing?: boolean;
  /** Follows symbolic links, so that a link to an excluded file is excluded too. */
  readonly realPath?: (path: AbsolutePath) => AbsolutePath;
}

type Matcher = (path: AbsolutePath) => boolean;

export class Privacy {
  readonly #matchers: readonly Matcher[];
  #sharing: boolean;
  readonly #realPath: (path: AbsolutePath) => AbsolutePath;

  constructor(options: PrivacyOptions = {}) {
    this.#matchers = (options.exclude ?? DEFAULT_EXCLUDE).map(toMatcher);
    this.#sharing = options.sharing ?? true;
    this.#realPath = options.realPath ?? ((path) => path);
  }

  /** Whether the editor tells anything of its files unasked. */
  get isSharing(): boolean {
    return this.#sharing;
  }

  share(sharing: boolean): void {
    this.#sharing = sharing;
  }

  /** Whether a pattern keeps the file back. No tool and no notification names such a file. */
  excludes(path: AbsolutePath): boolean {
    const real = this.#realPath(path);
    return this.#matchers.some((matches) => matches(path) || (real !== path && matches(real)));
  }

  /** Whether an agent may learn that the file is open, and what is selected in it. */
  allows(path: AbsolutePath): boolean {
    return this.#sharing && !this.excludes(path);
  }
}

/** `s`: a folder's name may hold a line break, which `**` must match as well. */
const OPTIONS = { dot: true, nonegate: true, flags: 'is' };

function toMatcher(pattern: string): Matcher {
  if (!pattern.includes('/')) {
    const matches = picomatch(pattern, OPTIONS);
    return (path) => matches(basename(path));
  }
  const anchored = pattern.startsWith('/') ? pattern : `/**/${pattern}`;
  return picomatch(anchored.endsWith('/') ? `${anchored}**` : anchored, OPTIONS);
}
