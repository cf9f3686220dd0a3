/** Fits what an agent says of a tool call or a prompt into what a view can show. */
import { cut, ofItsOwn } from './bounded-text.ts';
import { COUNT_LIMIT, DIFF_LIMIT, ERROR_LIMIT, INPUT_LIMIT, TITLE_LIMIT } from './limits.ts';
import type { FileDiff } from './model.ts';
import type { ToolUpdate } from './ports.ts';
import type { PermissionPrompt, Prompt, PromptBlock } from './prompts.ts';

/** One line, not too long. */
export function oneLine(text: string): string {
  // Of a long text only the head can be on a line.
  const most = 10 * TITLE_LIMIT;
  const head = text.length > most ? ofItsOwn(text.slice(0, most)) : text;
  const flat = head.replace(/\s+/gu, ' ').trim();
  return flat.length > TITLE_LIMIT ? `${flat.slice(0, TITLE_LIMIT - 1)}…` : flat;
}

export function fitTool(fields: ToolUpdate): ToolUpdate {
  return {
    ...fields,
    ...(fields.title !== undefined && { title: oneLine(fields.title) }),
    ...(fields.input !== undefined && { input: cut(fields.input, INPUT_LIMIT) }),
    ...(fields.error !== undefined && { error: cut(fields.error, ERROR_LIMIT) }),
    ...(fields.diffs !== undefined && { diffs: fitDiffs(fields.diffs) }),
    ...(fields.name !== undefined && { name: oneLine(fields.name) }),
    ...(fields.agent !== undefined && { agent: oneLine(fields.agent) }),
    ...(fields.locations !== undefined && { locations: fields.locations.slice(0, COUNT_LIMIT) }),
  };
}

export function fitPrompt(prompt: Prompt): Prompt {
  const title = oneLine(prompt.title);
  switch (prompt.kind) {
    case 'form': {
      const fields = prompt.fields.slice(0, COUNT_LIMIT).map(({ limits: _, ...field }) => field);
      return { ...prompt, title, fields };
    }
    case 'question':
      return { ...prompt, title, options: prompt.options.slice(0, COUNT_LIMIT) };
    case 'plan':
      return { ...prompt, title, text: cut(prompt.text, INPUT_LIMIT) };
    case 'permission':
      return fitPermission({ ...prompt, title });
  }
}

function fitPermission(prompt: PermissionPrompt): PermissionPrompt {
  const { fixed: _, ...shown } = prompt;
  const { reason, tool } = prompt;
  let room = DIFF_LIMIT;
  const body = prompt.body.slice(0, COUNT_LIMIT).map((block): PromptBlock => {
    if (block.kind !== 'diff') return { ...block, text: cut(block.text, INPUT_LIMIT) };
    const fitted = fitDiff(block, room);
    room -= sizeOf(fitted);
    return { kind: 'diff', ...fitted };
  });
  return {
    ...shown,
    ...(tool !== undefined && { tool: oneLine(tool) }),
    ...(reason !== undefined && { reason: cut(reason, ERROR_LIMIT) }),
    body,
  };
}

function fitDiffs(diffs: readonly FileDiff[]): readonly FileDiff[] {
  let room = DIFF_LIMIT;
  return diffs.slice(0, COUNT_LIMIT).map((diff) => {
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
