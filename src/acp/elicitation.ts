/** Questions of an agent, or of a server behind it, as forms. */

import type { CreateElicitationResponse, ElicitationContentValue } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { fieldsOf } from '../session/forms.ts';
import type { SessionSink } from '../session/ports.ts';
import type { FormPrompt, FormValue } from '../session/prompts.ts';

const Request = z.discriminatedUnion('mode', [
  z.looseObject({ mode: z.literal('form'), message: z.string(), requestedSchema: z.unknown() }),
  z.looseObject({ mode: z.literal('url'), message: z.string(), url: z.string() }),
]);

const Content = z.record(
  z.string(),
  z.custom<ElicitationContentValue>(() => true),
);

/** Declines what it does not understand: the agent asked in a way that was not offered. */
export async function elicit(
  params: unknown,
  sink: SessionSink,
  signal: AbortSignal,
): Promise<CreateElicitationResponse> {
  const prompt = promptOf(params);
  if (!prompt) return { action: 'decline' };
  const answer = await sink.ask(prompt, signal);
  switch (answer.kind) {
    case 'filled':
      return { action: 'accept', content: contentOf(answer.values) };
    case 'declined':
      return { action: 'decline' };
    default:
      return { action: 'cancel' };
  }
}

function promptOf(params: unknown): FormPrompt | undefined {
  const request = Request.safeParse(params);
  if (!request.success) return undefined;
  const { data } = request;
  if (data.mode === 'url') return { kind: 'form', title: data.message, fields: [], url: data.url };
  const fields = fieldsOf(data.requestedSchema);
  return fields && { kind: 'form', title: data.message, fields };
}

/** The protocol has texts, numbers and lists of texts; what else a schema asked for goes as it is. */
function contentOf(
  values: Readonly<Record<string, FormValue>>,
): Record<string, ElicitationContentValue> {
  return Content.parse(values);
}
