/**
 * Text that may grow without end. All of it is passed on as it comes; kept are its head and its tail,
 * for a view that must be told anew.
 */
export interface TextLimits {
  /** UTF-16 code units. */
  readonly head: number;
  readonly tail: number;
}

export class BoundedText {
  #head = '';
  #tail = '';
  /** Of what has come, how much is in neither. */
  #left = 0;
  #isPastHead = false;

  constructor(private readonly limits: TextLimits) {}

  /** What is kept, and how much is not. */
  get shown(): string {
    return this.#head + leftOut(this.#left) + this.#tail;
  }

  /** Of what is kept. */
  get length(): number {
    return this.#head.length + this.#tail.length;
  }

  append(text: string): void {
    const room = this.#isPastHead ? 0 : this.limits.head - this.#head.length;
    const head = room > 0 ? wholeCharacters(text, room) : '';
    if (head.length === text.length) {
      this.#head += head;
      return;
    }
    this.#head += ofItsOwn(head);
    this.#isPastHead = true;
    this.#keepTail(text.slice(head.length));
  }

  /** @returns what is to be added where the new text goes on from the old, else undefined. */
  replace(text: string): string | undefined {
    const length = this.length + this.#left;
    const tail = text.slice(length - this.#tail.length, length);
    const goesOn = text.startsWith(this.#head) && text.length >= length && tail === this.#tail;
    if (goesOn) {
      const added = text.slice(length);
      this.append(added);
      return added;
    }
    this.#head = '';
    this.#tail = '';
    this.#left = 0;
    this.#isPastHead = false;
    this.append(text);
    return undefined;
  }

  #keepTail(text: string): void {
    const all = this.#tail + text;
    const cut = Math.max(0, all.length - this.limits.tail);
    const start = cut > 0 && isLowSurrogate(all.charCodeAt(cut)) ? cut + 1 : cut;
    this.#left += start;
    const tail = all.slice(start);
    // Not at each piece.
    this.#tail = all.length > 2 * this.limits.tail ? ofItsOwn(tail) : tail;
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
  const head = ofItsOwn(wholeCharacters(text, limit));
  return `${head}\n… ${text.length - head.length} more characters\n`;
}

/** Cuts a text that waits for a view which cannot keep up: its end is what counts. */
export function keepEnd(text: string, limit: number): string {
  const from = text.length - limit;
  const start = isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from;
  return `${leftOut(start)}${ofItsOwn(text.slice(start))}`;
}

/** A part of a long text would keep all of it in memory. */
export function ofItsOwn(part: string): string {
  return structuredClone(part);
}

function leftOut(count: number): string {
  return count === 0 ? '' : `\n… ${count} characters left out …\n`;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
