/** The states of a connection, and the ways between them. */
import type { LinkState } from '../session/model.ts';

const WAYS: Readonly<Record<LinkState, readonly LinkState[]>> = {
  disconnected: ['connecting'],
  // Whoever starts may also give up.
  connecting: ['handshaking', 'failed', 'disconnected'],
  handshaking: ['connected', 'failed', 'disconnected'],
  connected: ['paused', 'disconnected', 'failed'],
  paused: ['connected', 'disconnected', 'failed'],
  failed: ['connecting', 'disconnected'],
};

export class StateMachine {
  #state: LinkState = 'disconnected';

  constructor(private readonly onChange: (state: LinkState, detail?: string) => void) {}

  get state(): LinkState {
    return this.#state;
  }

  /** @returns false where there is no such way; nothing changes then. */
  to(state: LinkState, detail?: string): boolean {
    if (!WAYS[this.#state].includes(state)) return false;
    this.#state = state;
    this.onChange(state, detail);
    return true;
  }
}
