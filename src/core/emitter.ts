import type { Disposable } from './disposable.ts';

/** A typed list of listeners. A listener that throws does not keep the others from hearing. */
export class Emitter<T> {
  #listeners = new Set<(event: T) => void>();

  constructor(private readonly onListenerError: (error: unknown) => void = () => {}) {}

  on(listener: (event: T) => void): Disposable {
    const own = (event: T): void => listener(event);
    this.#listeners.add(own);
    return { dispose: () => void this.#listeners.delete(own) };
  }

  emit(event: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        this.onListenerError(error);
      }
    }
  }
}
