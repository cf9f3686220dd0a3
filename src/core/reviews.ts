/**
 * Proposed edits under review. Opening a review and its outcome are two things: one family holds
 * its answer until the outcome, another answers at once and tells the outcome later.
 */
import type { Disposable } from './disposable.ts';
import { Emitter } from './emitter.ts';
import { BridgeError, messageOf } from './errors.ts';
import type { Logger } from './logger.ts';
import type { AbsolutePath, EditorPort, ReviewDecision, ReviewEnd } from './ports.ts';

/** The session that asked; its reset or death ends its own reviews and no other's. */
export type ReviewOwner = string;

export interface ReviewRequest {
  readonly owner: ReviewOwner;
  /** The agent's name for the review, unique within its owner: a tab name or a path. */
  readonly key: string;
  /** Tells a request that is sent twice from a new one of the same key. */
  readonly requestId?: string | number | undefined;
  readonly oldPath: AbsolutePath;
  readonly newPath: AbsolutePath;
  readonly proposal: string;
  readonly editable: boolean;
  /** The agent gives a file with CR LF its line ends again, whatever the text has. */
  readonly keepsLineEnds?: boolean;
}

export type ReviewOutcome =
  | { readonly kind: 'accepted'; readonly text: string; readonly edited: boolean }
  | { readonly kind: 'rejected'; readonly reason?: string | undefined }
  /** Ended without a word of the user here: decided in the agent's terminal, reset, or stopped. */
  | { readonly kind: 'closed'; readonly end: ReviewEnd };

export interface Review {
  readonly id: string;
  readonly request: ReviewRequest;
  readonly openedAt: number;
  /** Settles once, never rejects. */
  readonly outcome: Promise<ReviewOutcome>;
  /** The proposal as it stands, with what the user typed. */
  text(): Promise<string>;
  /**
   * Ends the review from the agent's side; the first end wins, later ones do nothing. The outcome
   * is there at once; resolves when the view is gone, or will go as soon as Neovim can.
   */
  close(end: ReviewEnd): Promise<void>;
}

type ReviewPort = Pick<EditorPort, 'openReview' | 'reviewText' | 'closeReview'>;

export interface ReviewsOptions {
  readonly port: ReviewPort;
  readonly logger: Logger;
  /** False: the user reviews edits where the agent runs, and none is shown. */
  readonly enabled?: boolean;
  /** Called when the user has rejected an edit and said why. */
  readonly onReason?: (request: ReviewRequest, reason: string) => void;
  /** Called when a review ended such that the agent may write this file soon. */
  readonly onAccepted?: (path: AbsolutePath) => void;
}

/** A client asks again after seconds; few reviews end in that time. */
const MAX_SETTLED = 8;

export class Reviews {
  readonly #options: ReviewsOptions;
  readonly #pending = new Map<string, PendingReview>();
  /** The latest that have ended: a client may ask again before it has read the answer. */
  readonly #settled: PendingReview[] = [];
  readonly #changes = new Emitter<void>();
  #lastId = 0;

  constructor(options: ReviewsOptions) {
    this.#options = options;
  }

  /** Called when a review was opened or has ended. */
  onChange(listener: () => void): Disposable {
    return this.#changes.on(listener);
  }

