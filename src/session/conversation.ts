/** The conversation as it stands, and the changes that a view must be told for each update. */
import { BoundedText } from './bounded-text.ts';
import { fitTool, oneLine } from './entry-texts.ts';
import { CONVERSATION_LIMIT, ENTRY_COUNT_LIMIT, MESSAGE_LIMITS, OUTPUT_LIMITS } from './limits.ts';
import type {
  Attachment,
  Entry,
  EntryId,
  FileDiff,
  MessageEntry,
  NoticeEntry,
  ToolEntry,
} from './model.ts';
import type { MessageUpdate, SessionUpdate, ToolUpdate, ViewOp } from './ports.ts';
import { weightOf } from './weight.ts';

type OtherEntry = Exclude<Entry, MessageEntry | ToolEntry>;
type Message = { readonly shape: 'message'; entry: MessageEntry; readonly body: BoundedText };
type Tool = { readonly shape: 'tool'; entry: ToolEntry; readonly body: BoundedText };
type Other = { readonly shape: 'other'; entry: OtherEntry; readonly body?: undefined };
type Slot = Message | Tool | Other;

type Role = MessageEntry['kind'];
type ConversationUpdate = Extract<
  SessionUpdate,
  { kind: 'text' | 'message' | 'tool' | 'tool-output' | 'plan' | 'notice' | 'attachment' }
>;

/** Newest entries that are never dropped, whatever their size. */
const KEPT = 50;

export class Conversation {
  readonly #slots = new Map<EntryId, Slot>();
  /** Of each entry, in characters. */
  readonly #weights = new Map<EntryId, number>();
  #size = 0;
  #made = 0;
  /** The message that text without an id goes on with. */
  #open: EntryId | undefined;
  #plan: EntryId | undefined;

  entries(): readonly Entry[] {
    return [...this.#slots.values()].map(whole);
  }

  /** All of it, for a view that has nothing. */
  snapshot(): ViewOp[] {
    return [{ op: 'clear' }, ...this.entries().map((entry): ViewOp => ({ op: 'put', entry }))];
  }

  diffsOf(id: EntryId): readonly FileDiff[] {
    const slot = this.#slots.get(id);
    return (slot?.shape === 'tool' && slot.entry.diffs) || [];
  }

  /** What the user sent. @returns its id, for `delivered`. */
  say(text: string, attachments: readonly Attachment[]): { id: EntryId; ops: ViewOp[] } {
    const ops = this.#endOpen();
    const id = this.#newId();
    const body = new BoundedText(MESSAGE_LIMITS);
    body.append(text);
    const entry: MessageEntry = {
      id,
      kind: 'user',
      text: '',
      delivery: 'queued',
      ...(attachments.length > 0 && { attachments }),
    };
    ops.push(...this.#add({ shape: 'message', entry, body }));
    return { id, ops };
  }

  delivered(id: EntryId, delivery: 'sent' | 'failed'): ViewOp[] {
    const slot = this.#slots.get(id);
    if (slot?.shape !== 'message') return [];
    slot.entry = { ...slot.entry, delivery };
    return [{ op: 'patch', id, fields: { delivery } }];
  }

  apply(update: ConversationUpdate): ViewOp[] {
    switch (update.kind) {
      case 'text':
        return this.#text(update.role, update.id, update.text);
      case 'message':
        return this.#message(update.role, update.id, update.fields);
      case 'tool':
        return this.#tool(update.id, update.fields);
      case 'tool-output':
        return this.#output(update.id, update.text);
      case 'plan':
        return this.#planOf(update.items);
      case 'notice':
        return this.notice(update);
      case 'attachment':
        return this.#other({
          id: this.#newId(),
          kind: 'attachment',
          attachment: update.attachment,
        });
    }
  }

