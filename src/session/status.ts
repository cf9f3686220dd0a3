/** What a status line shows of a session. */
import type { Abilities, Choices, LinkState, Progress, SessionStatus } from './model.ts';
import type { ViewOp } from './ports.ts';

const NO_ABILITIES: Abilities = {
  pause: false,
  reset: false,
  list: false,
  load: false,
  images: false,
};

/** Progress lines on show at the most; the oldest goes. */
const PROGRESS_LIMIT = 8;

export class Status {
  #status: SessionStatus;
  #choices: Choices = { models: [], modes: [], commands: [] };

  constructor(agent: string) {
    this.#status = {
      agent,
      state: 'disconnected',
      busy: false,
      progress: [],
      waiting: 0,
      queued: 0,
      abilities: NO_ABILITIES,
    };
  }

  get current(): SessionStatus {
    return this.#status;
  }

  get choices(): Choices {
    return this.#choices;
  }

  /** @returns what a view must be told; nothing where nothing changed. */
  set(fields: Partial<SessionStatus>): ViewOp[] {
    const next = { ...this.#status, ...fields };
    if (JSON.stringify(next) === JSON.stringify(this.#status)) return [];
    this.#status = next;
    return [{ op: 'status', status: next }];
  }

  state(state: LinkState, detail: string | undefined): ViewOp[] {
    const { detail: _, ...rest } = this.#status;
    this.#status = { ...rest, state, ...(detail !== undefined && { detail }) };
    return [{ op: 'status', status: this.#status }];
  }

  abilities(abilities: Partial<Abilities>): ViewOp[] {
    return this.set({ abilities: { ...this.#status.abilities, ...abilities } });
  }

  progress(progress: Progress): ViewOp[] {
    const others = this.#status.progress.filter((known) => known.id !== progress.id);
    const done = progress.percent !== undefined && progress.percent >= 100;
    const all = done ? others : [...others, progress];
    return this.set({ progress: all.slice(-PROGRESS_LIMIT) });
  }

  choose(choices: Partial<Choices>): ViewOp[] {
    this.#choices = { ...this.#choices, ...choices };
    return [{ op: 'choices', choices: this.#choices }];
  }

  snapshot(): ViewOp[] {
    return [
      { op: 'status', status: this.#status },
      { op: 'choices', choices: this.#choices },
    ];
  }
}
