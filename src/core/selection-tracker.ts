/** The selection as agents know it: no repeats, no excluded file, nothing of a closed file. */
import type { Disposable } from './disposable.ts';
import { Emitter } from './emitter.ts';
import type { AbsolutePath, Selection } from './ports.ts';
import type { Position } from './positions.ts';
import type { Privacy } from './privacy.ts';

export class SelectionTracker {
  readonly #changes = new Emitter<Selection | undefined>();
  #current: Selection | undefined;
  #latest: Selection | undefined;

  constructor(private readonly privacy: Pick<Privacy, 'allows'>) {}

  /** What the editor shows; undefined where that is nothing which may be told. */
  get current(): Selection | undefined {
    return this.#current;
  }

  /** The newest selection of a file that is still open, even if its window is not active. */
  get latest(): Selection | undefined {
    return this.#latest;
  }

  /** Told each change of `current`; undefined clears what was told before. */
  onChange(listener: (selection: Selection | undefined) => void): Disposable {
    return this.#changes.on(listener);
  }

  update(selection: Selection): void {
    const told = this.privacy.allows(selection.path) ? selection : undefined;
    if (told) this.#latest = told;
    this.#show(told);
  }

  /** The file was closed: its text must not turn up later. */
  forget(path: AbsolutePath): void {
    if (this.#latest?.path === path) this.#latest = undefined;
    if (this.#current?.path === path) this.#show(undefined);
  }

  /** Takes back what may be told no more. */
  recheck(): void {
    if (this.#latest && !this.privacy.allows(this.#latest.path)) this.#latest = undefined;
    if (this.#current && !this.privacy.allows(this.#current.path)) this.#show(undefined);
  }

  #show(selection: Selection | undefined): void {
    const before = this.#current;
    if (before === selection || (before && selection && isSame(before, selection))) return;
    this.#current = selection;
    this.#changes.emit(selection);
  }
}

function isSame(a: Selection, b: Selection): boolean {
  return (
    a.path === b.path &&
    isAt(a.range.start, b.range.start) &&
    isAt(a.range.end, b.range.end) &&
    a.text === b.text
  );
}

function isAt(a: Position, b: Position): boolean {
  return a.line === b.line && a.character === b.character;
}