  /**
   * Shows the proposal. The same owner and key again supersedes the earlier review (it ends as
   * `closed`/`withdrawn`), unless it is the same request once more: that gets the same review, also
   * where it has ended meanwhile.
   * @param signal withdraws the request while the view is opening; later the caller closes it
   * @throws BridgeError where the view cannot be shown; nothing is left behind then. `turned-off`
   * where the user wants no reviews here.
   */
  async open(request: ReviewRequest, signal: AbortSignal): Promise<Review> {
    if (this.#options.enabled === false) {
      throw new BridgeError(
        'turned-off',
        'Reviews are off in the editor (its option diff.enabled)',
      );
    }
    const earlier = this.#find(request.owner, request.key);
    if (earlier && isRepeated(earlier.request, request)) return earlier.open(signal);
    const settled = this.#settled.find((review) => isRepeated(review.request, request));
    if (settled) return settled;
    void earlier?.close('withdrawn');
    const id = String(++this.#lastId);
    const review = new PendingReview(id, request, this.#options, (outcome) =>
      this.#ended(id, outcome),
    );
    this.#pending.set(id, review);
    this.#changes.emit();
    return review.open(signal);
  }

  find(owner: ReviewOwner, key: string): Review | undefined {
    return this.#find(owner, key);
  }

  /** The oldest first. */
  pending(): readonly Review[] {
    return [...this.#pending.values()];
  }

  /** Ends all reviews of one owner; returns how many were pending. */
  async closeOwnedBy(owner: ReviewOwner, end: ReviewEnd): Promise<number> {
    const owned = this.pending().filter(({ request }) => request.owner === owner);
    await Promise.all(owned.map((review) => review.close(end)));
    return owned.length;
  }

  /** The user's word from the editor. Unknown and settled ids are ignored. */
  decide(id: string, decision: ReviewDecision): void {
    this.#pending.get(id)?.decide(decision);
  }

  async dispose(): Promise<void> {
    await Promise.all(this.pending().map((review) => review.close('stopped')));
  }

  #find(owner: ReviewOwner, key: string): PendingReview | undefined {
    return [...this.#pending.values()].find(
      ({ request }) => request.owner === owner && request.key === key,
    );
  }

  #ended(id: string, outcome: ReviewOutcome): void {
    const review = this.#pending.get(id);
    this.#pending.delete(id);
    if (review) this.#settled.push(review);
    if (this.#settled.length > MAX_SETTLED) this.#settled.shift();
    if (review && outcome.kind === 'rejected' && outcome.reason !== undefined) {
      this.#options.onReason?.(review.request, outcome.reason);
    }
    if (review && mayBeWritten(outcome)) this.#options.onAccepted?.(review.request.newPath);
    this.#changes.emit();
  }
}

class PendingReview implements Review {
  readonly openedAt = Date.now();
  readonly outcome: Promise<ReviewOutcome>;
  #settle: (outcome: ReviewOutcome) => void = () => {};
  #opened: Promise<Review> | undefined;
  #settled: ReviewOutcome | undefined;
  readonly #opening = new AbortController();

  constructor(
    readonly id: string,
    readonly request: ReviewRequest,
    private readonly options: ReviewsOptions,
    private readonly onEnd: (outcome: ReviewOutcome) => void,
  ) {
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Opens the view once, however often it is asked for. */
  open(signal: AbortSignal): Promise<Review> {
    this.#opened ??= this.#show(AbortSignal.any([signal, this.#opening.signal]));
    return this.#opened;
  }

  async text(): Promise<string> {
    if (this.#settled?.kind === 'accepted') return this.#settled.text;
    const edited = this.#settled ? undefined : await this.options.port.reviewText(this.id);
    return edited ?? this.request.proposal;
  }

  async close(end: ReviewEnd): Promise<void> {
    if (!this.#end({ kind: 'closed', end })) return;
    await this.#takeAway(end);
  }

  decide(decision: ReviewDecision): void {
    if (decision.kind === 'rejected') {
      this.#end({ kind: 'rejected', reason: decision.reason });
      return;
    }
    const { proposal } = this.request;
    const text = decision.text ?? proposal;
    this.#end({ kind: 'accepted', text, edited: text !== proposal });
  }

  async #show(signal: AbortSignal): Promise<Review> {
    const { key: title, oldPath, newPath, proposal, editable, keepsLineEnds } = this.request;
    try {
      signal.throwIfAborted();
      await this.options.port.openReview(
        { id: this.id, title, oldPath, newPath, proposal, editable, keepsLineEnds },
        signal,
      );
    } catch (error) {
      // Ended while it opened: there is an outcome to tell, and no failure.
      if (this.#settled) return this;
      const isWithdrawn = signal.aborted;
      void this.close('withdrawn');
      if (!isWithdrawn) throw error;
      throw new BridgeError('cancelled', `the review of ${newPath} was withdrawn`);
    }
    return this;
  }

  /** False where it has ended before. */
  #end(outcome: ReviewOutcome): boolean {
    if (this.#settled) return false;
    this.#settled = outcome;
    this.#opening.abort();
    this.onEnd(outcome);
    this.#settle(outcome);
    return true;
  }

  /** The end is told whatever becomes of the view. */
  async #takeAway(end: ReviewEnd): Promise<void> {
    try {
      await this.options.port.closeReview(this.id, end);
    } catch (error) {
      this.options.logger.warn('review view not closed', {
        id: this.id,
        reason: messageOf(error),
      });
    }
  }
}

function isRepeated(a: ReviewRequest, b: ReviewRequest): boolean {
  return (
    a.requestId !== undefined &&
    a.requestId === b.requestId &&
    a.owner === b.owner &&
    a.key === b.key &&
    a.newPath === b.newPath &&
    a.proposal === b.proposal
  );
}

/** A user who decides in the agent's own terminal may have accepted there. */
function mayBeWritten(outcome: ReviewOutcome): boolean {
  return (
    outcome.kind === 'accepted' ||
    (outcome.kind === 'closed' && outcome.end === 'decided-elsewhere')
  );
}
