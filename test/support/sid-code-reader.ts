/**
 * How sid-code reads the answer to `openDiff`, and what it writes then: made from the table of
 * answers that were tried on both generations of it.
 */
import { z } from 'zod';
import type { CallResult } from './peer.ts';

export type Reading = 'saved' | 'rejected' | 'closed' | 'error' | 'unsupported';

export interface Verdict {
  readonly reading: Reading;
  /** The text that the client takes from the answer instead of its own. */
  readonly content?: string | undefined;
}

export type Generation = 'first' | 'second';

const READINGS: Readonly<Record<string, Reading>> = {
  FILE_SAVED: 'saved',
  DIFF_REJECTED: 'rejected',
  TAB_CLOSED: 'closed',
};
const Status = z.object({ status: z.string(), content: z.string().optional() });
const Blocks = z.array(z.object({ text: z.string() }));

/** @param answer undefined where none came: an error, a lost connection, a time out */
export function read(generation: Generation, answer: CallResult | undefined): Verdict {
  if (!answer) return { reading: 'unsupported' };
  const texts = answer.content.flatMap(({ type, text }) => (type === 'text' && text ? text : []));
  const joined = texts.join('\n');
  const parsed = asJson(joined);
  const object = Status.safeParse(parsed);
  if (object.success) return verdict(object.data.status, object.data.content);
  if (generation === 'first') return { reading: 'error' };
  const list = Blocks.safeParse(parsed);
  if (list.success) return verdict(list.data[0]?.text, list.data[1]?.text);
  return verdict(joined.trim(), undefined);
}

/** What the file holds when the client is done; undefined where it writes nothing. */
export function written(verdict: Verdict, proposal: string): string | undefined {
  if (verdict.reading === 'rejected') return undefined;
  return verdict.reading === 'saved' ? (verdict.content ?? proposal) : proposal;
}

function verdict(status: string | undefined, content: string | undefined): Verdict {
  return { reading: READINGS[status ?? ''] ?? 'error', content };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
