/** Chooses, among the forms in which a kernel offers one result, the one that a model reads best. */
import type { CodeOutput } from '../core/code-runner.ts';
import { asText, type MimeBundle } from './messages.ts';
import { plainText } from './terminal-text.ts';

export interface ImageLimits {
  /** Of one image's base64 text. */
  readonly maxImageBytes: number;
}

/** The kinds of image that models take, best first. */
const RASTER = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
/** Text forms, for objects whose plain text is only their class name. */
const RICH_TEXT = ['text/markdown', 'text/latex', 'application/json', 'text/html'] as const;
const SVG = 'image/svg+xml';
/** A longer drawing says nothing to a model that reads its source. */
const MAX_SVG_CHARACTERS = 20_000;

export function outputOf(bundle: MimeBundle, limits: ImageLimits): CodeOutput | undefined {
  const image = rasterImage(bundle, limits);
  if (image?.kind === 'image') return image;
  const text = vectorImage(bundle) ?? textForm(bundle);
  if (image && text) return { kind: 'text', text: `${text}\n${image.text}` };
  return image ?? (text === undefined ? undefined : { kind: 'text', text });
}

function rasterImage(bundle: MimeBundle, { maxImageBytes }: ImageLimits): CodeOutput | undefined {
  for (const mimeType of RASTER) {
    const data = textOf(bundle, mimeType)?.replace(/\s+/g, '');
    if (!data || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) continue;
    if (data.length <= maxImageBytes) return { kind: 'image', mimeType, data };
    return {
      kind: 'text',
      text: `[${mimeType} of ${data.length} bytes left out: the limit is ${maxImageBytes}; draw it smaller]`,
    };
  }
  return undefined;
}

function vectorImage(bundle: MimeBundle): string | undefined {
  const source = textOf(bundle, SVG);
  if (source === undefined || source.length <= MAX_SVG_CHARACTERS) return source;
  const plain = textOf(bundle, 'text/plain');
  const note = `[SVG image of ${source.length} characters left out: draw it as PNG to see it]`;
  return plain === undefined ? note : `${plain}\n${note}`;
}

function textForm(bundle: MimeBundle): string | undefined {
  const plain = textOf(bundle, 'text/plain');
  if (plain && !/^<[\w.]+ object( at 0x[0-9a-f]+)?>$/.test(plain)) {
    return plainText(plain);
  }
  for (const type of RICH_TEXT) {
    const text = textOf(bundle, type);
    if (text !== undefined) return text;
  }
  return plain;
}

function textOf(bundle: MimeBundle, type: string): string | undefined {
  const value = bundle[type];
  if (value === undefined) return undefined;
  const text = asText.safeParse(value);
  return text.success ? text.data : JSON.stringify(value);
}
