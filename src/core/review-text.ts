/**
 * Text as a string and as an editor's buffer holds it: lines, and apart from them what the lines
 * cannot show. A proposal that comes back unedited is answered from the original string; these
 * functions serve the one that was edited, whose untouched parts must not change either.
 */

/** The line ends of a buffer, by Neovim's names: LF, CR LF, CR. */
export const FORMATS = ['unix', 'dos', 'mac'] as const;
export type Format = (typeof FORMATS)[number];

/** The line ends of a text. With `mixed` some are LF and some CR LF; CRs elsewhere are text. */
export type LineEnds = Format | 'mixed' | 'none';

export interface ViewText {
  /** None for an empty text; one empty line is a text of its own, "\n". */
  readonly lines: readonly string[];
  /** The last line has a line end. */
  readonly eol: boolean;
  /** The text starts with a byte order mark, which is in no line. */
  readonly bom: boolean;
  /** What the lines do not show: with `dos` every line end is CR LF. Otherwise a CR is in its line. */
  readonly ends: LineEnds;
}

const BOM = '\uFEFF';
const LINE_END: Readonly<Record<LineEnds, string>> = {
  unix: '\n',
  dos: '\r\n',
  mac: '\r',
  mixed: '\n',
  none: '\n',
};

/** A text with CRs and no LF stays one line: it may be meant so, and the editor knows the file. */
export function toView(text: string): ViewText {
  const bom = text.startsWith(BOM);
  const body = bom ? text.slice(BOM.length) : text;
  const ends = lineEndsOf(body);
  // What is typed into an empty file gets a final line end, as everywhere in the editor.
  if (body === '') return { lines: [], eol: true, bom, ends };
  if (ends === 'mac') return { lines: [body], eol: false, bom, ends };
  const lines = body.split(LINE_END[ends]);
  const eol = lines.at(-1) === '';
  if (eol) lines.pop();
  return { lines, eol, bom, ends };
}

function lineEndsOf(body: string): LineEnds {
  if (!body.includes('\n')) return body.includes('\r') ? 'mac' : 'none';
  if (!body.includes('\r\n')) return 'unix';
  return /(?:^|[^\r])\n/.test(body) ? 'mixed' : 'dos';
}

export function fromView({ lines, eol, bom, ends }: ViewText): string {
  const end = LINE_END[ends];
  const body = lines.join(end) + (eol && lines.length > 0 ? end : '');
  return bom ? BOM + body : body;
}
