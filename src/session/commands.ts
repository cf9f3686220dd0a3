/** What the editor sends to live sessions: `chat_*` events, parsed where they come in. */
import { z } from 'zod';

const session = z.string().min(1);
const id = z.string().min(1);
const inSession = { session };

const FieldValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
/** Lua sends an empty table as a list. */
const Values = z.union([
  z.record(z.string(), FieldValue),
  z
    .array(z.never())
    .length(0)
    .transform((): Record<string, z.output<typeof FieldValue>> => ({})),
]);

const AttachmentCommand = z.object({
  path: z.string().min(1),
  /** 0-based lines, both or none. */
  first: z.number().int().nonnegative().optional(),
  last: z.number().int().nonnegative().optional(),
});

const ContextCommand = z.discriminatedUnion('what', [
  z.object({ what: z.literal('file-selected'), path: z.string().min(1) }),
  z.object({ what: z.literal('file-saved'), path: z.string().min(1) }),
  z.object({ what: z.literal('theme'), theme: z.enum(['dark', 'light']) }),
]);

export const ChatCommand = z.discriminatedUnion('kind', [
  /** Opens a session with an agent, or shows the running one of that agent. */
  z.object({
    kind: z.literal('chat_open'),
    agent: z.string().min(1).optional(),
    /** The working directory of the agent; absolute. */
    folder: z.string().min(1),
    /** A second session with the same agent. */
    fresh: z.boolean().optional(),
    /** A conversation of the agent to go on with. */
    conversation: id.optional(),
  }),
  /** The view asks for all of it again. */
  z.object({ kind: z.literal('chat_show'), ...inSession }),
  z.object({
    kind: z.literal('chat_send'),
    ...inSession,
    text: z.string(),
    attachments: z.array(AttachmentCommand).optional(),
  }),
  /** On a permission or a plan: one of the options that the prompt offers. */
  z.object({
    kind: z.literal('chat_decide'),
    ...inSession,
    id,
    option: z.string().min(1),
    reason: z.string().optional(),
  }),
  /** On a question (`answers`) or a form (`values`); neither declines. */
  z.object({
    kind: z.literal('chat_answer'),
    ...inSession,
    id,
    answers: z.array(z.string()).optional(),
    values: Values.optional(),
  }),
  z.object({ kind: z.literal('chat_cancel'), ...inSession }),
  z.object({ kind: z.literal('chat_pause'), ...inSession }),
  z.object({ kind: z.literal('chat_resume'), ...inSession }),
  z.object({ kind: z.literal('chat_reset'), ...inSession }),
  z.object({ kind: z.literal('chat_list'), ...inSession }),
  /** Goes on with another conversation of the agent: `load` shows what was said in it. */
  z.object({ kind: z.literal('chat_switch'), ...inSession, conversation: id }),
  z.object({ kind: z.literal('chat_load'), ...inSession, conversation: id }),
  z.object({ kind: z.literal('chat_set_model'), ...inSession, model: id }),
  z.object({ kind: z.literal('chat_set_mode'), ...inSession, mode: id }),
  /** Ends the session and its agent. */
  z.object({ kind: z.literal('chat_close'), ...inSession }),
  /** To all sessions. The selection and diagnostics reach them by the editor's own events. */
  z.object({ kind: z.literal('chat_context'), context: ContextCommand }),
]);

export type ChatCommand = z.output<typeof ChatCommand>;
