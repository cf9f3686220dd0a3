/**
 * Diagnostics for agents. An agent asks right after it wrote a file and does not ask again, so the
 * answer may wait a moment for what a language server says of the new text.
 */
import type { Disposable } from './disposable.ts';
import { Emitter } from './emitter.ts';
import type { AbsolutePath, EditorPort, FileDiagnostics } from './ports.ts';
import type { Privacy } from './privacy.ts';

/** Clients give up after 2 s. Of this time, reading keeps what waiting leaves. */
const ANSWER_LIMIT_MS = 1_350;
const WAIT_LIMIT_MS = 900;
/** A server may publish in steps: what parses first, what it means later. */
const SETTLE_MS = 100;
/** After this long an expected write has been answered for, or never came. */
const EXPECTED_FOR_MS = 3_000;

export interface DiagnosticsOptions {
  readonly port: Pick<EditorPort, 'diagnostics' | 'document' | 'reloadFiles'>;
  readonly privacy: Pick<Privacy, 'excludes' | 'allows'>;
}

interface ExpectedWrite {
  /** Wall-clock ms. */
  readonly since: number;
  /** Whether the editor shows the new text already. */
  readonly isShown: boolean;
}

export class Diagnostics {
  readonly #port: DiagnosticsOptions['port'];
  readonly #privacy: DiagnosticsOptions['privacy'];
  readonly #changes = new Emitter<readonly AbsolutePath[]>();
  /** Files that an agent is about to write or has just written. */
  readonly #expected = new Map<AbsolutePath, ExpectedWrite>();
  /** Files that an agent knows by itself: it has named them. */
  readonly #named = new Set<AbsolutePath>();
  /** Files of which something has told diagnostics, be it a language server or a linter. */
  readonly #diagnosed = new Set<AbsolutePath>();

  constructor({ port, privacy }: DiagnosticsOptions) {
    this.#port = port;
    this.#privacy = privacy;
  }

  onChange(listener: (paths: readonly AbsolutePath[]) => void): Disposable {
    return this.#changes.on(listener);
  }

  /** To be called when the editor tells new diagnostics of these files. */
  changed(paths: readonly AbsolutePath[]): void {
    for (const path of paths) {
      this.#diagnosed.add(path);
      if (this.#expected.get(path)?.isShown) this.#expected.delete(path);
    }
    this.#changes.emit(paths);
  }

  /** To be called when the editor has closed the file. */
  forget(path: AbsolutePath): void {
    this.#diagnosed.delete(path);
  }

  /** An agent is about to write the file: the next reading of all files waits for its diagnostics. */
  expectWrite(path: AbsolutePath): void {
    this.#named.add(path);
    this.#expected.set(path, { since: Date.now(), isShown: false });
  }

  /** To be called when the editor shows what was written: news of these files are of that. */
  shown(paths: readonly AbsolutePath[]): void {
    for (const path of paths) {
      const write = this.#expected.get(path);
      if (write) this.#expected.set(path, { ...write, isShown: true });
    }
  }

  /**
   * Of one file, as they stand: agents ask for it right before they write it. An excluded file
   * looks like one without any.
   */
  async ofFile(path: AbsolutePath): Promise<FileDiagnostics> {
    if (this.#privacy.excludes(path)) return { path, diagnostics: [] };
    this.expectWrite(path);
    const [found] = await this.#port.diagnostics(path, ANSWER_LIMIT_MS);
    if (found) this.#named.add(found.path);
    const isTold = found !== undefined && !this.#privacy.excludes(found.path);
    return isTold ? found : { path, diagnostics: [] };
  }

  /** Of all files that have some, after those of files that were just written have come. */
  async ofAllFiles(signal: AbortSignal): Promise<readonly FileDiagnostics[]> {
    const began = performance.now();
    const written = this.#takeExpected();
    if (written.length > 0) await this.#published(written, signal);
    const left = Math.max(0, ANSWER_LIMIT_MS - (performance.now() - began));
    const all = await this.#port.diagnostics(undefined, left);
    return all.filter(({ path }) => this.#mayTell(path));
  }

  /** While nothing of open files is shared, an agent hears of the files that it has named. */
  #mayTell(path: AbsolutePath): boolean {
    if (this.#privacy.allows(path)) return true;
    return this.#named.has(path) && !this.#privacy.excludes(path);
  }

  #takeExpected(): AbsolutePath[] {
    const oldest = Date.now() - EXPECTED_FOR_MS;
    const recent = [...this.#expected].filter(([, { since }]) => since >= oldest);
    this.#expected.clear();
    return recent.map(([path]) => path);
  }

  /** Resolves when news of each file has come and settled, at the limit, or when withdrawn. */
  #published(written: readonly AbsolutePath[], signal: AbortSignal): Promise<void> {
    const seen = new Set<AbsolutePath>();
    let awaited: readonly AbsolutePath[] | undefined;
    let settling: NodeJS.Timeout | undefined;
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(limit);
        clearTimeout(settling);
        listener.dispose();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const settleIfSeen = (): void => {
        if (!awaited?.every((path) => seen.has(path))) return;
        clearTimeout(settling);
        settling = setTimeout(end, SETTLE_MS);
      };
      const limit = setTimeout(end, WAIT_LIMIT_MS);
      const listener = this.onChange((paths) => {
        for (const path of paths) seen.add(path);
        settleIfSeen();
      });
      signal.addEventListener('abort', end);
      this.#watched(written).then((watched) => {
        awaited = watched;
        if (watched.length === 0 || signal.aborted) end();
        else settleIfSeen();
      }, end);
    });
  }

  /** Shows what was written to those who diagnose it, and tells which files are looked at. */
  async #watched(written: readonly AbsolutePath[]): Promise<AbsolutePath[]> {
    await this.#port.reloadFiles(written);
    const states = await Promise.all(written.map((path) => this.#port.document(path)));
    return states.flatMap((state) =>
      state && (state.hasLanguageServer || this.#diagnosed.has(state.path)) ? [state.path] : [],
    );
  }
}
