/** What a notebook says of its kernel: in its JSON, or in the YAML at its beginning. */
import fs from 'node:fs/promises';
import { z } from 'zod';
import type { Notebook } from '../core/code-runner.ts';

export interface NotebookKernel {
  readonly name?: string | undefined;
  readonly language?: string | undefined;
}

const Metadata = z.object({
  metadata: z.object({
    kernelspec: z
      .object({ name: z.string().optional(), language: z.string().optional() })
      .optional(),
    language_info: z.object({ name: z.string().optional() }).optional(),
  }),
});

/** Of anything unreadable: nothing, so that the default kernel is taken. */
export async function kernelOf(notebook: Notebook): Promise<NotebookKernel> {
  if (notebook.kind !== 'ipynb') return kernelInText(notebook.header);
  try {
    return kernelInJson(await fs.readFile(notebook.path, 'utf8'));
  } catch {
    return {}; // a new notebook that was not saved yet
  }
}

export function kernelInJson(text: string): NotebookKernel {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return {}; // empty, or half written
  }
  const parsed = Metadata.safeParse(json);
  if (!parsed.success) return {};
  const { kernelspec, language_info } = parsed.data.metadata;
  return { name: kernelspec?.name, language: kernelspec?.language ?? language_info?.name };
}

/**
 * Reads the front matter of Quarto (`jupyter: python3`, or a `kernelspec` below it) and the header
 * that Jupytext writes as comments. Where neither is there, the first chunk tells the language.
 */
export function kernelInText(lines: readonly string[]): NotebookKernel {
  const yaml = frontMatter(lines);
  const name = valueAt(yaml, ['jupyter']) ?? kernelspecOf(yaml, 'name');
  const language = kernelspecOf(yaml, 'language') ?? chunkLanguage(lines);
  return { name, language };
}

function kernelspecOf(yaml: readonly string[], key: string): string | undefined {
  return valueAt(yaml, ['jupyter', 'kernelspec', key]) ?? valueAt(yaml, ['kernelspec', key]);
}

/** The lines between the two `---`, without the comment signs of a script. */
function frontMatter(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => line.trim() !== '');
  const [, comment] = /^(\W*?)\s*---\s*$/.exec(lines[start] ?? '') ?? [];
  if (comment === undefined) return [];
  const body = lines.slice(start + 1).map((line) => uncommented(line, comment));
  const end = body.findIndex((line) => /^(---|\.\.\.)\s*$/.test(line));
  return end < 0 ? [] : body.slice(0, end);
}

function uncommented(line: string, comment: string): string {
  if (comment === '') return line;
  return line.startsWith(comment) ? line.slice(comment.length).replace(/^ /, '') : line;
}

/** A scalar of block-style YAML, the only form that the two tools write. */
function valueAt(yaml: readonly string[], keys: readonly string[]): string | undefined {
  let depth = -1;
  let from = 0;
  for (const [level, key] of keys.entries()) {
    const found = childAt(yaml, from, depth, key);
    if (!found) return undefined;
    if (level === keys.length - 1) return found.value || undefined;
    depth = found.indent;
    from = found.line + 1;
  }
  return undefined;
}

interface YamlLine {
  readonly line: number;
  readonly indent: number;
  readonly value: string;
}

/** Looks for a key among the lines below one of that depth. */
function childAt(
  yaml: readonly string[],
  from: number,
  depth: number,
  key: string,
): YamlLine | undefined {
  let own: number | undefined;
  for (let line = from; line < yaml.length; line += 1) {
    const [, blank, name, rest] = /^(\s*)([\w-]+)\s*:(.*)$/.exec(yaml[line] ?? '') ?? [];
    if (blank === undefined) continue;
    if (blank.length <= depth) return undefined;
    own ??= blank.length;
    if (blank.length === own && name === key) {
      return { line, indent: own, value: scalar(rest ?? '') };
    }
  }
  return undefined;
}

const scalar = (text: string): string =>
  text
    .replace(/\s+#.*$/, '')
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2');

function chunkLanguage(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const [, language] = /^\s*(?:```+|~~~+)\s*\{(\w+)[\s,}]/.exec(line) ?? [];
    if (language) return language;
  }
  return undefined;
}
