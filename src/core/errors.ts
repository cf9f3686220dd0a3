/** Local errors: what failed, why, what to do. They never go on the wire as they are. */

export type BridgeErrorCode =
  /** Neovim did not answer in time: it waits at a prompt or is busy. */
  | 'editor-busy'
  /** The channel to Neovim is gone. */
  | 'editor-gone'
  /** Neovim answered with an error of its own. */
  | 'editor-failed'
  /** A file or document that the request needs does not exist or is not open. */
  | 'not-found'
  /** The request cannot be met in this state; the message says what to change. */
  | 'refused'
  /** The user has turned off what the request is for. */
  | 'turned-off'
  /** The caller withdrew the request. */
  | 'cancelled'
  /** An argument is wrong; the message names the field. */
  | 'invalid-argument'
  /** Something that this installation lacks, such as a kernel. */
  | 'unavailable'
  /** Listening, or writing the lock file, failed. */
  | 'startup-failed';

export class BridgeError extends Error {
  override readonly name = 'BridgeError';

  constructor(
    readonly code: BridgeErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The text of anything thrown, for a log or a person. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
