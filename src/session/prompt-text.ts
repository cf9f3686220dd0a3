/** A prompt as one text, for agents that take nothing else. */
import type { PromptPart } from './ports.ts';

export function asText(parts: readonly PromptPart[]): string {
  return parts.map(textOf).join('\n\n');
}

function textOf(part: PromptPart): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'image':
      return `@${part.path}`;
    case 'file': {
      const name = nameOf(part);
      return part.text === undefined ? `@${name}` : `@${name}\n${fenced(part.text)}`;
    }
  }
}

function nameOf({ path, lines }: Extract<PromptPart, { kind: 'file' }>): string {
  return lines ? `${path}#L${lines.first + 1}-${lines.last + 1}` : path;
}

/** With more backticks than the text has in a row. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/gu) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`;
}
