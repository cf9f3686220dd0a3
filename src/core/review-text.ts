/**
 * Text as a string and as an editor's buffer holds it: lines, and apart from them what the lines
 * cannot show. A proposal that comes back unedited is answered from the original string; these
 * functions serve the one that was edited, whose untouched parts must not change either.
 */

export interface ViewText {
  /** None for an empty text; one empty line is a text of its own, "\n". */
  readonly lines: readonly string[];
  /** The last line has a line end. */
  readonly eol: boolean;
  /** The text starts with a byte order mark, which is in no line. */
  readonly bom: boolean;
  /** Every line end is CR LF; otherwise a CR is part of its line. */
  readonly crlf: boolean;
}

const BOM = '\uFEFF';

export function toView(text: string): ViewText {
  const bom = text.startsWith(BOM);
  const body = bom ? text.slice(BOM.length) : text;
  // What is typed into an empty file gets a final line end, as everywhere in the editor.
  if (body === '') return { lines: [], eol: true, bom, crlf: false };
  const crlf = body.includes('\n') && !/(?:^|[^\r])\n/.test(body);
  const lines = body.split(lineEnd(crlf));
  const eol = lines.at(-1) === '';
  if (eol) lines.pop();
  return { lines, eol, bom, crlf };
}

export function fromView({ lines, eol, bom, crlf }: ViewText): string {
  const end = lineEnd(crlf);
  const body = lines.join(end) + (eol && lines.length > 0 ? end : '');
  return bom ? BOM + body : body;
}

const lineEnd = (crlf: boolean): string => (crlf ? '\r\n' : '\n');
