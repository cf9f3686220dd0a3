/**
 * Output of any length in bounded memory: the beginning and the end are kept, and a note tells how
 * much is missing between them.
 */
import type { CodeOutput } from '../core/code-runner.ts';

/** The share of the limit that the beginning gets. */
const HEAD_SHARE = 0.75;
/** Text is cut when it is this much over the limit, so that not every line costs a cut. */
const SLACK = 1.25;

/** What the frame of a block adds to an answer: `{"type":"text","text":""},`. */
const BLOCK_BYTES = 25;

interface TextPiece {
  readonly kind: 'text';
  text: string;
  /** What it takes of the limit. */
  bytes: number;
  /** Text of a stream, which goes on where the last one ended. */
  readonly continues: boolean;
}
interface ImagePiece {
  readonly kind: 'image';
  readonly image: CodeOutput;
}
interface GapPiece {
  readonly kind: 'gap';
}
type Piece = TextPiece | ImagePiece | GapPiece;

/** Stands for outputs that may be replaced later. */
export type OutputHandle = readonly Piece[];

export class BoundedOutput {
  #pieces: Piece[] = [];
  #textBytes = 0;
  #droppedBytes = 0;

  constructor(private readonly maxBytes: number) {}

  addStream(text: string): void {
    const bytes = Buffer.byteLength(text);
    const last = this.#pieces.at(-1);
    if (last?.kind === 'text' && last.continues) {
      last.text += text;
      last.bytes += bytes;
    } else {
      this.#pieces.push({ kind: 'text', text, bytes, continues: true });
    }
    this.#textBytes += bytes;
    this.#trimAbove(this.maxBytes * SLACK);
  }

  add(outputs: readonly CodeOutput[]): OutputHandle {
    return this.#insert(this.#pieces.length, outputs);
  }

  /** Puts outputs in the place of earlier ones, or at the end where those are gone. */
  replace(handle: OutputHandle, outputs: readonly CodeOutput[]): OutputHandle {
    const at = this.#pieces.findIndex((piece) => handle.includes(piece));
    this.#pieces = this.#pieces.filter((piece) => !handle.includes(piece));
    this.#textBytes = sumOfText(this.#pieces);
    return this.#insert(at < 0 ? this.#pieces.length : at, outputs);
  }

  clear(): void {
    this.#pieces = [];
    this.#textBytes = 0;
    this.#droppedBytes = 0;
  }

  outputs(): CodeOutput[] {
    this.#trimAbove(this.maxBytes);
    const outputs: CodeOutput[] = [];
    let open: string | undefined;
    const close = (): void => {
      if (open?.trim()) outputs.push({ kind: 'text', text: open });
      open = undefined;
    };
    for (const piece of this.#pieces) {
      if (piece.kind === 'image') {
        close();
        outputs.push(piece.image);
      } else if (piece.kind === 'gap') {
        open = `${open ?? ''}\n[... output truncated: ${this.#droppedBytes} bytes left out ...]\n`;
      } else if (piece.continues) {
        open = (open ?? '') + piece.text;
      } else {
        close();
        if (piece.text !== '') outputs.push({ kind: 'text', text: piece.text });
      }
    }
    close();
    return outputs;
  }

  #insert(at: number, outputs: readonly CodeOutput[]): OutputHandle {
    const pieces = outputs.map(toPiece);
    this.#pieces.splice(at, 0, ...pieces);
    this.#textBytes += sumOfText(pieces);
    this.#trimAbove(this.maxBytes * SLACK);
    return pieces;
  }

  #trimAbove(threshold: number): void {
    if (this.#textBytes <= threshold) return;
    const gap = this.#gapIndex();
    const head = this.#pieces.slice(0, gap);
    let excess = this.#textBytes - this.maxBytes;
    const tail: Piece[] = [];
    for (const piece of this.#pieces.slice(gap + 1)) {
      if (piece.kind !== 'text' || excess <= 0) {
        tail.push(piece);
        continue;
      }
      const cut = Math.min(excess, piece.bytes);
      excess -= cut;
      const kept = skipBytes(piece.text, cut);
      if (kept !== '') tail.push(textPiece(kept, piece.continues));
    }
    const before = this.#textBytes;
    this.#pieces = [...head, { kind: 'gap' }, ...tail];
    this.#textBytes = sumOfText(this.#pieces);
    this.#droppedBytes += before - this.#textBytes;
  }

  /** Where the beginning ends. It may have grown since the last time, by a replacement. */
  #gapIndex(): number {
    let room = Math.floor(this.maxBytes * HEAD_SHARE);
    for (const [index, piece] of this.#pieces.entries()) {
      if (piece.kind === 'gap') return index;
      if (piece.kind === 'image') continue;
      if (piece.bytes > room) return this.#splitAt(index, piece, room);
      room -= piece.bytes;
    }
    return this.#pieces.push({ kind: 'gap' }) - 1;
  }

  #splitAt(index: number, piece: TextPiece, bytes: number): number {
    const text = takeBytes(piece.text, bytes);
    const rest = textPiece(piece.text.slice(text.length), piece.continues);
    const before = this.#pieces.slice(0, index);
    const after = this.#pieces.slice(index + 1).filter(({ kind }) => kind !== 'gap');
    const head = [...before, textPiece(text, piece.continues)];
    this.#pieces = [...head, { kind: 'gap' }, rest, ...after];
    return head.length;
  }
}

const textPiece = (text: string, continues: boolean): TextPiece => ({
  kind: 'text',
  text,
  bytes: Buffer.byteLength(text) + (continues ? 0 : BLOCK_BYTES),
  continues,
});

function toPiece(output: CodeOutput): Piece {
  return output.kind === 'text' ? textPiece(output.text, false) : { kind: 'image', image: output };
}

function sumOfText(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + (piece.kind === 'text' ? piece.bytes : 0), 0);
}

/** The longest beginning of at most `count` bytes, whole characters only. */
function takeBytes(text: string, count: number): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(Buffer.from(text).subarray(0, count), { stream: true });
}

/** What is left without at least `count` bytes at the beginning, whole characters only. */
function skipBytes(text: string, count: number): string {
  const bytes = Buffer.from(text);
  let start = count;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.toString('utf8', start);
}
