import { expect, test } from 'vitest';
import { Workspace } from '../../src/core/workspace.ts';

test('a change of the folders or of their order is told once', () => {
  const workspace = new Workspace();
  const told: (readonly string[])[] = [];
  workspace.onChange((folders) => told.push(folders));
  workspace.update(['/x/a']);
  workspace.update(['/x/a']);
  workspace.update(['/x/a', '/x/b']);
  workspace.update(['/x/b', '/x/a']);
  expect(told).toEqual([['/x/a'], ['/x/a', '/x/b'], ['/x/b', '/x/a']]);
  expect(workspace.folders).toEqual(['/x/b', '/x/a']);
});
