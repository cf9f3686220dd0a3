/** Fits what an agent says of a tool call or a prompt into what a view can show. */
import { cut } from './bounded-text.ts';
import { DIFF_LIMIT, ERROR_LIMIT, INPUT_LIMIT, TITLE_LIMIT } from './limits.ts';
import type { FileDiff } from './model.ts';
import type { ToolUpdate } from './ports.ts';
import type { Prompt, PromptBlock } from './prompts.ts';

/** One line, not too long. */
export function oneLine(text: string): string {
  const flat = text.replace(/\s+/gu, ' ').trim();
  return flat.length > TITLE_LIMIT ? `${flat.slice(0, TITLE_LIMIT - 1)}…` : flat;
}

export function fitTool(fields: ToolUpdate): ToolUpdate {
  return {
    ...fields,
    ...(fields.title !== undefined && { title: oneLine(fields.title) }),
    ...(fields.input !== undefined && { input: cut(fields.input, INPUT_LIMIT) }),
    ...(fields.error !== undefined && { error: cut(fields.error, ERROR_LIMIT) }),
    ...(fields.diffs !== undefined && { diffs: fitDiffs(fields.diffs) }),
  };
}

export function fitPrompt(prompt: Prompt): Prompt {
  const title = oneLine(prompt.title);
  if (prompt.kind === 'form') {
    return { ...prompt, title, fields: prompt.fields.map(({ limits: _, ...field }) => field) };
  }
  if (prompt.kind !== 'permission') return { ...prompt, title };
  const { fixed: _, ...shown } = prompt;
  let room = DIFF_LIMIT;
  const body = prompt.body.map((block): PromptBlock => {
    if (block.kind !== 'diff') return { ...block, text: cut(block.text, INPUT_LIMIT) };
    const fitted = fitDiff(block, room);
    room -= sizeOf(fitted);
    return { kind: 'diff', ...fitted };
  });
  return { ...shown, title, body };
}

function fitDiffs(diffs: readonly FileDiff[]): readonly FileDiff[] {
  let room = DIFF_LIMIT;
  return diffs.map((diff) => {
    const fitted = fitDiff(diff, room);
    room -= sizeOf(fitted);
    return fitted;
  });
}

function fitDiff(diff: FileDiff, room: number): FileDiff {
  const { path, before, after, part } = diff;
  if (sizeOf(diff) <= room) {
    return { path, ...(before !== undefined && { before }), after, ...(part && { part }) };
  }
  return { path, ...(before !== undefined && { before: '' }), after: '', omitted: true };
}

function sizeOf(diff: FileDiff): number {
  return (diff.before?.length ?? 0) + diff.after.length;
}
