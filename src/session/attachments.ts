/** What the user attaches to a prompt, read at the moment of sending. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../core/errors.ts';
import type { AbsolutePath } from '../core/ports.ts';
import type { Attachment } from './model.ts';
import type { BufferPort, PromptPart } from './ports.ts';

export interface AttachmentRequest {
  readonly path: AbsolutePath;
  /** 0-based lines, both included, both or none. */
  readonly first?: number | undefined;
  readonly last?: number | undefined;
}

export interface AttachmentOptions {
  readonly buffers: BufferPort;
  /** Bytes; a larger file is named, not sent. */
  readonly limit: number;
  /** The agent's working directory, for labels. */
  readonly folder: AbsolutePath;
  readonly images: boolean;
}

const IMAGES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/** How an attachment is named in the conversation. */
export function describe(request: AttachmentRequest, folder: AbsolutePath): Attachment {
  const lines = linesOf(request);
  const relative = path.relative(folder, request.path);
  const shown = relative.startsWith('..') || relative === '' ? request.path : relative;
  const label = lines ? `${shown}:${lines.first + 1}-${lines.last + 1}` : shown;
  return { label, path: request.path };
}

/** @throws Error naming the file, where it cannot be read. */
export async function readAttachment(
  request: AttachmentRequest,
  options: AttachmentOptions,
): Promise<PromptPart> {
  const mime = IMAGES[path.extname(request.path).toLowerCase()];
  const lines = linesOf(request);
  try {
    if (mime && options.images) {
      const { size } = await stat(request.path);
      if (size > options.limit) return { kind: 'file', path: request.path };
      const base64 = await readFile(request.path, 'base64');
      return { kind: 'image', path: request.path, mime, base64 };
    }
    const text = mime ? undefined : await textOf(request, options);
    return {
      kind: 'file',
      path: request.path,
      ...(lines && { lines }),
      ...(text !== undefined && { text }),
    };
  } catch (error) {
    throw new Error(`${request.path} cannot be attached: ${messageOf(error)}`, { cause: error });
  }
}

async function textOf(
  request: AttachmentRequest,
  { buffers, limit }: AttachmentOptions,
): Promise<string | undefined> {
  const lines = linesOf(request);
  const whole = (await buffers.read(request.path)) ?? (await fromDisk(request.path, limit));
  if (whole === undefined) return undefined;
  const text = lines
    ? whole
        .split('\n')
        .slice(lines.first, lines.last + 1)
        .join('\n')
    : whole;
  return Buffer.byteLength(text) > limit ? undefined : text;
}

async function fromDisk(file: AbsolutePath, limit: number): Promise<string | undefined> {
  const { size } = await stat(file);
  if (size > limit) return undefined;
  const bytes = await readFile(file);
  // A file that is no text is named only.
  return bytes.includes(0) ? undefined : bytes.toString('utf8');
}

function linesOf({ first, last }: AttachmentRequest) {
  return first === undefined || last === undefined ? undefined : { first, last };
}
