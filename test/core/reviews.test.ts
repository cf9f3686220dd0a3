import { beforeEach, expect, test } from 'vitest';
import { BridgeError } from '../../src/core/errors.ts';
import type { ReviewView } from '../../src/core/ports.ts';
import { type ReviewRequest, Reviews } from '../../src/core/reviews.ts';
import { MemoryLogger } from '../support/logger.ts';

/** An editor in memory that shows a review when it is told to. */
class MemoryEditor {
  readonly calls: string[] = [];
  readonly views: ReviewView[] = [];
  typed: string | undefined;
  hold: Promise<void> = Promise.resolve();
  closing: Promise<void> = Promise.resolve();

  async openReview(view: ReviewView, signal: AbortSignal): Promise<void> {
    this.calls.push(`open ${view.id}`);
    await Promise.race([
      this.hold,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]);
    this.views.push(view);
  }

  async reviewText(): Promise<string | undefined> {
    return this.typed;
  }

  async closeReview(id: string, end: string): Promise<void> {
    this.calls.push(`close ${id} ${end}`);
    await this.closing;
  }
}

const never = new AbortController().signal;
let editor: MemoryEditor;
let accepted: string[];
let logger: MemoryLogger;
let reviews: Reviews;

beforeEach(() => {
  editor = new MemoryEditor();
  accepted = [];
  logger = new MemoryLogger();
  reviews = new Reviews({ port: editor, logger, onAccepted: (path) => accepted.push(path) });
});

const request = (fields: Partial<ReviewRequest> = {}): ReviewRequest => ({
  owner: 'session',
  key: 'tab',
  oldPath: '/x/a.txt',
  newPath: '/x/a.txt',
  proposal: 'new\n',
  editable: true,
  ...fields,
});

test('a review is shown under the name that the agent gave it', async () => {
  const review = await reviews.open(request(), never);
  expect(editor.views).toEqual([
    {
      id: review.id,
      title: 'tab',
      oldPath: '/x/a.txt',
      newPath: '/x/a.txt',
      proposal: 'new\n',
      editable: true,
    },
  ]);
  expect(reviews.find('session', 'tab')).toBe(review);
  expect(reviews.find('another', 'tab')).toBeUndefined();
});

test.each([
  [undefined, { kind: 'accepted', text: 'new\n', edited: false }],
  ['new\n', { kind: 'accepted', text: 'new\n', edited: false }],
  ['mine\n', { kind: 'accepted', text: 'mine\n', edited: true }],
])('accepted with the text %j', async (text, outcome) => {
  const review = await reviews.open(request(), never);
  reviews.decide(review.id, { kind: 'accepted', text });
  expect(await review.outcome).toEqual(outcome);
  expect(await review.text()).toBe(outcome.text);
  expect(accepted).toEqual(['/x/a.txt']);
  expect(reviews.pending()).toEqual([]);
  expect(editor.calls).toEqual(['open 1']);
});

test('rejected with a reason', async () => {
  const review = await reviews.open(request(), never);
  reviews.decide(review.id, { kind: 'rejected', reason: 'no' });
  expect(await review.outcome).toEqual({ kind: 'rejected', reason: 'no' });
  expect(accepted).toEqual([]);
});

test('the first end wins', async () => {
  const review = await reviews.open(request(), never);
  reviews.decide(review.id, { kind: 'rejected' });
  reviews.decide(review.id, { kind: 'accepted' });
  await review.close('withdrawn');
  await reviews.dispose();
  expect(await review.outcome).toMatchObject({ kind: 'rejected' });
  expect(accepted).toEqual([]);
  expect(editor.calls).toEqual(['open 1']);
});

test('a word about an unknown review is ignored', () => {
  reviews.decide('7', { kind: 'accepted' });
  expect(accepted).toEqual([]);
});

test('the outcome of a closed review does not wait for the view', async () => {
  const review = await reviews.open(request(), never);
  editor.closing = new Promise(() => {});
  void review.close('decided-elsewhere');
  expect(await review.outcome).toEqual({ kind: 'closed', end: 'decided-elsewhere' });
  expect(accepted, 'the user may have accepted there').toEqual(['/x/a.txt']);
});

test('a view that cannot be closed is a matter of the log only', async () => {
  const review = await reviews.open(request(), never);
  editor.closing = Promise.reject(new BridgeError('editor-gone', 'gone'));
  await review.close('stopped');
  expect(await review.outcome).toEqual({ kind: 'closed', end: 'stopped' });
  expect(logger.text).toContain('gone');
});

