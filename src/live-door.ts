/** The way to live sessions, whose libraries are loaded when the first session is opened. */
import { z } from 'zod';
import type { AsyncDisposable } from './core/disposable.ts';
import { messageOf } from './core/errors.ts';
import type { LiveSessions, LiveSessionsOptions } from './live-sessions.ts';

const ChatEvent = z.object({ kind: z.string().startsWith('chat_') });

export class LiveDoor implements AsyncDisposable {
  #loading: Promise<LiveSessions> | undefined;
  #live: LiveSessions | undefined;
  #disposed = false;

  constructor(private readonly options: LiveSessionsOptions) {}

  /** @returns whether the event was one of live sessions. */
  handle(event: unknown): boolean {
    const chat = ChatEvent.safeParse(event);
    if (!chat.success) return false;
    // Context without a session is of no use to anyone.
    const opens = chat.data.kind === 'chat_open';
    if (this.#disposed || (!opens && this.#loading === undefined)) return true;
    this.#loading ??= this.#load();
    this.#loading
      .then((live) => live.handle(event))
      .catch((error: unknown) => {
        const { editor, logger } = this.options;
        logger.error('live sessions failed', { reason: messageOf(error) });
        editor.port.notify('error', `Live sessions do not work: ${messageOf(error)}`);
      });
    return true;
  }

  /** At the end of the process: no agent stays behind. */
  withdraw(): void {
    this.#live?.withdraw();
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    const live = await this.#loading?.catch(() => undefined);
    await live?.dispose();
  }

  async #load(): Promise<LiveSessions> {
    const { LiveSessions: Loaded } = await import('./live-sessions.ts');
    this.#live = new Loaded(this.options);
    return this.#live;
  }
}
