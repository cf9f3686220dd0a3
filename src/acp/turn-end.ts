/** What the answer to a prompt tells: why the turn ended, and what it used. */
import { z } from 'zod';
import type { SessionUpdate } from '../session/ports.ts';

const count = z.number().nullish().catch(undefined);

/** Agents put it in different places; the stable protocol has none. */
const Answer = z.looseObject({
  stopReason: z.string().catch('end_turn'),
  usage: z.looseObject({ totalTokens: count }).nullish().catch(undefined),
  _meta: z
    .looseObject({
      quota: z
        .looseObject({
          token_count: z.looseObject({ input_tokens: count, output_tokens: count }).nullish(),
        })
        .nullish(),
    })
    .nullish()
    .catch(undefined),
});

const REASONS: Readonly<Record<string, string>> = {
  max_tokens: 'The agent stopped: it has no more tokens for an answer.',
  max_turn_requests: 'The agent stopped: it has made as many requests as it may in one turn.',
  refusal: 'The agent refuses to go on.',
};

export function turnEnd(answer: unknown): readonly SessionUpdate[] {
  const parsed = Answer.safeParse(answer);
  const reason = parsed.success ? parsed.data.stopReason : 'end_turn';
  const updates: SessionUpdate[] = [{ kind: 'turn', running: false, reason }];
  const text = REASONS[reason];
  if (text !== undefined) updates.unshift({ kind: 'notice', level: 'warn', text });
  const used = parsed.success ? usedIn(parsed.data) : undefined;
  if (used !== undefined) updates.push({ kind: 'usage', usage: { tokens: { used } } });
  return updates;
}

function usedIn({ usage, _meta }: z.output<typeof Answer>): number | undefined {
  if (typeof usage?.totalTokens === 'number') return usage.totalTokens;
  const tokens = _meta?.quota?.token_count;
  if (!tokens) return undefined;
  return (tokens.input_tokens ?? 0) + (tokens.output_tokens ?? 0);
}
