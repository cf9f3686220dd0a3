/**
 * Changes that wait for a view. Those of one entry melt into one as they pile up, so that a slow
 * view gets fewer and larger batches, and the queue is never longer than the conversation.
 */
import { keepEnd, wholeCharacters } from './bounded-text.ts';
import type { Entry, EntryId, EntryPatch, PromptId } from './model.ts';
import type { ViewOp } from './ports.ts';

/** The most that one batch holds. */
export const BATCH_OPS = 64;
export const BATCH_CHARACTERS = 32 * 1024;

/** Of a text that is added to faster than the view takes it, so much waits. */
const WAITING_LIMIT = 1024 * 1024;

type TextField = 'text' | 'output';

/** All that waits for one entry: the whole of it, or changes to what the view has. */
interface EntryChange {
  put?: Entry;
  patch?: EntryPatch;
  text: string;
  output: string;
}

type Waiting =
  | { readonly entry: EntryId; readonly change: EntryChange }
  | { readonly entry?: undefined; readonly op: ViewOp };

export class OpQueue {
  /** What the user must see now, however much else waits: it goes out first. */
  readonly #urgent = new Map<string, ViewOp>();
  /** In the order in which they go out. */
  readonly #waiting = new Map<string, Waiting>();
  /** The entries that the view may have: no other needs to be taken away. */
  readonly #told = new Set<EntryId>();
  /** The prompt that the view may show. */
  #asked: PromptId | undefined;
  #plain = 0;

  get isEmpty(): boolean {
    return this.#urgent.size === 0 && this.#waiting.size === 0;
  }

