/** The user's word on code: asked before the first run of each session. */
import { randomUUID } from 'node:crypto';
import type { CodeQuestion, NotebookPort } from '../core/code-runner.ts';
import { BridgeError } from '../core/errors.ts';
import { type Deferred, deferred, unlessAborted } from './promises.ts';

interface OpenQuestion {
  readonly id: string;
  /** Settles when the user sees the question. */
  readonly shown: Promise<void>;
  readonly answer: Deferred<boolean>;
  waiting: number;
}

export class Permission {
  readonly #allowed = new Set<string>();
  /** At most one for each session: calls that come meanwhile wait for the same answer. */
  readonly #open = new Map<string, OpenQuestion>();

  constructor(private readonly port: Pick<NotebookPort, 'ask' | 'withdraw'>) {}

  /**
   * Settles when the user has allowed the session to run code.
   * @throws BridgeError `refused` by the user, `cancelled` by the signal
   */
  async obtain(
    session: string,
    question: Omit<CodeQuestion, 'id'>,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#allowed.has(session)) return;
    const open = this.#open.get(session) ?? this.#ask(session, question);
    open.waiting += 1;
    let allowed: boolean;
    try {
      await unlessAborted(open.shown, signal);
      allowed = await unlessAborted(open.answer.promise, signal);
    } finally {
      open.waiting -= 1;
      if (open.waiting === 0) await this.#close(session, open);
    }
    if (!allowed) {
      throw new BridgeError(
        'refused',
        'The user did not allow this code to run. Do not try again unless the user asks for it.',
      );
    }
    this.#allowed.add(session);
  }

  /** Unknown ids change nothing: the call was cancelled meanwhile. */
  answer(id: string, allowed: boolean): void {
    for (const open of this.#open.values()) {
      if (open.id === id) open.answer.resolve(allowed);
    }
  }

  #ask(session: string, question: Omit<CodeQuestion, 'id'>): OpenQuestion {
    const id = randomUUID();
    const shown = this.port.ask({ ...question, id });
    const open: OpenQuestion = { id, shown, answer: deferred<boolean>(), waiting: 0 };
    this.#open.set(session, open);
    return open;
  }

  async #close(session: string, open: OpenQuestion): Promise<void> {
    if (this.#open.get(session) !== open) return;
    this.#open.delete(session);
    try {
      await this.port.withdraw(open.id);
    } catch {
      // The editor is busy: an answer to a question that is over changes nothing.
    }
  }
}
