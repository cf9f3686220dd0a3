/**
 * Brings what the editor says to the agent, over as many lines as it takes. The protocol has no
 * receipts, so the user's word is kept until a later message shows that the agent reads; where the
 * line breaks before that, it goes again on the next one, with the same id.
 */
import { randomUUID } from 'node:crypto';
import { BridgeError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { MessagePipe } from '../core/pipe.ts';
import { type EditorMessage, worthOf } from './editor-messages.ts';
import { type Envelope, encode } from './envelope.ts';
import { type Queued, SendQueue } from './send-queue.ts';

/** Whatever an agent says this long after a message was sent to it, it says after having read it, ms. */
const READ_MS = 1_000;
/** Messages past the queue that have not left: an agent that does not read gets no more of them. */
const POSTS = 100;

interface Line {
  readonly pipe: MessagePipe;
  working: boolean;
}

/** Taken out of the queue, and not known to have arrived. */
interface Out {
  readonly item: Queued;
  readonly line: Line;
  /** Undefined until it has left this machine. */
  sentAt?: number;
}

export interface SenderOptions {
  readonly logger: Logger;
  /** Logs the type and size of each message. */
  readonly debug: boolean;
  /** A message could not be sent: the line is of no use any more. */
  onBroken(reason: unknown): void;
}

export class Sender {
  readonly #queue = new SendQueue();
  #line: Line | undefined;
  #out: Out[] = [];
  /** What the answer to a ping proves to have been read. */
  readonly #receipts = new Map<string, readonly Out[]>();
  #posting = 0;

  constructor(private readonly options: SenderOptions) {}

  /** Never blocks. Resolves when the message has left, rejects where it was dropped. */
  send(message: EditorMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const envelope = { ...message, id: randomUUID(), timestamp: Date.now() };
      this.#queue.enqueue({
        message,
        text: encode(envelope),
        worth: worthOf(message.type),
        key: keyOf(message),
        onSent: resolve,
        onDropped: () => reject(new BridgeError('cancelled', `${message.type} was not sent`)),
      });
      this.#flush();
    });
  }

  /** Past the queue: of use now or not at all. */
  post(pipe: MessagePipe, message: EditorMessage, id: string | number = randomUUID()): void {
    if (this.#posting >= POSTS) return;
    this.#posting += 1;
    pipe
      .send(encode({ ...message, id, timestamp: Date.now() }))
      .catch(() => {
        // The end of the pipe is told by the pipe.
      })
      .finally(() => {
        this.#posting -= 1;
      });
  }

  /** From now on messages go this way. */
  use(pipe: MessagePipe): void {
    this.#line = { pipe, working: false };
    this.#flush();
  }

  /**
   * The line is gone: what is not known to have arrived waits for the next one.
   * @param arrived whether the agent has ended it in good order, after it had read all.
   */
  lost(arrived: boolean): void {
    this.#line = undefined;
    this.#receipts.clear();
    const again = this.#out.filter(({ sentAt }) => !arrived || sentAt === undefined);
    this.#out = [];
    this.#queue.putBack(again.map(({ item }) => item));
  }

  /** The agent has said something. */
  heard(message: Envelope): void {
    const proven =
      message.type === 'pong' ? (this.#receipts.get(String(message.id)) ?? []) : undefined;
    const long = performance.now() - READ_MS;
    this.#out = this.#out.filter(
      (out) => !(proven?.includes(out) || (out.sentAt !== undefined && out.sentAt < long)),
    );
    if (proven) this.#receipts.delete(String(message.id));
  }

  /** Whether the agent may yet get this message. */
  holds(message: EditorMessage): boolean {
    return this.#queue.has(message) || this.#out.some(({ item }) => item.message === message);
  }

  /** The agent must not get these any more. */
  retract(matches: (message: EditorMessage) => boolean): void {
    this.#queue.drop(matches);
    this.#out = this.#out.filter(({ item }) => !matches(item.message));
  }

  clear(): void {
    for (const { item } of this.#out.splice(0)) item.onDropped();
    this.#queue.clear();
  }

  #flush(): void {
    const line = this.#line;
    if (!line || line.working) return;
    line.working = true;
    void this.#work(line).finally(() => {
      line.working = false;
    });
  }

  async #work(line: Line): Promise<void> {
    // Whatever is sent in the same turn of the event loop is one batch.
    await Promise.resolve();
    while (this.#line === line && this.#queue.size > 0) {
      const batch = this.#queue.take().map((item): Out => ({ item, line }));
      this.#out.push(...batch);
      const sent = await Promise.allSettled(batch.map(({ item }) => line.pipe.send(item.text)));
      // It has broken meanwhile, and all of them wait again.
      if (this.#line !== line) return;
      batch.forEach((out, at) => {
        if (sent[at]?.status === 'fulfilled') this.#left(out);
      });
      this.#out = this.#out.filter(({ item, sentAt }) => !sentAt || item.worth === 'never');
      const failure = sent.find((one) => one.status === 'rejected');
      if (failure) {
        this.options.onBroken(failure.reason);
        return;
      }
      this.#askForReceipt(line);
    }
  }

  #left(out: Out): void {
    const { message, text } = out.item;
    out.sentAt = performance.now();
    out.item.onSent();
    if (this.options.debug) {
      this.options.logger.info('bus message sent', { type: message.type, size: text.length });
    }
  }

  #askForReceipt({ pipe }: Line): void {
    const open = this.#out.filter(({ sentAt }) => sentAt !== undefined);
    if (open.length === 0) return;
    const id = randomUUID();
    // One answer stands for all that was sent before.
    this.#receipts.clear();
    this.#receipts.set(id, open);
    this.post(pipe, { type: 'ping' }, id);
  }
}

/** Of two messages with one key the newer says it all. */
function keyOf({ type, data }: EditorMessage): string {
  return data && 'path' in data ? `${type} ${data.path}` : type;
}