  /** @param at the notice in whose place it comes, where that still stands. */
  notice({ level, text }: Pick<NoticeEntry, 'level' | 'text'>, at?: EntryId): ViewOp[] {
    const entry: NoticeEntry = { id: at ?? this.#newId(), kind: 'notice', level, text };
    const stands = this.#slots.has(entry.id);
    return stands ? this.#add({ shape: 'other', entry }) : this.#other(entry);
  }

  remove(id: EntryId): ViewOp[] {
    const slot = this.#slots.get(id);
    if (!slot) return [];
    this.#forget(id);
    return [{ op: 'remove', id }];
  }

  clear(): ViewOp[] {
    this.#slots.clear();
    this.#weights.clear();
    this.#size = 0;
    this.#open = undefined;
    this.#plan = undefined;
    return [{ op: 'clear' }];
  }

  /** The end of a turn: nothing streams any more, and no tool is at work. */
  endTurn(tools: 'done' | 'cancelled'): ViewOp[] {
    const ops: ViewOp[] = this.#endOpen();
    this.#plan = undefined;
    for (const [id, slot] of this.#slots) {
      if (slot.shape === 'tool' && !isOver(slot.entry.state)) {
        ops.push(...this.#tool(id, { state: tools }));
      } else if (slot.shape === 'message' && slot.entry.streaming) {
        ops.push(...this.#endStream(id));
      }
    }
    return ops;
  }

  #text(role: Role, id: EntryId | undefined, text: string): ViewOp[] {
    // Some agents send pieces of nothing, which are no message.
    if (text === '') return [];
    const known = this.#slots.get(id ?? this.#open ?? '');
    if (known?.shape === 'message' && known.entry.kind === role) {
      const ops = id !== undefined && this.#open !== id ? this.#endOpen() : [];
      this.#open = known.entry.id;
      return [...ops, ...this.#append(known, 'text', text)];
    }
    const ops = this.#endOpen();
    const body = new BoundedText(MESSAGE_LIMITS);
    body.append(text);
    const entry: MessageEntry = {
      id: id ?? this.#newId(),
      kind: role,
      text: '',
      ...(role !== 'user' && { streaming: true }),
    };
    ops.push(...this.#add({ shape: 'message', entry, body }));
    this.#open = entry.id;
    return ops;
  }

  #message(role: Role, id: EntryId, fields: MessageUpdate): ViewOp[] {
    const { text, ...rest } = fields;
    const message = this.#slots.get(id);
    if (message?.shape !== 'message' || message.entry.kind !== role) {
      const ops = this.#open === id ? [] : this.#endOpen();
      const body = new BoundedText(MESSAGE_LIMITS);
      body.append(text ?? '');
      const entry: MessageEntry = { id, kind: role, ...rest, text: '' };
      ops.push(...this.#add({ shape: 'message', entry, body }));
      if (rest.streaming) this.#open = id;
      return ops;
    }
    message.entry = { ...message.entry, ...rest };
    if (this.#open === id && rest.streaming === false) this.#open = undefined;
    const ops: ViewOp[] = Object.keys(rest).length > 0 ? [{ op: 'patch', id, fields: rest }] : [];
    if (text !== undefined) ops.unshift(...this.#replace(message, 'text', text));
    return ops;
  }

  #tool(id: EntryId, update: ToolUpdate): ViewOp[] {
    const { output, ...fields } = fitTool(update);
    const tool = this.#slots.get(id);
    if (tool?.shape !== 'tool') {
      const ops = this.#endOpen();
      const body = new BoundedText(OUTPUT_LIMITS);
      body.append(output ?? '');
      const entry: ToolEntry = {
        id,
        kind: 'tool',
        title: fields.title ?? oneLine(fields.name ?? 'Tool'),
        category: 'other',
        state: 'running',
        ...fields,
        output: '',
      };
      ops.push(...this.#add({ shape: 'tool', entry, body }));
      return ops;
    }
    tool.entry = { ...tool.entry, ...fields };
    this.#weigh(tool);
    const ops: ViewOp[] = [];
    if (output !== undefined) ops.push(...this.#replace(tool, 'output', output));
    if (Object.keys(fields).length > 0) ops.push({ op: 'patch', id, fields });
    ops.push(...this.#trim());
    return ops;
  }

  #output(id: EntryId, text: string): ViewOp[] {
    const ops = this.#slots.get(id)?.shape === 'tool' ? [] : this.#tool(id, {});
    const tool = this.#slots.get(id);
    return tool?.shape === 'tool' ? [...ops, ...this.#append(tool, 'output', text)] : ops;
  }

  #planOf(items: Extract<SessionUpdate, { kind: 'plan' }>['items']): ViewOp[] {
    const known = this.#plan === undefined ? undefined : this.#slots.get(this.#plan);
    if (known?.entry.kind === 'plan') {
      known.entry = { ...known.entry, items };
      this.#weigh(known);
      return [{ op: 'patch', id: known.entry.id, fields: { items } }];
    }
    this.#plan = this.#newId();
    return this.#other({ id: this.#plan, kind: 'plan', items });
  }

  #other(entry: OtherEntry): ViewOp[] {
    return [...this.#endOpen(), ...this.#add({ shape: 'other', entry })];
  }

  #append(slot: Message | Tool, field: 'text' | 'output', text: string): ViewOp[] {
    if (text === '') return [];
    slot.body.append(text);
    this.#weigh(slot);
    return [{ op: 'append', id: slot.entry.id, field, text }, ...this.#trim()];
  }

  #replace(slot: Message | Tool, field: 'text' | 'output', text: string): ViewOp[] {
    const added = slot.body.replace(text);
    this.#weigh(slot);
    const id = slot.entry.id;
    if (added === '') return [];
    if (added !== undefined) return [{ op: 'append', id, field, text: added }];
    return [{ op: 'patch', id, fields: { [field]: slot.body.shown } }];
  }

  #add(slot: Slot): ViewOp[] {
    this.#slots.set(slot.entry.id, slot);
    this.#weigh(slot);
    return [{ op: 'put', entry: whole(slot) }, ...this.#trim()];
  }

  #endOpen(): ViewOp[] {
    const id = this.#open;
    this.#open = undefined;
    return id === undefined ? [] : this.#endStream(id);
  }

  #endStream(id: EntryId): ViewOp[] {
    const message = this.#slots.get(id);
    if (message?.shape !== 'message') return [];
    if (!message.entry.streaming) return [];
    message.entry = { ...message.entry, streaming: false };
    return [{ op: 'patch', id, fields: { streaming: false } }];
  }

  /** Drops the oldest entries past the limits. */
  #trim(): ViewOp[] {
    const ops: ViewOp[] = [];
    for (const id of this.#slots.keys()) {
      const tooMany = this.#slots.size > ENTRY_COUNT_LIMIT;
      if (!tooMany && (this.#size <= CONVERSATION_LIMIT || this.#slots.size <= KEPT)) break;
      this.#forget(id);
      ops.push({ op: 'remove', id });
    }
    return ops;
  }

  /** Counts an entry as what it is now. */
  #weigh(slot: Slot): void {
    const { id } = slot.entry;
    const weight = weightOf(slot.entry) + (slot.body?.length ?? 0);
    this.#size += weight - (this.#weights.get(id) ?? 0);
    this.#weights.set(id, weight);
  }

  #forget(id: EntryId): void {
    this.#slots.delete(id);
    this.#size -= this.#weights.get(id) ?? 0;
    this.#weights.delete(id);
    if (this.#open === id) this.#open = undefined;
    if (this.#plan === id) this.#plan = undefined;
  }

  /** '#' keeps these apart from the ids that agents choose. */
  #newId(): EntryId {
    this.#made += 1;
    return `#${this.#made}`;
  }
}

function whole(slot: Slot): Entry {
  switch (slot.shape) {
    case 'message':
      return { ...slot.entry, text: slot.body.shown };
    case 'tool':
      return { ...slot.entry, output: slot.body.shown };
    case 'other':
      return slot.entry;
  }
}

function isOver(state: ToolEntry['state']): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}
