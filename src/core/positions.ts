/**
 * Positions in a document. Neovim counts bytes of UTF-8, agents count UTF-16 code units; the two
 * kinds of column are different types so that one is never sent as the other.
 */

declare const utf16: unique symbol;
declare const bytes: unique symbol;

/** 0-based offset in a line, in UTF-16 code units. */
export type Utf16Column = number & { readonly [utf16]: true };
/** 0-based offset in a line, in bytes of its UTF-8 form. */
export type ByteColumn = number & { readonly [bytes]: true };

/** 0-based line, UTF-16 column: the form in which the core keeps every position. */
export interface Position {
  readonly line: number;
  readonly character: Utf16Column;
}

/** `start` is never after `end`; `end` is exclusive. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** 0-based first and last line, both included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/**
 * A position as Neovim reports it: 0-based line, byte column, and the text of the line before the
 * column where that holds more than ASCII (otherwise the column is the same in both units).
 */
export interface BytePosition {
  readonly line: number;
  readonly column: ByteColumn;
  readonly prefix?: string | undefined;
}

export const byteColumn = (value: number): ByteColumn => value as ByteColumn;
export const utf16Column = (value: number): Utf16Column => value as Utf16Column;

/** Converts a byte position; a JavaScript string's length is its number of UTF-16 code units. */
export function toPosition(at: BytePosition): Position {
  const character = at.prefix === undefined ? at.column : at.prefix.length;
  return { line: at.line, character: utf16Column(character) };
}

/** Builds an ordered range from two ends in any order. */
export function toRange(a: Position, b: Position): Range {
  const ordered = a.line < b.line || (a.line === b.line && a.character <= b.character);
  return ordered ? { start: a, end: b } : { start: b, end: a };
}

export function isEmptyRange({ start, end }: Range): boolean {
  return start.line === end.line && start.character === end.character;
}
