/** What an agent tells besides its work: of more than a person could read, how many there were. */
import { Allowance } from './allowance.ts';
import type { Conversation } from './conversation.ts';
import { oneLine } from './entry-texts.ts';
import type { EntryId, NoticeEntry } from './model.ts';
import type { SessionUpdate, SessionView, ViewOp } from './ports.ts';

type Notice = Extract<SessionUpdate, { kind: 'notice' }>;
type Level = NoticeEntry['level'];

/** In the conversation: so many at once, and ten a second. */
const SHOWN = { most: 50, everyMs: 100 };
/** Outside of it, where they are in the way of all else. */
const ALERTS = { most: 5, everyMs: 5_000 };

const GRAVITY: Readonly<Record<Level, number>> = { info: 0, warn: 1, error: 2 };

interface Folded {
  readonly id: EntryId;
  count: number;
  level: Level;
}

export interface NoticesOptions {
  readonly agent: string;
  readonly conversation: Conversation;
  readonly notify: SessionView['notify'];
}

export class Notices {
  readonly #shown = new Allowance(SHOWN);
  readonly #alerts = new Allowance(ALERTS);
  #folded: Folded | undefined;
  #folds = 0;

  constructor(private readonly options: NoticesOptions) {}

  /** @returns what the view must be told. */
  tell(notice: Notice): ViewOp[] {
    if (notice.alert) this.#alert(notice);
    const { conversation } = this.options;
    const allowed = this.#shown.take();
    if (allowed === 'within') return conversation.notice(notice);
    if (allowed === 'over-now' || !this.#folded) {
      this.#folds += 1;
      this.#folded = { id: `#folded ${this.#folds}`, count: 0, level: notice.level };
    }
    const folded = this.#folded;
    folded.count += 1;
    if (GRAVITY[notice.level] > GRAVITY[folded.level]) folded.level = notice.level;
    const many = folded.count.toLocaleString('en');
    const text = `… and ${many} more notices, the last: ${oneLine(notice.text)}`;
    return conversation.notice({ level: folded.level, text }, folded.id);
  }

  #alert({ level, text }: Notice): void {
    const { agent, notify } = this.options;
    const allowed = this.#alerts.take();
    if (allowed === 'within') notify(level, `${agent}: ${oneLine(text)}`);
    if (allowed === 'over-now') notify(level, `${agent}: more stands in the conversation`);
  }
}
