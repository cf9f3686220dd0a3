/** What a terminal would show of printed text: no escape codes, and overwritten lines gone. */
import { stripVTControlCharacters } from 'node:util';

/** A line without an end is passed on when it gets longer, so that memory stays bounded. */
const MAX_OPEN_LINE = 16_384;

export const plainText = (text: string): string => stripVTControlCharacters(text);

/** Applies carriage returns and backspaces, by which progress bars draw over themselves. */
function overwritten(line: string): string {
  const shown = line.replace(/\r+$/, '');
  const text = shown.slice(shown.lastIndexOf('\r') + 1);
  if (!text.includes('\b')) return text;
  const characters: string[] = [];
  for (const character of text) {
    if (character === '\b') characters.pop();
    else characters.push(character);
  }
  return characters.join('');
}

/** Collects printed text into finished lines. */
export class TerminalLines {
  #open = '';

  constructor(private readonly emit: (text: string) => void) {}

  write(text: string): void {
    const lines = (this.#open + text).split('\n');
    const open = lines.pop() ?? '';
    if (lines.length > 0) this.emit(`${lines.map(finished).join('\n')}\n`);
    this.#open = open.length > MAX_OPEN_LINE ? this.#shorten(open) : open;
  }

  /** Passes on the line that has no end yet. */
  flush(): void {
    if (this.#open !== '') this.emit(finished(this.#open));
    this.#open = '';
  }

  drop(): void {
    this.#open = '';
  }

  #shorten(open: string): string {
    const line = overwritten(open);
    if (line.length <= MAX_OPEN_LINE) return line;
    this.emit(plainText(line));
    return '';
  }
}

const finished = (line: string): string => overwritten(plainText(line));
