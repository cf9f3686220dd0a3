import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Editor } from '../../src/core/editor.ts';
import { realPath } from '../../src/platform/real-path.ts';
import { resolveFile } from '../../src/tools/file-argument.ts';
import { tempDir } from '../support/nvim.ts';

const root = fs.realpathSync(tempDir());
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));
fs.mkdirSync(path.join(root, 'far/deep'), { recursive: true });
fs.mkdirSync(path.join(root, 'ws'));
fs.symlinkSync(path.join(root, 'far/deep'), path.join(root, 'ws/link'));
fs.symlinkSync(path.join(root, 'far/loop'), path.join(root, 'far/loop'));

const editor = {
  workspace: { folders: [path.join(root, 'ws')] },
  reach: { realPath },
} as unknown as Editor;

test.each([
  ['a.txt', 'ws/a.txt'],
  ['./sub//a.txt', 'ws/sub/a.txt'],
  ['sub/../a.txt', 'ws/a.txt'],
  ['../far/a.txt', 'far/a.txt'],
  ['link/a.txt', 'ws/link/a.txt'],
  ['link/../a.txt', 'far/a.txt'],
  ['link/missing/../../a.txt', 'far/a.txt'],
  ['missing/link/../a.txt', 'ws/missing/a.txt'],
  ['a/..b/...', 'ws/a/..b/...'],
])('%s is the file that the system takes it for', (name, expected) => {
  expect(resolveFile(name, editor)).toBe(path.join(root, expected));
  expect(resolveFile(path.join(root, 'ws') + path.sep + name, editor)).toBe(
    path.join(root, expected),
  );
});

test('only ~/ is the home folder, and no more than the root is above the root', () => {
  expect(resolveFile('~/x/../a', editor)).toBe(path.join(os.homedir(), 'a'));
  expect(resolveFile('~user/a', editor)).toBe(path.join(root, 'ws/~user/a'));
  expect(resolveFile('/../../a', editor)).toBe('/a');
});

test('a link that leads to itself ends the search', () => {
  expect(resolveFile(path.join(root, 'far/loop/../a'), editor)).toBe(path.join(root, 'far/a'));
});
