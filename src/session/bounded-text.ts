/** Text that may grow without end, kept within a limit: its head as it comes, its tail at the end. */

export interface TextLimits {
  /** UTF-16 code units. */
  readonly head: number;
  readonly tail: number;
}

export class BoundedText {
  /** What a view shows. */
  #shown = '';
  #tail = '';
  #left = 0;
  #finished = false;

  constructor(private readonly limits: TextLimits) {}

  get shown(): string {
    return this.#shown;
  }

  /** @returns what is to be added to the shown text; '' past the limit. */
  append(text: string): string {
    const room = this.#finished ? 0 : this.limits.head - this.#shown.length;
    const head = room > 0 ? wholeCharacters(text, room) : '';
    this.#shown += head;
    this.#keepTail(text.slice(head.length));
    return head;
  }

  /** The text is complete: tells what was left out, and the tail. @returns what is to be added. */
  finish(): string {
    if (this.#tail === '') return '';
    this.#finished = true;
    const added = `${leftOut(this.#left)}${this.#tail}`;
    this.#shown += added;
    this.#tail = '';
    this.#left = 0;
    return added;
  }

  /** @returns what is to be added where the new text goes on from the old, else undefined. */
  replace(text: string): string | undefined {
    const goesOn = !this.#finished && text.startsWith(this.#shown);
    this.#tail = '';
    this.#left = 0;
    if (goesOn) return this.append(text.slice(this.#shown.length));
    this.#shown = '';
    this.#finished = false;
    this.append(text);
    return undefined;
  }

  #keepTail(text: string): void {
    if (text === '') return;
    const all = this.#tail + text;
    const cut = Math.max(0, all.length - this.limits.tail);
    const start = cut > 0 && isLowSurrogate(all.charCodeAt(cut)) ? cut + 1 : cut;
    this.#left += start;
    this.#tail = all.slice(start);
  }
}

/** As much of the text as fits, without half a character at its end. */
export function wholeCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit);
}

/** Cuts a text that is shown at once, and says so. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = wholeCharacters(text, limit);
  return `${head}\n… ${text.length - head.length} more characters\n`;
}

function leftOut(count: number): string {
  return count === 0 ? '' : `\n… ${count} characters left out …\n`;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
