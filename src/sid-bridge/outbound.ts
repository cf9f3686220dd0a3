/**
 * Frames for sid-code, kept until it is known to have read them: it is away for a while when its
 * line breaks. The bridge has no receipts, but answers pings in their order. What is not known to
 * have arrived goes again on the next line, with the same id, by which sid-code takes it once.
 */
import { randomUUID } from 'node:crypto';
import type { MessagePipe } from '../core/pipe.ts';
import type { OutFrame } from './frames.ts';

/** Whatever sid-code says this long after a frame was sent to it, it says after having read it, ms. */
const READ_MS = 1_000;
/** So many pings without an answer are those of a sid-code that answers none. */
const PINGS = 100;

interface Waiting {
  readonly text: string;
  readonly onLeft: () => void;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface Line {
  readonly pipe: MessagePipe;
  /** When each frame has left this machine. */
  readonly left: Map<Waiting, number>;
  /** For each ping without an answer: what the answer proves to have been read. */
  readonly pings: (readonly Waiting[])[];
  working: boolean;
}

export class Outbound {
  /** In order. */
  #waiting: Waiting[] = [];
  #line: Line | undefined;

  /** Undefined while there is no line. */
  use(pipe: MessagePipe | undefined): void {
    this.#line = pipe && { pipe, left: new Map(), pings: [], working: false };
    this.#flush();
  }

  /**
   * Resolves when sid-code has read the frame.
   * @param onLeft called each time that it has left this machine: more than once after a lost line.
   */
  send(frame: OutFrame, onLeft: () => void = () => {}): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text: JSON.stringify(frame), onLeft, resolve, reject });
      this.#flush();
    });
  }

  /** Asks for a sign of life. */
  ping(): void {
    const line = this.#line;
    if (!line || line.pings.length >= PINGS) return;
    line.pings.push([...line.left.keys()]);
    const frame: OutFrame = {
      id: randomUUID(),
      timestamp: Date.now(),
      type: 'control',
      data: { command: 'ping' },
    };
    line.pipe.send(JSON.stringify(frame)).catch(() => {
      // The end of the pipe is told by the pipe.
    });
  }

  /** sid-code has said something. */
  heard(isPong: boolean): void {
    const line = this.#line;
    if (!line) return;
    const long = performance.now() - READ_MS;
    const read = isPong
      ? (line.pings.shift() ?? [])
      : [...line.left].flatMap(([frame, at]) => (at < long ? [frame] : []));
    for (const frame of read) {
      if (!line.left.delete(frame)) continue;
      this.#waiting = this.#waiting.filter((waiting) => waiting !== frame);
      frame.resolve();
    }
  }

  /** Nobody will read them any more. */
  giveBack(error: Error): void {
    this.#line = undefined;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #flush(): void {
    const line = this.#line;
    if (!line || line.working || !this.#next(line)) return;
    line.working = true;
    void this.#work(line).finally(() => {
      line.working = false;
    });
  }

  async #work(line: Line): Promise<void> {
    for (let next = this.#next(line); next; next = this.#next(line)) {
      const sent = await line.pipe.send(next.text).then(
        () => true,
        () => false,
      );
      // The end of the pipe is told by the pipe; the next one begins with what is left.
      if (!sent || this.#line !== line) return;
      line.left.set(next, performance.now());
      next.onLeft();
    }
    this.ping();
  }

  #next(line: Line): Waiting | undefined {
    return this.#line === line ? this.#waiting.find((frame) => !line.left.has(frame)) : undefined;
  }
}
