/**
 * What an agent sends: the 31 types of both lists of the protocol, with the fields of both. Where
 * the lists differ, either form is taken; fields that are not listed are left alone.
 */
import { z } from 'zod';

const id = z.union([z.string(), z.number().transform(String)]);
const maybe = { id: id.nullish() };
/** Of what is answered: it goes back as it came, and a number is no text. */
const answerable = { id: z.union([z.string(), z.number()]).nullish() };
const text = z.string();
const output = z.union([text, z.instanceof(Uint8Array)]);
const nothing = z.unknown();

const Block = z.looseObject({ type: z.string().nullish(), text: z.string().nullish() });

/** The protocol names the type `Message` and does not say what is in it. */
export const Message = z.looseObject({
  ...maybe,
  uuid: z.string().nullish(),
  role: z.string().nullish(),
  type: z.string().nullish(),
  text: z.string().nullish(),
  content: z.union([z.string(), z.array(z.union([z.string(), Block]))]).nullish(),
  message: z
    .looseObject({
      role: z.string().nullish(),
      content: z.union([z.string(), z.array(z.union([z.string(), Block]))]).nullish(),
    })
    .nullish(),
  streaming: z.boolean().nullish(),
});

const Tokens = z.union([
  z.number(),
  z.looseObject({ input: z.number().nullish(), output: z.number().nullish() }),
]);

const Option = z.union([
  z.string(),
  z.looseObject({
    label: z.string().nullish(),
    value: z.string().nullish(),
    description: z.string().nullish(),
  }),
]);

const Selection = z.looseObject({
  text: z.string().nullish(),
  path: z.string().nullish(),
  range: z.unknown().optional(),
});

export const StoredInStatus = z.looseObject({
  id,
  title: z.string().nullish(),
  current: z.boolean().nullish(),
});

export const agentMessages = {
  message_added: Message,
  message_updated: Message,
  message_removed: z.looseObject({ id }),
  tool_use_start: z.looseObject({
    id,
    name: text,
    input: z.unknown().optional(),
    agent: text.nullish(),
  }),
  tool_use_delta: z.looseObject({ id, partial: z.unknown() }),
  tool_use_result: z.looseObject({
    id,
    result: z.unknown().optional(),
    isError: z.boolean().nullish(),
    durationMs: z.number().nullish(),
  }),
  cost_update: z.looseObject({
    cost: z.number().nullish(),
    tokens: Tokens.nullish(),
    model: text.nullish(),
    totalCost: z.number().nullish(),
    totalTokens: Tokens.nullish(),
  }),
  status: z.looseObject({
    /** A count in one reading, a list in another. */
    sessions: z.unknown().optional(),
    uptime: z.number().nullish(),
    memory: z.unknown().optional(),
    model: text.nullish(),
    mode: text.nullish(),
    sessionId: id.nullish(),
  }),
  file_changed: z.looseObject({
    path: text,
    kind: z.enum(['modified', 'created', 'deleted']).nullish(),
  }),
  file_created: z.looseObject({ path: text }),
  file_deleted: z.looseObject({ path: text }),
  permission_request: z.looseObject({
    ...answerable,
    tool: text,
    input: z.unknown().optional(),
    reason: text.nullish(),
  }),
  permission_response: z.looseObject({ ...maybe, decision: z.unknown().optional() }),
  plan_approval_request: z.looseObject({
    ...answerable,
    plan: z.union([text, z.unknown()]),
    agent: text.nullish(),
  }),
  plan_approval_response: z.looseObject({
    ...maybe,
    approved: z.boolean().nullish(),
    reason: text.nullish(),
  }),
  question_request: z.looseObject({
    ...answerable,
    question: text,
    options: z.array(Option).nullish(),
    multiSelect: z.boolean().nullish(),
  }),
  question_response: z.looseObject({ ...maybe, answer: z.unknown().optional() }),
  selection_change: Selection,
  ide_state: z.looseObject({
    openFiles: z.unknown().optional(),
    activeFile: z.unknown().optional(),
    recentFiles: z.unknown().optional(),
  }),
  ping: nothing,
  pong: nothing,
  error: z.looseObject({
    code: z.union([text, z.number().transform(String)]).nullish(),
    message: text,
    stack: text.nullish(),
  }),
  warning: z.looseObject({ message: text }),
  info: z.looseObject({ message: text }),
  progress: z.looseObject({
    ...maybe,
    stage: text,
    percent: z.number().nullish(),
    message: text.nullish(),
  }),
  elicitation: z.looseObject({ ...answerable, schema: z.unknown(), message: text.nullish() }),
  elicitation_response: z.looseObject({ ...maybe, answer: z.unknown().optional() }),
  attachment: z.looseObject({
    path: text,
    type: text.nullish(),
    size: z.number().nullish(),
    mime: text.nullish(),
  }),
  /** Binary, where it was no text to the agent. */
  command_output: z.looseObject({ stdout: output.nullish(), stderr: output.nullish() }),
  diagnostic: z.looseObject({
    level: text.nullish(),
    message: text,
    source: text.nullish(),
  }),
  telemetry_event: z.looseObject({ event: text, properties: z.unknown().optional() }),
} as const;

/**
 * Two types that the protocol lists as the editor's own, while their words say that they happen in
 * the editor; so they are taken from an agent as well.
 */
export const editorWishes = {
  open_file: z.looseObject({
    path: text,
    /** 1-based, as a person counts. */
    line: z.number().nullish(),
    column: z.number().nullish(),
  }),
  show_diff: z.looseObject({
    filePath: text,
    oldContent: text.nullish(),
    newContent: text,
  }),
} as const;

const inbound = { ...agentMessages, ...editorWishes };
type Inbound = typeof inbound;

/** In the form in which it came. */
export type RequestId = string | number;

export type AgentMessageType = keyof Inbound;
export type AgentMessage = {
  [Type in AgentMessageType]: {
    readonly type: Type;
    readonly data: z.output<Inbound[Type]>;
    /** Of the envelope. */
    readonly id: RequestId | undefined;
  };
}[AgentMessageType];

export function isAgentMessageType(type: string): type is AgentMessageType {
  return Object.hasOwn(inbound, type);
}

/** @returns the message, or what is wrong with its data. */
export function parseAgentMessage(
  type: AgentMessageType,
  data: unknown,
  envelopeId: RequestId | undefined,
): { readonly message: AgentMessage } | { readonly problem: string } {
  const schema: z.ZodType = inbound[type];
  const parsed = schema.safeParse(data);
  if (!parsed.success) return { problem: z.prettifyError(parsed.error) };
  // The schema of this very type has made the data.
  const message = { type, data: parsed.data, id: envelopeId } as AgentMessage;
  return { message };
}
