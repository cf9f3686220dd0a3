/** How clients spell the files that they ask for. */
import type { AbsolutePath } from './ports.ts';

/** How many files are remembered that a session spells in a way of its own. */
const MAX_SPELLINGS = 1_000;

/**
 * Clients compare URIs letter by letter with the one that they asked for, also in answers that tell
 * of all files. Most write the raw path behind `file://`, so only others are kept.
 */
export class UriSpellings {
  readonly #spelled = new Map<string, string>();

  remember(session: string, path: AbsolutePath, uri: string): void {
    const key = keyOf(session, path);
    this.#spelled.delete(key);
    if (uri === rawUri(path)) return;
    this.#spelled.set(key, uri);
    const [oldest] = this.#spelled.keys();
    if (this.#spelled.size > MAX_SPELLINGS && oldest !== undefined) this.#spelled.delete(oldest);
  }

  of(session: string, path: AbsolutePath): string {
    return this.#spelled.get(keyOf(session, path)) ?? rawUri(path);
  }
}

const keyOf = (session: string, path: AbsolutePath): string => `${session}\0${path}`;
const rawUri = (path: AbsolutePath): string => `file://${path}`;
