/** doc/reports.md names tests that are there, and leaves no report without a test or a reason. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../support/nvim.ts';

const text = fs.readFileSync(path.join(PROJECT, 'doc/reports.md'), 'utf8');
/** Number, symptom and what holds it. */
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| |'))
  .map((line) => line.split(/(?<!\\)\|/).slice(1, -1));
const references = new Map(
  [...text.matchAll(/`([a-z0-9/-]+) › ([^`]+)`/g)].map(([whole, file = '', name = '']) => [
    whole,
    [file, name.replaceAll('\\|', '|')] as const,
  ]),
);

test.each([...references.values()])('%s has the test %j', (file, name) => {
  const source = fs.readFileSync(path.join(PROJECT, 'test', `${file}.test.ts`), 'utf8');
  const at = source.indexOf(name);
  expect(at).toBeGreaterThan(0);
  // The whole name, and not the beginning of a longer one.
  const starts = [...source.matchAll(/['"`]|^\s*(?=\w+:)/gm)].map((m) => m.index + m[0].length);
  expect(starts).toContain(at);
});

test('each report has a test, or a reason for which it needs none', () => {
  expect(rows.length).toBeGreaterThan(120);
  for (const [id, symptom = '', held = ''] of rows) {
    expect({ id, told: symptom.trim() !== '', held: held.trim() !== '' }).toEqual({
      id,
      told: true,
      held: true,
    });
  }
});
