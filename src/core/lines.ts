/** Cuts a stream of text into lines; one that is too long costs itself only. */

/** The longest message that is taken, in bytes or characters: more would fill the memory. */
export const MESSAGE_LIMIT = 32 * 1024 * 1024;

export class LineSplitter {
  #partial = '';
  #skipping = false;

  constructor(
    private readonly onLine: (line: string) => void,
    private readonly limit: number,
    private readonly onTooLong: () => void,
    private readonly options: { readonly empty?: boolean } = {},
  ) {}

  push(text: string): void {
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      this.#add(text.slice(from, at));
      this.#end();
      from = at + 1;
    }
    this.#add(text.slice(from));
  }

  #add(piece: string): void {
    if (this.#skipping) return;
    if (this.#partial.length + piece.length > this.limit) {
      this.#skipping = true;
      this.#partial = '';
      this.onTooLong();
    } else this.#partial += piece;
  }

  #end(): void {
    const line = this.#partial.endsWith('\r') ? this.#partial.slice(0, -1) : this.#partial;
    const skipped = this.#skipping;
    this.#partial = '';
    this.#skipping = false;
    if (!skipped && (this.options.empty || line.trim() !== '')) this.onLine(line);
  }
}
