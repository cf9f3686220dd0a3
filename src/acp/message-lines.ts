/** Lets through the lines of an agent's standard output that may be messages of the protocol. */
import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { LineSplitter, MESSAGE_LIMIT } from '../core/lines.ts';

export interface MessageLinesOptions {
  /** A greeting for people, a warning of a library, a trace left behind. */
  onOtherLine(line: string): void;
  onTooLong(): void;
}

/** What is no object costs itself only: the library would answer it, which no shell script expects. */
export function messageLines({ onOtherLine, onTooLong }: MessageLinesOptions): Transform {
  const decoder = new StringDecoder('utf8');
  const stream = new Transform({
    transform(bytes: Buffer, _, done) {
      lines.push(decoder.write(bytes));
      done();
    },
    flush(done) {
      lines.push(`${decoder.end()}\n`);
      done();
    },
  });
  const take = (line: string): void => {
    if (line.trimStart().startsWith('{')) stream.push(`${line}\n`);
    else onOtherLine(line);
  };
  const lines = new LineSplitter(take, MESSAGE_LIMIT, onTooLong);
  return stream;
}
