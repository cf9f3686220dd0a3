/** What a tool call is about, read from the arguments that agents commonly give. */
import { resolve } from 'node:path';
import { z } from 'zod';
import type { FileDiff, ToolCategory } from './model.ts';
import type { PromptBlock } from './prompts.ts';

const Arguments = z
  .looseObject({
    command: z.union([z.string(), z.array(z.string())]).optional(),
    file_path: z.string().optional(),
    filePath: z.string().optional(),
    path: z.string().optional(),
    content: z.string().optional(),
    newContent: z.string().optional(),
    oldContent: z.string().optional(),
    old_string: z.string().optional(),
    new_string: z.string().optional(),
    pattern: z.string().optional(),
    query: z.string().optional(),
    url: z.string().optional(),
    description: z.string().optional(),
  })
  .catch({});

type Arguments = z.output<typeof Arguments>;

/** One line for a person. */
export function titleOf(tool: string, input: unknown): string {
  const args = Arguments.parse(input);
  const about =
    commandOf(args) ?? fileOf(args) ?? args.pattern ?? args.query ?? args.url ?? args.description;
  return about === undefined ? tool : `${tool}: ${about}`;
}

/** The arguments as a person reads them: a command as such, all else as JSON. */
export function inputOf(input: unknown): { readonly input: string; readonly syntax: string } {
  const command = commandOf(Arguments.parse(input));
  if (command !== undefined) return { input: command, syntax: 'sh' };
  if (typeof input === 'string') return { input, syntax: '' };
  return { input: JSON.stringify(input, null, 2) ?? '', syntax: 'json' };
}

/**
 * The edit, where the arguments hold the whole new text of a file, or a passage and
 * what replaces it.
 * @param folder for paths that are not absolute.
 */
export function diffOf(tool: string, input: unknown, folder = ''): FileDiff | undefined {
  const args = Arguments.parse(input);
  const named = fileOf(args);
  const path = named === undefined ? undefined : resolve(folder, named);
  const { old_string: before, new_string: passage } = args;
  if (path !== undefined && before !== undefined && passage !== undefined) {
    return { path, before, after: passage, part: true };
  }
  const after = args.newContent ?? (categoryOf(tool) === 'edit' ? args.content : undefined);
  if (path === undefined || after === undefined) return undefined;
  return { path, ...(args.oldContent !== undefined && { before: args.oldContent }), after };
}

/** What a permission is about, in full. */
export function bodyOf(tool: string, input: unknown, folder = ''): readonly PromptBlock[] {
  const diff = diffOf(tool, input, folder);
  if (diff) return [{ kind: 'diff', ...diff }];
  if (input === undefined || input === null) return [];
  const { input: text, syntax } = inputOf(input);
  return [{ kind: 'code', text, syntax }];
}

const CATEGORIES: readonly (readonly [RegExp, ToolCategory])[] = [
  [/^(bash|shell|execute|exec|run|command|terminal)/u, 'execute'],
  [/(write|edit|replace|patch|create|notebook)/u, 'edit'],
  [/(delete|remove)/u, 'delete'],
  [/(move|rename)/u, 'move'],
  [/(grep|glob|search|find)/u, 'search'],
  [/(fetch|http|browse|web)/u, 'fetch'],
  [/(read|cat|list|ls|view)/u, 'read'],
  [/(think|plan|todo)/u, 'think'],
];

/** By the name of the tool, where a dialect tells no more. */
export function categoryOf(tool: string): ToolCategory {
  const name = tool.toLowerCase();
  return CATEGORIES.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}

/** Whatever a tool gave back, as text. */
export function resultText(result: unknown): string {
  if (result === undefined || result === null) return '';
  if (typeof result === 'string') return result;
  if (result instanceof Uint8Array) return Buffer.from(result).toString('utf8');
  const blocks = z.array(z.looseObject({ text: z.string() })).safeParse(result);
  if (blocks.success) return blocks.data.map((block) => block.text).join('\n');
  const output = z.looseObject({ stdout: z.string(), stderr: z.string() }).safeParse(result);
  if (output.success) return `${output.data.stdout}${output.data.stderr}`;
  return JSON.stringify(result, null, 2) ?? '';
}

function commandOf({ command }: Arguments): string | undefined {
  return Array.isArray(command) ? command.join(' ') : command;
}

function fileOf(args: Arguments): string | undefined {
  return args.file_path ?? args.filePath ?? args.path;
}
