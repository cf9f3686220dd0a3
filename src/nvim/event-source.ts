/** The events that the Lua side sends, parsed into the core's. */
import { z } from 'zod';
import { BridgeError } from '../core/errors.ts';
import type { EditorEvent } from '../core/ports.ts';
import { reviewEvents } from './review-events.ts';
import { FilePath, LuaSelection, listOf } from './schema.ts';

type EventParser = z.ZodType<EditorEvent>;

const Mention = z
  .object({
    path: FilePath,
    first: z.int().nonnegative().optional(),
    last: z.int().nonnegative().optional(),
  })
  .transform(({ path, first, last }): EditorEvent => {
    if (first === undefined || last === undefined) return { kind: 'mention', path };
    const lines = { first: Math.min(first, last), last: Math.max(first, last) };
    return { kind: 'mention', path, lines };
  });

const contextEvents: Readonly<Record<string, EventParser>> = {
  selection: LuaSelection.transform((selection): EditorEvent => ({ kind: 'selection', selection })),
  document_closed: z
    .object({ path: FilePath })
    .transform(({ path }): EditorEvent => ({ kind: 'document-closed', path })),
  documents: z
    .object({ paths: listOf(FilePath) })
    .transform(({ paths }): EditorEvent => ({ kind: 'documents', paths })),
  workspace: z
    .object({ folders: listOf(FilePath) })
    .transform(({ folders }): EditorEvent => ({ kind: 'workspace', folders })),
  diagnostics_changed: z
    .object({ paths: listOf(FilePath) })
    .transform(({ paths }): EditorEvent => ({ kind: 'diagnostics-changed', paths })),
  mention: Mention,
  sharing: z
    .object({ enabled: z.boolean() })
    .transform(({ enabled }): EditorEvent => ({ kind: 'sharing', isOn: enabled })),
};

const parsers: Readonly<Record<string, EventParser>> = { ...contextEvents, ...reviewEvents };

const Envelope = z.looseObject({ kind: z.string() });

/**
 * The event for the core; undefined where it is not for the core.
 * @throws BridgeError `editor-failed` where it is malformed
 */
export function parseEditorEvent(raw: unknown): EditorEvent | undefined {
  const { kind } = parse(Envelope, raw, 'event');
  const parser = Object.hasOwn(parsers, kind) ? parsers[kind] : undefined;
  return parser && parse(parser, raw, `event ${kind}`);
}

function parse<T>(schema: z.ZodType<T>, raw: unknown, what: string): T {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw new BridgeError('editor-failed', `${what}: ${z.prettifyError(parsed.error)}`);
}
