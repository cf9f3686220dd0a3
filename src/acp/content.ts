/** Content blocks of the protocol, from and to what a session knows. */
import { pathToFileURL } from 'node:url';
import type { ContentBlock, ToolCallContent, ToolCallLocation } from '@agentclientprotocol/sdk';
import type { FileDiff, FileLocation } from '../session/model.ts';
import type { PromptPart } from '../session/ports.ts';
import { asText } from '../session/prompt-text.ts';

/** What the agent takes besides text and links. */
export interface Takes {
  readonly images: boolean;
  readonly resources: boolean;
}

export function blockOf(part: PromptPart, takes: Takes): ContentBlock {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return takes.images
        ? { type: 'image', data: part.base64, mimeType: part.mime }
        : link(part.path, '');
    case 'file': {
      const lines = part.lines ? `#L${part.lines.first + 1}-${part.lines.last + 1}` : '';
      if (part.text === undefined) return link(part.path, lines);
      if (!takes.resources) return { type: 'text', text: asText([part]) };
      const uri = `${pathToFileURL(part.path)}${lines}`;
      return { type: 'resource', resource: { uri, text: part.text } };
    }
  }
}

function link(path: string, lines: string): ContentBlock {
  const name = path.split(/[\\/]/u).at(-1) ?? path;
  return { type: 'resource_link', uri: `${pathToFileURL(path)}${lines}`, name };
}

/** As markdown; what cannot be shown in a buffer is named. */
export function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return `[image: ${block.mimeType}]`;
    case 'audio':
      return `[audio: ${block.mimeType}]`;
    case 'resource_link':
      return `[${block.title ?? block.name}](${block.uri})`;
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[${block.resource.mimeType ?? 'data'}: ${block.resource.uri}]`;
  }
}

export function outputOf(content: readonly ToolCallContent[]): string {
  return content
    .map((item) => (item.type === 'content' ? unfenced(textOf(item.content)) : ''))
    .filter((text) => text !== '')
    .join('\n');
}

/** An output is shown as it is; some agents put it into a fence of markdown, all of it. */
function unfenced(text: string): string {
  const [, fence, body] = /^(`{3,})[^\n`]*\n(.*?)\n?\1\s*$/su.exec(text) ?? [];
  return fence === undefined || body === undefined || body.includes(fence) ? text : body;
}

export function diffsOf(content: readonly ToolCallContent[]): readonly FileDiff[] {
  return content.flatMap((item) =>
    item.type === 'diff'
      ? [
          {
            path: item.path,
            ...(item.oldText != null && { before: item.oldText }),
            after: item.newText,
          },
        ]
      : [],
  );
}

export function locationsOf(locations: readonly ToolCallLocation[]): readonly FileLocation[] {
  return locations.map(({ path, line }) => ({
    path,
    ...(typeof line === 'number' && { line: Math.max(0, line - 1) }),
  }));
}
