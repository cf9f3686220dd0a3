/** What an agent asks of the editor, and what becomes of it when the turn ends. */
import type { CreateElicitationResponse } from '@agentclientprotocol/sdk';
import type { SessionSink } from '../session/ports.ts';
import type { AgentCalls } from './connection.ts';
import { elicit } from './elicitation.ts';
import type { AgentFiles } from './files.ts';
import type { Permissions } from './permission.ts';
import type { Turns } from './turns.ts';

export interface ServedOptions {
  readonly sink: SessionSink;
  readonly files: AgentFiles;
  readonly permissions: Permissions;
  readonly turns: Turns;
}

export class Served {
  #questions = new AbortController();

  constructor(private readonly options: ServedOptions) {}

  calls(): Omit<AgentCalls, 'update'> {
    const { files, permissions, turns } = this.options;
    return {
      read: this.#heard((request) => files.read(request)),
      write: this.#heard((request) => files.write(request)),
      // A turn that was cancelled has no more questions, also such as cross the cancel on the way.
      permission: this.#heard(async (request, signal) =>
        turns.isCancelling
          ? { outcome: { outcome: 'cancelled' } }
          : permissions.ask(request, signal),
      ),
      elicit: this.#heard(async (params, signal) =>
        turns.isCancelling ? { action: 'cancel' } : this.#elicit(params, signal),
      ),
    };
  }

  /** Takes away all that the agent has asked. */
  withdraw(): void {
    this.options.permissions.withdrawAll();
    this.#questions.abort();
    this.#questions = new AbortController();
  }

  endTurn(): void {
    this.withdraw();
    this.options.permissions.endTurn();
  }

  #elicit(params: unknown, signal: AbortSignal): Promise<CreateElicitationResponse> {
    const both = AbortSignal.any([signal, this.#questions.signal]);
    return elicit(params, this.options.sink, both);
  }

  /** Whatever the agent asks shows that it has got the prompt. */
  #heard<Params, Answer>(
    call: (params: Params, signal: AbortSignal) => Promise<Answer>,
  ): (params: Params, signal: AbortSignal) => Promise<Answer> {
    return (params, signal) => {
      this.options.turns.heard();
      return call(params, signal);
    };
  }
}
