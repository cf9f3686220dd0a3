/**
 * Proposed edits under review. Opening a review and its outcome are two things: one family holds
 * its answer until the outcome, another answers at once and tells the outcome later.
 */
import type { Logger } from './logger.ts';
import type { AbsolutePath, EditorPort, ReviewDecision, ReviewEnd } from './ports.ts';

/** The session that asked; its reset or death ends its own reviews and no other's. */
export type ReviewOwner = string;

export interface ReviewRequest {
  readonly owner: ReviewOwner;
  /** The agent's name for the review, unique within its owner: a tab name or a path. */
  readonly key: string;
  readonly oldPath: AbsolutePath;
  readonly newPath: AbsolutePath;
  readonly proposal: string;
  readonly editable: boolean;
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
  /** Ends the review from the agent's side; the first end wins, later ones do nothing. */
  close(end: ReviewEnd): Promise<void>;
}

export interface ReviewsOptions {
  readonly port: Pick<EditorPort, 'openReview' | 'reviewText' | 'closeReview'>;
  readonly logger: Logger;
  /** Called when a review of this file was accepted: the agent will write it soon. */
  readonly onAccepted?: (path: AbsolutePath) => void;
}

export declare class Reviews {
  constructor(options: ReviewsOptions);
  /**
   * Shows the proposal. The same owner and key again supersedes the earlier review (it ends as
   * `closed`/`withdrawn`).
   * @throws BridgeError where the view cannot be shown; nothing is left behind then.
   */
  open(request: ReviewRequest, signal: AbortSignal): Promise<Review>;
  find(owner: ReviewOwner, key: string): Review | undefined;
  pending(): readonly Review[];
  /** Ends all reviews of one owner; returns how many were pending. */
  closeOwnedBy(owner: ReviewOwner, end: ReviewEnd): Promise<number>;
  /** The user's word from the editor. Unknown and settled ids are ignored. */
  decide(id: string, decision: ReviewDecision): void;
  dispose(): Promise<void>;
}
