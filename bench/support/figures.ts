/** What a benchmark found; the runner prints all of it as one table. */
import fs from 'node:fs';

export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: 'µs' | 'ms' | 'MB' | '%';
  /** What the machine needs at least for the like, measured in the same run. */
  readonly floor?: { readonly what: string; readonly value: number };
  /** The most that is good: of the value itself, or of its ratio to the floor. */
  readonly limit?: number;
  readonly ratioLimit?: number;
}

/** The file is named by the runner. */
export function record(figure: Figure): void {
  const file = process.env['CLAUDE_BRIDGE_FIGURES'];
  const line = `${JSON.stringify(figure)}\n`;
  if (file) fs.appendFileSync(file, line);
  else process.stdout.write(line);
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const index = Math.ceil((percent / 100) * sorted.length) - 1;
  return sorted[Math.max(0, index)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 50);

/** Milliseconds that the work took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * The least of several rounds, for what other load on the machine can only make worse: a pause of
 * the editor that no round was free of is one that the work itself causes.
 */
export async function leastOf(rounds: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) least = Math.min(least, await measure());
  return least;
}
