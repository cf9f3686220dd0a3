/** A file as agents name it. */
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { Editor } from '../core/editor.ts';
import type { AbsolutePath } from '../core/ports.ts';

export const filePath = z
  .string()
  .min(1, 'must name a file')
  // The system would take what stands before it for the name.
  .refine((name) => !name.includes('\0'), 'must not contain a NUL character');

/** The file that is meant: a relative name starts at the working directory, only `~/` expands. */
export function resolveFile(name: string, editor: Editor): AbsolutePath {
  const expanded = name.startsWith('~/') ? path.join(os.homedir(), name.slice(2)) : name;
  return path.resolve(editor.workspace.folders[0] ?? process.cwd(), expanded);
}
