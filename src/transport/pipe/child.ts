/** Messages as lines on the standard streams of an agent that this process starts. */

import { messageOf } from '../../core/errors.ts';
import { LineSplitter, MESSAGE_LIMIT } from '../../core/lines.ts';
import {
  type AgentCommand,
  type MessagePipe,
  PipeError,
  type PipeListener,
  type PipeOpener,
  type StartProcess,
} from '../../core/pipe.ts';

export interface ChildPipeOptions {
  readonly command: AgentCommand;
  readonly start: StartProcess;
  onErrorLine(line: string): void;
  onTooLong(): void;
}

export class ChildPipe implements PipeOpener {
  readonly startsAnew = true;
  #stop: (() => Promise<void>) | undefined;

  constructor(private readonly options: ChildPipeOptions) {}

  get target(): string {
    return this.options.command.command;
  }

  async open(listener: PipeListener): Promise<MessagePipe> {
    const { command, start, onErrorLine, onTooLong } = this.options;
    const child = await start(command, onErrorLine).catch((error: unknown) => {
      throw new PipeError({ kind: 'refused', reason: messageOf(error) }, { cause: error });
    });
    this.#stop = () => child.stop();
    let closed = false;
    const lines = new LineSplitter((line) => listener.onMessage(line), MESSAGE_LIMIT, onTooLong);
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text: string) => {
      if (!closed) lines.push(text);
    });
    void child.exited.then((reason) => {
      if (!closed) listener.onEnd({ kind: 'lost', reason });
    });
    const close = (): void => {
      closed = true;
      void child.stop();
    };
    return {
      send: (text) =>
        new Promise((resolve, reject) => {
          child.stdin.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
        }),
      close,
      cut: close,
    };
  }

  async dispose(): Promise<void> {
    await this.#stop?.();
  }
}
