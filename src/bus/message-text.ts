/** Reads a bus `Message`, whose fields the protocol leaves open. */
import type { z } from 'zod';
import type { MessageEntry } from '../session/model.ts';
import type { Message } from './agent-messages.ts';

type BusMessage = z.output<typeof Message>;
type Content = BusMessage['content'];

export function roleOf(message: BusMessage): MessageEntry['kind'] {
  const role = message.role ?? message.message?.role ?? message.type;
  if (role === 'user' || role === 'human') return 'user';
  return role === 'thought' || role === 'thinking' ? 'thought' : 'agent';
}

/** Undefined where the message brings no text. */
export function textOf(message: BusMessage): string | undefined {
  const content = message.content ?? message.message?.content;
  if (content !== undefined && content !== null) return contentText(content);
  return message.text ?? undefined;
}

function contentText(content: NonNullable<Content>): string {
  if (typeof content === 'string') return content;
  return content
    .map((block) => (typeof block === 'string' ? block : (block.text ?? '')))
    .filter((text) => text !== '')
    .join('\n\n');
}
