import type { Disposable } from '../core/disposable.ts';
import type { Editor } from '../core/editor.ts';
import { Emitter } from '../core/emitter.ts';
import { messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Mention } from '../core/mentions.ts';
import type { ReviewEnd } from '../core/ports.ts';
import type { ServerInfo } from '../protocol/sdk.ts';
import type { AgentRegistry } from './registry.ts';
import {
  type ClientConnection,
  Session,
  type SessionContext,
  type SessionStatus,
} from './session.ts';

export interface SessionHubOptions {
  readonly editor: Editor;
  readonly registry: AgentRegistry;
  readonly logger: Logger;
  readonly info: ServerInfo;
  readonly onClosedTab?: (session: string, tab: string) => void;
}

const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
/** How long a stop waits for answers to open calls, twice: before and after it cancels them, ms. */
const ANSWER_MS = 200;

/** The clients that are connected. One's failure or end is nothing to the others. */
export class SessionHub {
  readonly #options: SessionHubOptions;
  readonly #context: SessionContext;
  readonly #sessions = new Map<string, Session>();
  readonly #changes = new Emitter<void>();
  #lastId = 0;
  #stopped: Promise<void> | undefined;

  constructor(options: SessionHubOptions) {
    const { editor, registry, logger, info } = options;
    this.#options = options;
    this.#context = {
      editor,
      logger,
      info,
      dialectFor: (hello) => registry.dialectFor(hello),
    };
  }

  /** Serves a client until its channel ends. */
  accept(connection: ClientConnection): void {
    const { channel, headers, remote } = connection;
    const dialect = this.#options.registry.dialectFor({ headers });
    if (this.#stopped !== undefined) channel.close(GOING_AWAY, 'the editor goes away');
    else if (!dialect) channel.close(POLICY_VIOLATION, 'no known kind of client');
    else {
      this.#lastId += 1;
      const id = `client-${this.#lastId}`;
      const session = new Session(id, connection, dialect, this.#context, {
        changed: () => this.#changes.emit(),
        closedTab: (tab) => this.#options.onClosedTab?.(id, tab),
        closed: (unsent) => this.#onClosed(id, unsent),
      });
      this.#sessions.set(id, session);
      this.#options.logger.info('client connected', { session: id, remote });
      this.#changes.emit();
    }
  }

  status(): readonly SessionStatus[] {
    return [...this.#sessions.values()].map((session) => session.status());
  }

  /** Clients came, went or introduced themselves. */
  onChange(listener: () => void): Disposable {
    return this.#changes.on(listener);
  }

  /** Ends the reviews, lets every open call get its answer, and then the clients go. */
  dispose(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    await Promise.all(
      sessions.map(async (session) => {
        // The end of the review gives the call its answer; the view may take longer to go.
        const reviewsEnded = this.#endReviews(session.id, 'stopped');
        await session.close(GOING_AWAY, 'the editor goes away', ANSWER_MS);
        await reviewsEnded;
      }),
    );
  }

  #onClosed(id: string, unsent: readonly Mention[]): void {
    this.#sessions.delete(id);
    void this.#endReviews(id, 'withdrawn');
    const { editor } = this.#options;
    // Clients that can hear have been told the same; where there is none, the next one is.
    const isHeard = this.status().some(({ state }) => state === 'ready');
    if (!isHeard) for (const mention of unsent) editor.handle({ kind: 'mention', ...mention });
    this.#changes.emit();
  }

  async #endReviews(owner: string, end: ReviewEnd): Promise<void> {
    try {
      await this.#options.editor.reviews.closeOwnedBy(owner, end);
    } catch (error) {
      this.#options.logger.warn('reviews not closed', { owner, error: messageOf(error) });
    }
  }
}
