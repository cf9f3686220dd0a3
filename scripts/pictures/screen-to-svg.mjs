// A terminal's screen, as `tmux capture-pane -e` gives it, drawn as a picture.

const CELL = { width: 8.4, height: 18, size: 14 };
const MARGIN = 12;
const DEFAULT = { fg: '#e0e2ea', bg: '#14161b' };
/** The sixteen colours of a dark terminal. */
const BASIC = [
  '#07080d', '#ffc0b9', '#b3f6c0', '#fce094', '#a6dbff', '#ffcaff', '#8cf8f7', '#eef1f8',
  '#4f5258', '#ffc0b9', '#b3f6c0', '#fce094', '#a6dbff', '#ffcaff', '#8cf8f7', '#eef1f8',
]; // biome-ignore format: a table of colours reads by its rows
const CUBE = [0, 95, 135, 175, 215, 255];

/** @param screen lines with SGR sequences @returns the text of an SVG file */
export function screenToSvg(screen, { columns, rows, title }) {
  const width = Math.round(columns * CELL.width + 2 * MARGIN);
  const height = rows * CELL.height + 2 * MARGIN;
  const lines = screen.split('\n').slice(0, rows);
  let style = plain();
  const drawn = lines.map((line, row) => {
    const [runs, last] = runsOf(line, style);
    style = last;
    return drawLine(runs, row);
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${DEFAULT.bg}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${CELL.size}" xml:space="preserve">`,
    ...drawn.filter((line) => line !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function drawLine(runs, row) {
  const y = MARGIN + row * CELL.height;
  let column = 0;
  const parts = [];
  for (const { text, style } of runs) {
    const [fg, bg] = style.reverse ? [style.bg, style.fg] : [style.fg, style.bg];
    const x = (MARGIN + column * CELL.width).toFixed(1);
    const width = ([...text].length * CELL.width).toFixed(1);
    if (bg !== DEFAULT.bg) {
      parts.push(`<rect x="${x}" y="${y}" width="${width}" height="${CELL.height}" fill="${bg}"/>`);
    }
    if (text.trim() !== '') {
      const bold = style.bold ? ' font-weight="bold"' : '';
      const baseline = y + CELL.height - 4.5;
      parts.push(
        `<text x="${x}" y="${baseline}" fill="${fg}" textLength="${width}"${bold}>${escaped(text)}</text>`,
      );
    }
    column += [...text].length;
  }
  return parts.join('');
}

const plain = () => ({ ...DEFAULT, bold: false, reverse: false });

/** Runs of one style each; the style goes on at the next line. */
function runsOf(line, first) {
  let style = first;
  const runs = [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an SGR sequence begins with one
  for (const part of line.split(/(\u001b\[[0-9;:]*m)/)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
    const sgr = /^\u001b\[([0-9;:]*)m$/.exec(part);
    if (sgr) style = applySgr(style, sgr[1].split(/[;:]/).map(Number));
    else if (part !== '') runs.push({ text: part, style });
  }
  return [runs, style];
}

function applySgr(style, codes) {
  const next = { ...style };
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i];
    if (code === 0) Object.assign(next, plain());
    else if (code === 1) next.bold = true;
    else if (code === 22) next.bold = false;
    else if (code === 7) next.reverse = true;
    else if (code === 27) next.reverse = false;
    else if (code === 39) next.fg = DEFAULT.fg;
    else if (code === 49) next.bg = DEFAULT.bg;
    else if (code === 38 || code === 48) {
      const [colour, taken] = extended(codes.slice(i + 1));
      next[code === 38 ? 'fg' : 'bg'] = colour;
      i += taken;
    } else basic(next, code);
  }
  return next;
}

function basic(style, code) {
  const ranges = { fg: [30, 90], bg: [40, 100] };
  for (const [side, [dark, bright]] of Object.entries(ranges)) {
    if (code >= dark && code < dark + 8) style[side] = BASIC[code - dark];
    if (code >= bright && code < bright + 8) style[side] = BASIC[code - bright + 8];
  }
}

/** @returns the colour, and how many codes told it */
function extended([kind, ...rest]) {
  if (kind === 2) return [hex(rest.slice(0, 3)), 4];
  const index = rest[0] ?? 0;
  if (index < 16) return [BASIC[index], 2];
  if (index >= 232) return [hex(Array(3).fill(8 + (index - 232) * 10)), 2];
  const cube = index - 16;
  const levels = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
  return [hex(levels.map((level) => CUBE[level])), 2];
}

const hex = (rgb) => `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
const escaped = (text) =>
  text.replace(
    /[&<>"]/g,
    (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char],
  );
