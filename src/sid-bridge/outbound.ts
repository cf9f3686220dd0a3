/** Frames for sid-code, kept until they have left: it is away for a while when its line breaks. */
import type { MessagePipe } from '../core/pipe.ts';
import type { OutFrame } from './frames.ts';

interface Waiting {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Outbound {
  #waiting: Waiting[] = [];
  #pipe: MessagePipe | undefined;
  #sending = false;

  /** Undefined while there is no line. */
  use(pipe: MessagePipe | undefined): void {
    this.#pipe = pipe;
    void this.#drain();
  }

  /** Resolves when the frame has left. A frame that fails is sent again with its id. */
  send(frame: OutFrame): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text: JSON.stringify(frame), resolve, reject });
      void this.#drain();
    });
  }

  dispose(): void {
    this.#pipe = undefined;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('the session was closed'));
  }

  async #drain(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    for (let next = this.#waiting[0]; next && this.#pipe; next = this.#waiting[0]) {
      const sent = await this.#pipe.send(next.text).then(
        () => true,
        () => false,
      );
      if (!sent) {
        // The line is broken; the next one takes up here.
        this.#pipe = undefined;
        break;
      }
      if (this.#waiting[0] === next) this.#waiting.shift();
      next.resolve();
    }
    this.#sending = false;
  }
}
