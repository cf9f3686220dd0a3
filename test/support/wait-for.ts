/** Waiting for what another process will do: Neovim, the bridge in node, an agent. */
import { vi } from 'vitest';

/** ms. Far beyond what anything here takes, so that a loaded machine fails no test by its slowness. */
const LONG = 20_000;

/**
 * Resolves with what `attempt` returns once it no longer throws; rejects with what it threw last.
 *
 * The default of `vi.waitFor`, 1 s, is less than a bridge may need to start beside three others.
 *
 * @param options ms; the timeout is below what a test may take.
 */
export function waitFor<T>(
  attempt: () => T | Promise<T>,
  options: { timeout?: number; interval?: number } = {},
): Promise<T> {
  return vi.waitFor(attempt, { timeout: LONG, interval: 20, ...options });
}
