import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../support/nvim.ts';

const rows = fs
  .readFileSync(path.join(PROJECT, 'SECURITY.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Property'))
  .map((line) => /\| `(test\/\S+)`: (.*) \|$/.exec(line) ?? [line, '', '']);

test.each(rows.map(([row, file, title]) => [row, file, title] as const))(
  'SECURITY.md names a test that is there: %s',
  (_, file, title) => {
    const source = fs.readFileSync(path.join(PROJECT, file ?? ''), 'utf8');
    // All tests of a file.
    if (title === '*') return;
    const name = title
      ?.replaceAll("'", String.raw`(\\'|')`)
      .replaceAll(/[?*()[\].^$]/g, String.raw`\$&`);
    expect(source.includes(title ?? '') || new RegExp(name ?? '').test(source)).toBe(true);
  },
);
