/** The envelope of a bus message, and binary data in it. */
import { z } from 'zod';

export const Envelope = z.object({
  type: z.string().min(1),
  data: z.unknown().optional(),
  /** Milliseconds since the epoch. Of no use here, so a false one costs nothing. */
  timestamp: z.number().nullish().catch(undefined),
  /** A number is no id of the protocol; it goes back as it came. */
  id: z.union([z.string(), z.number()]).nullish(),
});

export type Envelope = z.output<typeof Envelope>;

const BINARY = 'Buffer';
const Bytes = z.array(z.int().min(0).max(255));

/** One message as text, with binary data as `{__type: 'Buffer', data: base64}`. */
export function encode(message: Envelope): string {
  // A buffer has a JSON form of its own, so `value` is never one: the holder still has it.
  return JSON.stringify(message, function (this: unknown, key: string, value: unknown) {
    const held = isRecord(this) ? this[key] : value;
    if (!(held instanceof Uint8Array)) return value;
    return { __type: BINARY, data: Buffer.from(held).toString('base64') };
  });
}

export interface Decoded {
  readonly messages: readonly Envelope[];
  /** What is wrong with what is no message; each costs itself only. */
  readonly problems: readonly string[];
}

/** Reads one message, or a list of them: the protocol does not say which form a batch has. */
export function decode(text: string): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(text, (_, inner: unknown) => revive(inner));
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    return { messages: [], problems: [`it is no JSON: ${why}`] };
  }
  const messages: Envelope[] = [];
  const problems: string[] = [];
  for (const one of Array.isArray(value) ? value : [value]) {
    const parsed = Envelope.safeParse(one);
    if (parsed.success) messages.push(parsed.data);
    else problems.push(z.prettifyError(parsed.error));
  }
  return { messages, problems };
}

function revive(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { data } = value;
  if (value['__type'] === BINARY) {
    return typeof data === 'string' ? Buffer.from(data, 'base64') : value;
  }
  // What the protocol's own code sends: by the time that it looks, a buffer has this form.
  const plain = value['type'] === BINARY && Object.keys(value).length === 2;
  const bytes = plain ? Bytes.safeParse(data) : undefined;
  return bytes?.success ? Buffer.from(bytes.data) : value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
