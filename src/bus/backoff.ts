/** How long to wait before trying to connect again. */

const INITIAL_MS = 1_000;
const LIMIT_MS = 30_000;
const FACTOR = 2;
/** Either way, so that many editors do not come back at the same moment. */
const JITTER = 0.2;

/**
 * @param attempt 0 for the first wait.
 * @param random in [0, 1).
 * @returns milliseconds
 */
export function backoff(attempt: number, random: () => number): number {
  const base = Math.min(INITIAL_MS * FACTOR ** attempt, LIMIT_MS);
  return base * (1 - JITTER + 2 * JITTER * random());
}
