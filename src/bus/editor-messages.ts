/** What the editor sends: the 22 types of both lists, and an answer that only the other side lists. */
import { z } from 'zod';

/** As the agent gave it. */
const id = z.union([z.string(), z.number()]).optional();
const text = z.string();
const nothing = z.undefined();

/** 0-based lines, UTF-16 columns; the protocol does not say what is in a range. */
const Position = z.object({ line: z.number().int(), character: z.number().int() });
const Range = z.object({ start: Position, end: Position });

export const editorMessages = {
  user_input: z.object({ text, mode: text.optional() }),
  file_selected: z.object({ path: text }),
  file_saved: z.object({ path: text, content: text.optional() }),
  selection_changed: z.object({ text, path: text, range: Range }),
  permission_decision: z.object({
    id,
    allow: z.boolean(),
    remember: z.boolean().optional(),
    /** Not in the lists: the words of a user who says no. */
    reason: text.optional(),
  }),
  plan_decision: z.object({ id, approved: z.boolean(), reason: text.optional() }),
  question_answer: z.object({ id, answer: z.union([text, z.array(text), z.null()]) }),
  cancel_request: z.object({ id }),
  reset_session: z.object({ sessionId: text.optional() }),
  switch_session: z.object({ sessionId: text }),
  pause_session: nothing,
  resume_session: nothing,
  set_model: z.object({ model: text }),
  set_permission_mode: z.object({ mode: text }),
  apply_edit: z.object({ filePath: text, newContent: text }),
  reject_edit: z.object({ filePath: text, reason: text }),
  ping: nothing,
  pong: nothing,
  get_status: nothing,
  set_ide_theme: z.object({ theme: text }),
  open_file: z.object({ path: text, line: z.number().optional(), column: z.number().optional() }),
  show_diff: z.object({ filePath: text, oldContent: text, newContent: text }),
  /** Listed as coming from the agent only, although it is the editor that answers. */
  elicitation_response: z.object({
    id,
    answer: z.union([z.record(z.string(), z.unknown()), z.null()]),
  }),
} as const;

export type EditorMessageType = keyof typeof editorMessages;
export type EditorMessage = {
  [Type in EditorMessageType]: {
    readonly type: Type;
    readonly data?: z.input<(typeof editorMessages)[Type]>;
  };
}[EditorMessageType];

/**
 * What may be dropped when the queue is full, and what never.
 * `never`: the user's word. `latest`: an older one is replaced by a newer.
 */
export type Worth = 'never' | 'latest';

const DROPPABLE: ReadonlySet<string> = new Set<EditorMessageType | 'status' | 'progress'>([
  'selection_changed',
  'file_selected',
  'file_saved',
  'set_ide_theme',
  'get_status',
  'ping',
  'pong',
  'open_file',
  'show_diff',
]);

/** The same rule for an agent's side of the bus, as far as it has messages of little worth. */
const DROPPABLE_OF_AGENT: ReadonlySet<string> = new Set([
  'status',
  'progress',
  'telemetry_event',
  'selection_change',
  'ide_state',
  'cost_update',
  'diagnostic',
]);

export function worthOf(type: string): Worth {
  return DROPPABLE.has(type) || DROPPABLE_OF_AGENT.has(type) ? 'latest' : 'never';
}
