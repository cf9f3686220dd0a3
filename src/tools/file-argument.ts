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
  const folder = editor.workspace.folders[0] ?? process.cwd();
  const whole = path.isAbsolute(expanded) ? expanded : `${folder}/${expanded}`;
  return withoutDots(whole, (at) => editor.reach.realPath(at));
}

/**
 * `..` leads to the folder above the one that a link leads to, as it does for the system: taken
 * away together with the link's name it would lead to another file.
 */
function withoutDots(name: string, realPath: (at: string) => string): AbsolutePath {
  const steps = name.split('/');
  if (!steps.includes('..') || path.sep !== '/') return path.resolve(name);
  return steps.reduce(
    (at, step) => (step === '..' ? path.dirname(realPath(at)) : path.join(at, step)),
    '/',
  );
}
