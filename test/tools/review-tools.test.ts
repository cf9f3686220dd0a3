import { expect, test } from 'vitest';
import { closeAllDiffTabs } from '../../src/tools/close-all-diff-tabs.ts';
import { closeTab } from '../../src/tools/close-tab.ts';
import { openDiff } from '../../src/tools/open-diff.ts';
import { type ToolContext, text } from '../../src/tools/tool.ts';
import { memoryEditor } from '../agents/support.ts';

const answers: ToolContext['answers'] = {
  accepted: (proposal, edited) => text(`accepted ${edited} ${proposal}`),
  rejected: (tab, reason) => text(`rejected ${tab} ${reason}`),
  closed: (tab) => text(`closed ${tab}`),
};

const args = (fields: object = {}) => ({
  old_file_path: '/x/a.txt',
  new_file_path: '/x/a.txt',
  new_file_contents: 'new\n',
  tab_name: 'tab',
  ...fields,
});

function start() {
  const memory = memoryEditor();
  const { editor, openReviews } = memory;
  const context = (fields: Partial<ToolContext> = {}): ToolContext => ({
    editor,
    sessionId: 's',
    requestId: 1,
    signal: new AbortController().signal,
    answers,
    ...fields,
  });
  const shown = () => expect.poll(() => openReviews.size);
  return { ...memory, context, shown };
}

test.each([
  [{ kind: 'accepted' } as const, 'accepted false new\n'],
  [{ kind: 'accepted', text: 'mine\n' } as const, 'accepted true mine\n'],
  [{ kind: 'rejected' } as const, 'rejected tab undefined'],
  [{ kind: 'rejected', reason: 'no' } as const, 'rejected tab no'],
])('openDiff waits for the user: %j', async (decision, answer) => {
  const { editor, context, shown } = start();
  const call = openDiff.call(args(), context());
  await shown().toBe(1);
  editor.handle({ kind: 'review-decided', id: '1', decision });
  expect(await call).toEqual(text(answer));
});

test.each([
  ['a/b.txt', '/work space/a/b.txt'],
  ['./a//b.txt', '/work space/a/b.txt'],
  ['/y/../z/b.txt', '/z/b.txt'],
])('openDiff finds the file that is meant by %s', async (name, path) => {
  const { editor, context, openReviews, shown } = start();
  editor.workspace.update(['/work space']);
  void openDiff.call(args({ old_file_path: name, new_file_path: name }), context());
  await shown().toBe(1);
  expect([...openReviews.values()]).toMatchObject([{ oldPath: path, newPath: path }]);
});

test.each(['old_file_path', 'new_file_path', 'new_file_contents', 'tab_name'])(
  'openDiff names a missing %s',
  async (field) => {
    const { context } = start();
    await expect(openDiff.call(args({ [field]: undefined }), context())).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(field),
    });
  },
);

test('close_tab answers its own text, and the open call is answered as closed', async () => {
  const { context, shown, ended } = start();
  const call = openDiff.call(args(), context());
  await shown().toBe(1);
  expect(await closeTab.call({ tab_name: 'tab' }, context())).toEqual(text('TAB_CLOSED'));
  expect(await call).toEqual(text('closed tab'));
  expect(await closeTab.call({ tab_name: 'tab' }, context())).toEqual(text('TAB_CLOSED'));
  expect(ended).toEqual(['decided-elsewhere']);
});

test('close_tab ends no review of another session', async () => {
  const { context, shown, editor } = start();
  void openDiff.call(args(), context());
  await shown().toBe(1);
  await closeTab.call({ tab_name: 'tab' }, context({ sessionId: 'other' }));
  expect(editor.reviews.pending()).toHaveLength(1);
});

test('closeAllDiffTabs ends the own ones and counts them', async () => {
  const { context, shown } = start();
  const mine = [1, 2].map((requestId) =>
    openDiff.call(args({ tab_name: `tab ${requestId}` }), context({ requestId })),
  );
  void openDiff.call(args(), context({ sessionId: 'other' }));
  await shown().toBe(3);
  expect(await closeAllDiffTabs.call({}, context())).toEqual(text('CLOSED_2_DIFF_TABS'));
  expect(await Promise.all(mine)).toEqual([text('closed tab 1'), text('closed tab 2')]);
  expect(await closeAllDiffTabs.call(undefined, context())).toEqual(text('CLOSED_0_DIFF_TABS'));
  await shown().toBe(1);
});

test('a cancelled openDiff takes its view away', async () => {
  const { context, shown, ended } = start();
  const caller = new AbortController();
  const call = openDiff.call(args(), context({ signal: caller.signal }));
  await shown().toBe(1);
  caller.abort();
  expect(await call).toEqual(text('closed tab'));
  expect(ended).toEqual(['withdrawn']);
});

test('the same request again shows no second view, and both get the answer', async () => {
  const { context, shown, editor } = start();
  const calls = [openDiff.call(args(), context()), openDiff.call(args(), context())];
  await shown().toBe(1);
  editor.handle({ kind: 'review-decided', id: '1', decision: { kind: 'accepted' } });
  expect(await Promise.all(calls)).toEqual([
    text('accepted false new\n'),
    text('accepted false new\n'),
  ]);
});

test.each([
  [openDiff, ['old_file_path', 'new_file_path', 'new_file_contents', 'tab_name']],
  [closeTab, ['tab_name']],
  [closeAllDiffTabs, []],
])('$name takes what the protocol says', (tool, required) => {
  expect(tool.inputSchema['type']).toBe('object');
  expect(tool.inputSchema['required'] ?? []).toEqual(required);
});
