/** Something with an owner, released once; further calls do nothing. */
export interface Disposable {
  dispose(): void;
}

export interface AsyncDisposable {
  dispose(): Promise<void>;
}

/** Owns several disposables and releases them in reverse order, each even if another throws. */
export class DisposableStack implements Disposable {
  #owned: Disposable[] = [];
  #disposed = false;

  use<T extends Disposable>(owned: T): T {
    if (this.#disposed) owned.dispose();
    else this.#owned.push(owned);
    return owned;
  }

  defer(release: () => void): void {
    this.use({ dispose: release });
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const errors: unknown[] = [];
    for (const owned of this.#owned.splice(0).reverse()) {
      try {
        owned.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'some parts failed to close');
  }
}
