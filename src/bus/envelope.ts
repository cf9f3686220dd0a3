/** The envelope of a bus message, and binary data in it. */
import { z } from 'zod';

export const Envelope = z.object({
  type: z.string().min(1),
  data: z.unknown().optional(),
  /** Milliseconds since the epoch. */
  timestamp: z.number().nullish(),
  id: z.union([z.string(), z.number().transform(String)]).nullish(),
});

export type Envelope = z.output<typeof Envelope>;

const BINARY = 'Buffer';

/** One message as text, with binary data as `{__type: 'Buffer', data: base64}`. */
export function encode(message: Envelope): string {
  // A buffer has a JSON form of its own, so `value` is never one: the holder still has it.
  return JSON.stringify(message, function (this: unknown, key: string, value: unknown) {
    const held = isRecord(this) ? this[key] : value;
    if (!(held instanceof Uint8Array)) return value;
    return { __type: BINARY, data: Buffer.from(held).toString('base64') };
  });
}

export type Decoded =
  | { readonly ok: true; readonly messages: readonly Envelope[] }
  | { readonly ok: false; readonly problem: string };

/** Reads one message, or a list of them: the protocol does not say which form a batch has. */
export function decode(text: string): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(text, (_, inner: unknown) => revive(inner));
  } catch (error) {
    return { ok: false, problem: `it is no JSON: ${error instanceof Error ? error.message : ''}` };
  }
  const parsed = z.array(Envelope).safeParse(Array.isArray(value) ? value : [value]);
  if (parsed.success) return { ok: true, messages: parsed.data };
  return { ok: false, problem: z.prettifyError(parsed.error) };
}

function revive(value: unknown): unknown {
  if (!isRecord(value) || value['__type'] !== BINARY) return value;
  const { data } = value;
  return typeof data === 'string' ? Buffer.from(data, 'base64') : value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
