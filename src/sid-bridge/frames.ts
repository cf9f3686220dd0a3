/** The frames of sid-code's bridge, both ways: one JSON object a WebSocket frame. */
import { z } from 'zod';

const text = z.string();

/** Heartbeats are a status without an id. */
const Status = z.looseObject({
  status: text.nullish(),
  ping: z.boolean().nullish(),
  message: text.nullish(),
  text: text.nullish(),
});

export const InFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('status'), id: text.nullish(), data: Status }),
  z.object({ type: z.literal('text'), id: text.nullish(), data: z.looseObject({ text }) }),
  z.object({
    type: z.literal('tool_use'),
    id: text.nullish(),
    data: z.looseObject({ toolName: text, input: z.unknown().optional() }),
  }),
  z.object({
    type: z.literal('tool_result'),
    id: text.nullish(),
    data: z.looseObject({
      toolName: text,
      /** Always empty in the versions known. */
      output: text.nullish(),
      isError: z.boolean().nullish(),
    }),
  }),
  z.object({
    type: z.literal('permission_request'),
    id: text,
    data: z.looseObject({
      toolName: text,
      toolInput: z.unknown().optional(),
      description: text.nullish(),
      dangerLevel: text.nullish(),
    }),
  }),
]);

export type InFrame = z.output<typeof InFrame>;

const TypeOnly = z.looseObject({ type: text });

export type ParsedFrame =
  | { readonly frame: InFrame }
  /** A frame of a type that is not known is no fault. */
  | { readonly unknown: string }
  | { readonly problem: string };

const KNOWN: ReadonlySet<string> = new Set([
  'status',
  'text',
  'tool_use',
  'tool_result',
  'permission_request',
]);

export function parseFrame(raw: string): ParsedFrame {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return { problem: 'it is no JSON' };
  }
  const { data: typed } = TypeOnly.safeParse(value);
  if (typed && !KNOWN.has(typed.type)) return { unknown: typed.type };
  const parsed = InFrame.safeParse(value);
  return parsed.success ? { frame: parsed.data } : { problem: z.prettifyError(parsed.error) };
}

/** sid-code drops a frame whose id it has seen, so each frame has its own and a repeat is safe. */
export type OutFrame = { readonly id: string; readonly timestamp: number } & (
  | { readonly type: 'user_message'; readonly data: { readonly text: string } }
  | { readonly type: 'permission_response'; readonly data: { readonly allowed: boolean } }
  | { readonly type: 'control'; readonly data: { readonly command: 'abort' | 'ping' } }
);