test('the text is what the user has typed so far', async () => {
  const review = await reviews.open(request(), never);
  expect(await review.text()).toBe('new\n');
  editor.typed = 'typed\n';
  expect(await review.text()).toBe('typed\n');
});

test('the same name again withdraws the earlier review', async () => {
  const first = await reviews.open(request(), never);
  const second = await reviews.open(request({ proposal: 'other\n' }), never);
  expect(await first.outcome).toEqual({ kind: 'closed', end: 'withdrawn' });
  expect(editor.calls).toEqual(['open 1', 'close 1 withdrawn', 'open 2']);
  expect(reviews.pending()).toEqual([second]);
});

test('the same request again is the same review, also while it opens', async () => {
  const [first, second] = await Promise.all([
    reviews.open(request({ requestId: 0 }), never),
    reviews.open(request({ requestId: 0 }), never),
  ]);
  expect(second).toBe(first);
  expect(await reviews.open(request({ requestId: 0 }), never)).toBe(first);
  expect(editor.calls).toEqual(['open 1']);
  const next = await reviews.open(request({ requestId: 1 }), never);
  expect(next).not.toBe(first);
});

test('other sessions keep their reviews of the same name', async () => {
  const mine = await reviews.open(request(), never);
  const theirs = await reviews.open(request({ owner: 'other' }), never);
  expect(await reviews.closeOwnedBy('session', 'withdrawn')).toBe(1);
  expect(reviews.pending()).toEqual([theirs]);
  expect(await mine.outcome).toMatchObject({ kind: 'closed' });
  expect(await reviews.closeOwnedBy('session', 'withdrawn')).toBe(0);
});

test('a failure to show leaves nothing behind', async () => {
  editor.hold = Promise.reject(new BridgeError('editor-busy', 'busy'));
  await expect(reviews.open(request(), never)).rejects.toMatchObject({ code: 'editor-busy' });
  expect(reviews.pending()).toEqual([]);
  expect(editor.calls).toEqual(['open 1', 'close 1 withdrawn']);
});

test('a caller that withdraws while the view opens gets it taken away', async () => {
  editor.hold = new Promise(() => {});
  const caller = new AbortController();
  const opening = reviews.open(request(), caller.signal);
  caller.abort();
  await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
  expect(reviews.pending()).toEqual([]);
  expect(editor.calls).toEqual(['open 1', 'close 1 withdrawn']);
});

test('a request that is withdrawn before it begins shows nothing', async () => {
  await expect(reviews.open(request(), AbortSignal.abort())).rejects.toMatchObject({
    code: 'cancelled',
  });
  expect(editor.views).toEqual([]);
});

test('a review that is closed while it opens has an outcome, and no failure', async () => {
  editor.hold = new Promise(() => {});
  const opening = reviews.open(request(), never);
  await reviews.find('session', 'tab')?.close('decided-elsewhere');
  const review = await opening;
  expect(await review.outcome).toEqual({ kind: 'closed', end: 'decided-elsewhere' });
  expect(editor.calls).toEqual(['open 1', 'close 1 decided-elsewhere']);
});

test('a user who is quicker than the answer to the opening is heard', async () => {
  let show = (): void => {};
  editor.hold = new Promise((resolve) => {
    show = resolve;
  });
  const opening = reviews.open(request(), never);
  reviews.decide('1', { kind: 'accepted' });
  show();
  expect(await (await opening).outcome).toMatchObject({ kind: 'accepted' });
});

test('at the end all are stopped', async () => {
  const review = await reviews.open(request(), never);
  await reviews.dispose();
  expect(await review.outcome).toEqual({ kind: 'closed', end: 'stopped' });
});

test('whoever shows the number of reviews hears of each change', async () => {
  const counts: number[] = [];
  const subscription = reviews.onChange(() => counts.push(reviews.pending().length));
  const review = await reviews.open(request(), never);
  await review.close('withdrawn');
  subscription.dispose();
  await reviews.open(request(), never);
  expect(counts).toEqual([1, 0]);
});

test('where the user wants none here, none is opened', async () => {
  const none = new Reviews({ port: editor, logger, enabled: false });
  await expect(none.open(request(), never)).rejects.toMatchObject({ code: 'turned-off' });
  expect(editor.calls).toEqual([]);
  expect(none.pending()).toEqual([]);
});
