/** How often, and how to do it again: fast-check prints seed and path of what failed. */
import process from 'node:process';
import fc from 'fast-check';

/** `FUZZ_RUNS=100` plays a hundred times as many, `FUZZ_SEED` the same ones again. */
export function runs(count: number): { numRuns: number; seed?: number } {
  const seed = process.env['FUZZ_SEED'];
  const factor = Number(process.env['FUZZ_RUNS'] ?? 1);
  return { numRuns: count * factor, ...(seed !== undefined && { seed: Number(seed) }) };
}

/** Texts that mean something to somebody on the way. */
const oddText = fc.constantFrom(
  '',
  '\0',
  '/',
  '//',
  '.',
  '..',
  '~',
  '%',
  '#',
  '|qa!',
  '\n',
  '\r\n',
  '\ufeff',
  '\ud800',
  '`id`',
  '$(id)',
  '+qa',
  '-c',
  'file:///',
  'file://%zz',
  '__proto__',
  'constructor',
  '/dev/zero',
  '/dev/tty',
  '/proc/self/mem',
  'x'.repeat(5_000),
);

export const anyText = fc.oneof(oddText, fc.string(), fc.string({ unit: 'binary' }));

const oddNumber = fc.constantFrom(0, -0, -1, 1, 0.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308);

/** Whatever JSON can hold. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  anyText,
  oddNumber,
  fc.constantFrom(null, true, false),
  fc.jsonValue(),
  fc.array(anyText, { maxLength: 3 }),
  fc.dictionary(anyText, fc.oneof(anyText, oddNumber), { maxKeys: 3 }),
);

/** An object of which each field is there or not, right or not. */
export function nearly(
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<Record<string, unknown>> {
  const parts = Object.entries(fields).map(([name, right]) =>
    fc
      .oneof(
        { weight: 4, arbitrary: right.map((value): unknown[] => [value]) },
        { weight: 1, arbitrary: anyJson.map((value): unknown[] => [value]) },
        { weight: 1, arbitrary: fc.constant<unknown[]>([]) },
      )
      .map((value) => value.map((one) => [name, one] as const)),
  );
  const extra = fc.array(fc.tuple(anyText, anyJson), { maxLength: 1 });
  return fc
    .tuple(extra, ...parts)
    .map((entries) => Object.fromEntries((entries as [string, unknown][][]).flat()));
}