  push(op: ViewOp): void {
    switch (op.op) {
      case 'put':
        this.#change(op.entry.id, { put: op.entry, text: '', output: '' });
        break;
      case 'append':
        append(this.#changeOf(op.id), op.field, op.text);
        break;
      case 'patch':
        patch(this.#changeOf(op.id), op.fields);
        break;
      case 'remove':
        this.#waiting.delete(keyOf(op.id));
        if (this.#told.delete(op.id)) this.#pushPlain(op);
        break;
      case 'clear':
        this.#clear();
        break;
      case 'choices':
        this.#waiting.set(op.op, { op });
        break;
      case 'status':
      case 'ask':
      case 'dismiss':
        this.#pushUrgent(op);
        break;
      default:
        this.#pushPlain(op);
    }
  }

  /** Forgets what a view will be told anew, and keeps what is told once. */
  reset(): void {
    for (const [key, waiting] of this.#waiting) {
      if (waiting.entry !== undefined || !isToldOnce(waiting.op)) this.#waiting.delete(key);
    }
    for (const [key, op] of this.#urgent) if (!isToldOnce(op)) this.#urgent.delete(key);
  }

  /**
   * Takes the next batch out; long texts are taken piece by piece.
   * @param share of the most that a batch may hold, from 0 to 1.
   */
  take(share = 1): ViewOp[] {
    const batch: ViewOp[] = [];
    const most = Math.max(1, Math.round(BATCH_OPS * share));
    let room = Math.max(1, Math.round(BATCH_CHARACTERS * share));
    for (const [key, op] of this.#urgent) {
      if (batch.length >= most || room <= 0) return batch;
      this.#urgent.delete(key);
      batch.push(this.#noted(op));
      room -= weight(op);
    }
    for (const [key, waiting] of this.#waiting) {
      while (batch.length < most && room > 0) {
        const op = waiting.entry === undefined ? waiting.op : next(waiting, room, batch.length > 0);
        if (!op) break;
        batch.push(this.#noted(op));
        room -= weight(op);
        if (waiting.entry === undefined || isSpent(waiting.change)) {
          this.#waiting.delete(key);
          break;
        }
      }
      if (this.#waiting.has(key)) break;
    }
    return batch;
  }

  /** Remembers what the view has from now on. */
  #noted(op: ViewOp): ViewOp {
    if (op.op === 'put') this.#told.add(op.entry.id);
    if (op.op === 'ask') this.#asked = op.prompt.id;
    return op;
  }

  #changeOf(entry: EntryId): EntryChange {
    const known = this.#waiting.get(keyOf(entry));
    return known?.entry === undefined
      ? this.#change(entry, { text: '', output: '' })
      : known.change;
  }

  #change(entry: EntryId, change: EntryChange): EntryChange {
    this.#waiting.set(keyOf(entry), { entry, change });
    return change;
  }

  #clear(): void {
    for (const [key, waiting] of this.#waiting) {
      const goes =
        waiting.entry !== undefined || waiting.op.op === 'remove' || waiting.op.op === 'clear';
      if (goes) this.#waiting.delete(key);
    }
    this.#told.clear();
    this.#pushPlain({ op: 'clear' });
  }

  #pushPlain(op: ViewOp): void {
    this.#plain += 1;
    this.#waiting.set(`plain ${this.#plain}`, { op });
  }

  #pushUrgent(op: Extract<ViewOp, { op: 'status' | 'ask' | 'dismiss' }>): void {
    if (op.op === 'dismiss') {
      const waiting = this.#urgent.get('ask');
      if (waiting?.op === 'ask' && waiting.prompt.id === op.id) this.#urgent.delete('ask');
      if (this.#asked !== op.id) return;
    }
    // A new prompt goes behind the end of the one before it.
    if (op.op === 'ask') this.#urgent.delete('ask');
    this.#urgent.set(op.op, op);
  }
}

/** Whether the session as it stands does not tell it again. */
export function isToldOnce(op: ViewOp): boolean {
  return op.op === 'input' || op.op === 'sessions' || op.op === 'dismiss';
}

const keyOf = (entry: EntryId): string => `entry ${entry}`;

function append(change: EntryChange, field: TextField, text: string): void {
  const { put, patch: fields } = change;
  if (put) change.put = withText(put, field, bounded(textOf(put, field) + text));
  else if (fields?.[field] !== undefined)
    change.patch = { ...fields, [field]: bounded(fields[field] + text) };
  else change[field] = bounded(change[field] + text);
}

/** Not at each piece: twice the limit is cut to the limit. */
function bounded(text: string): string {
  return text.length > 2 * WAITING_LIMIT ? keepEnd(text, WAITING_LIMIT) : text;
}

function patch(change: EntryChange, fields: EntryPatch): void {
  if (change.put) {
    change.put = { ...change.put, ...fields };
    return;
  }
  if (fields.text !== undefined) change.text = '';
  if (fields.output !== undefined) change.output = '';
  change.patch = { ...change.patch, ...fields };
}

/** The next piece of an entry's changes that fits; none where it must wait for the next batch. */
function next(
  { entry, change }: { entry: EntryId; change: EntryChange },
  room: number,
  mayWait: boolean,
): ViewOp | undefined {
  const fixed = change.put ? extras(change.put) : extras(change.patch ?? {});
  if (fixed > room && mayWait) return undefined;
  const left = Math.max(0, room - fixed);
  if (change.put) {
    const { put } = change;
    const [head, rest] = divide(bodyOf(put), left);
    delete change.put;
    change[fieldOf(put)] = rest;
    return { op: 'put', entry: withText(put, fieldOf(put), head) };
  }
  if (change.patch) return nextPatch(entry, change, change.patch, left);
  const field = change.text === '' ? 'output' : 'text';
  const [head, rest] = divide(change[field], left);
  change[field] = rest;
  return { op: 'append', id: entry, field, text: head };
}

function nextPatch(id: EntryId, change: EntryChange, fields: EntryPatch, room: number): ViewOp {
  delete change.patch;
  const field = fields.text === undefined ? 'output' : 'text';
  const whole = fields[field];
  if (whole === undefined) return { op: 'patch', id, fields };
  const [head, rest] = divide(whole, room);
  change[field] = rest;
  return { op: 'patch', id, fields: { ...fields, [field]: head } };
}

/** A head of whole characters that fits, at least one of them. */
function divide(text: string, room: number): [head: string, rest: string] {
  const head = wholeCharacters(text, Math.max(2, room));
  return [head, text.slice(head.length)];
}

function isSpent(change: EntryChange): boolean {
  return !change.put && !change.patch && change.text === '' && change.output === '';
}

function fieldOf(entry: Entry): TextField {
  return entry.kind === 'tool' ? 'output' : 'text';
}

function textOf(entry: Entry, field: TextField): string {
  return field === fieldOf(entry) ? bodyOf(entry) : '';
}

function bodyOf(entry: Entry): string {
  if (entry.kind === 'tool') return entry.output;
  return entry.kind === 'plan' || entry.kind === 'attachment' ? '' : entry.text;
}

function withText(entry: Entry, field: TextField, text: string): Entry {
  if (entry.kind === 'tool') return field === 'output' ? { ...entry, output: text } : entry;
  if (entry.kind === 'plan' || entry.kind === 'attachment') return entry;
  return field === 'text' ? { ...entry, text } : entry;
}

/** What of an entry cannot be sent piece by piece. */
function extras(
  fields: Pick<EntryPatch, 'items' | 'diffs' | 'input' | 'error'> & { readonly id?: EntryId },
): number {
  const items = fields.items?.reduce((sum, item) => sum + item.text.length, 0);
  const diffs = fields.diffs?.reduce((sum, d) => sum + (d.before?.length ?? 0) + d.after.length, 0);
  return (
    200 + (fields.input?.length ?? 0) + (fields.error?.length ?? 0) + (diffs ?? 0) + (items ?? 0)
  );
}

function weight(op: ViewOp): number {
  switch (op.op) {
    case 'append':
      return op.text.length;
    case 'put':
      return extras(op.entry) + bodyOf(op.entry).length;
    case 'patch':
      return extras(op.fields) + (op.fields.text?.length ?? 0) + (op.fields.output?.length ?? 0);
    default:
      return 200;
  }
}
