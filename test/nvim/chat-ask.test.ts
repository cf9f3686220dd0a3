import { afterEach, beforeEach, expect, test } from 'vitest';
import { startChat, type TestChat } from '../support/chat.ts';
import { waitFor } from '../support/wait-for.ts';

let chat: TestChat;
beforeEach(async () => {
  chat = await startChat({ ui: true });
  await chat.open();
  // A test types sooner than a person can see a window.
  await lua(`require('claude_bridge.chat.card').GRACE_MS = 0`);
});
afterEach(() => chat.nvim.dispose());

const lua = <T>(code: string, args: unknown[] = []) => chat.nvim.lua<T>(code, args);
const OPTIONS = [
  { id: 'o1', label: 'Yes', kind: 'allow-once' },
  { id: 'o2', label: 'Yes, and do not ask again for npm', kind: 'allow-always' },
  { id: 'o3', label: 'Yes, for this folder', kind: 'allow-always' },
  { id: 'o4', label: 'No', kind: 'reject-once' },
];
const permission = (id: string, fields: Record<string, unknown> = {}) => ({
  op: 'ask',
  prompt: {
    id,
    kind: 'permission',
    title: `Run ${id}`,
    tool: 'Bash',
    reason: 'to test',
    body: [{ kind: 'code', text: 'npm test\n--silent', syntax: 'sh' }],
    options: OPTIONS,
    waiting: 0,
    ...fields,
  },
});
const question = (fields: Record<string, unknown> = {}) => ({
  op: 'ask',
  prompt: {
    id: 'q',
    kind: 'question',
    title: 'Which one?',
    mode: 'single',
    options: [
      { value: 'r', label: 'Red' },
      { value: 'g', label: 'Green', description: 'like grass' },
      { value: 'b', label: 'Blue' },
    ],
    waiting: 0,
    ...fields,
  },
});
const ask = (prompt: { op: string }, session?: string) => chat.apply([prompt], session);
/** The session's window may be asked in, the user's own may not. */
const elsewhere = () => chat.nvim.command('wincmd t');
const answers = () =>
  chat.events.filter((event) => /chat_(decide|answer)/.test(`${event['kind']}`));
const decided = (id: string, option: string, reason?: string) => ({
  kind: 'chat_decide',
  session: 'demo',
  id,
  option,
  ...(reason && { reason }),
});
const answered = (fields: object) => ({ kind: 'chat_answer', session: 'demo', id: 'q', ...fields });
const mode = () => lua<string>(`return vim.fn.mode()`);

test('a permission is shown in full, with the keys that answer it', async () => {
  await ask(
    permission('p', {
      body: [
        { kind: 'text', text: 'First words' },
        { kind: 'code', text: 'npm test\n--silent', syntax: 'sh' },
        { kind: 'diff', path: '/w/a', before: '1\n', after: '2\n' },
      ],
    }),
  );
  expect(await chat.card()).toEqual({
    title: ' demo ',
    focused: true,
    footer: ' one key answers · q later ',
    lines: [
      'Run p (Bash)',
      'to test',
      '',
      '  y  Yes',
      '  a  Yes, and do not ask again for npm',
      '  3  Yes, for this folder',
      '  n  No',
      '  r  No, with a reason',
      '',
      'First words',
      '',
      '  npm test',
      '  --silent',
      '',
      '/w/a +1 -1',
      '@@ -1 +1 @@',
      '-1',
      '+2',
    ],
  });
});

test.each([
  ['y', 'o1'],
  ['a', 'o2'],
  ['3', 'o3'],
  ['n', 'o4'],
  ['4', 'o4'],
])('the key %s answers with %s', async (key, option) => {
  await ask(permission('p'));
  await chat.nvim.input(key);
  await expect.poll(answers).toEqual([decided('p', option)]);
  expect(await chat.card()).toBeUndefined();
});

test('no, with a reason', async () => {
  await ask(permission('p'));
  await chat.nvim.input('r');
  await expect.poll(mode).toBe('i');
  await chat.nvim.input('use pnpm<CR>');
  await expect.poll(answers).toEqual([decided('p', 'o4', 'use pnpm')]);
  expect(await chat.card()).toBeUndefined();
});

test('a reason that was begun is still there the next time', async () => {
  await ask(permission('p'));
  await chat.nvim.input('r');
  await expect.poll(mode).toBe('i');
  await chat.nvim.input('use');
  await chat.nvim.input('<Esc>');
  await expect.poll(mode).toBe('n');
  await chat.nvim.input('q');
  await expect.poll(async () => (await chat.card())?.focused).toBe(true);
  await chat.nvim.input('r');
  await expect.poll(mode).toBe('i');
  await chat.nvim.input(' pnpm<CR>');
  await expect.poll(answers).toEqual([decided('p', 'o4', 'use pnpm')]);
});

test.each([
  ['ClaudeSessionAllow', decided('p', 'o1')],
  ['ClaudeSessionAllowAlways', decided('p', 'o2')],
  ['ClaudeSessionReject', decided('p', 'o4')],
  ['ClaudeSessionReject use pnpm', decided('p', 'o4', 'use pnpm')],
])(':%s answers from anywhere', async (command, expected) => {
  await elsewhere();
  await ask(permission('p'));
  await chat.nvim.command(command);
  await expect.poll(answers).toEqual([expected]);
});

test('a map answers while the user types, and nothing of the text is lost', async () => {
  await chat.nvim.command('imap <M-y> <Plug>(ClaudeSessionAllow)');
  await chat.nvim.input('ihel');
  await expect.poll(() => chat.prompt()).toEqual(['hel']);
  await ask(permission('p'));
  expect(await chat.card()).toMatchObject({
    focused: false,
    footer: ' :ClaudeSessionAnswer goes here ',
  });
  await chat.nvim.input('lo yan');
  await chat.nvim.input('<M-y>');
  await expect.poll(answers).toEqual([decided('p', 'o1')]);
  await chat.nvim.input('!');
  await expect.poll(() => chat.prompt()).toEqual(['hello yan!']);
});

test.each([
  ['Insert mode', 'iy', 'i'],
  ['the command line', ':y', 'c'],
  ['Visual mode', 'v', 'v'],
  ['Replace mode', 'Ry', 'R'],
  ['an operator', 'd', 'no'],
])('the window does not take the focus from %s', async (_, keys, expected) => {
  await chat.nvim.input(keys);
  await expect
    .poll(async () => (await chat.nvim.client.request('nvim_get_mode', [])).mode)
    .toBe(expected);
  await ask(permission('p'));
  expect(await chat.card()).toMatchObject({ focused: false });
  expect((await chat.nvim.client.request('nvim_get_mode', [])).mode).toBe(expected);
  expect(answers()).toEqual([]);
});

test('nor from a window that is not of the session, nor from a review', async () => {
  await elsewhere();
  await ask(permission('p'));
  expect(await chat.card()).toMatchObject({ focused: false });
  await ask({ op: 'dismiss', id: 'p', reason: 'elsewhere' } as never);
  await chat.focus('/prompt');
  await ask(permission('e', { review: true }));
  expect(await chat.card()).toMatchObject({ focused: false });
  expect((await chat.card())?.lines).not.toContain('  npm test');
});

test('a key that was on its way to another window decides nothing', async () => {
  await lua(`require('claude_bridge.chat.card').GRACE_MS = 60000`);
  await ask(permission('p'));
  await chat.nvim.feed('y');
  expect(answers()).toEqual([]);
  await elsewhere();
  await chat.nvim.command('ClaudeSessionAnswer');
  await chat.nvim.feed('y');
  await expect.poll(answers).toEqual([decided('p', 'o1')]);
});

test('a question that is put off is asked again on demand', async () => {
  await ask(permission('p'));
  await chat.nvim.input('q');
  await expect.poll(() => chat.card()).toBeUndefined();
  // Nobody says yes to what is not on the screen.
  await chat.nvim.command('ClaudeSessionAllow');
  expect(answers()).toEqual([]);
  expect(await chat.card()).toMatchObject({ focused: true });
  await chat.nvim.command('close');
  await expect.poll(() => chat.card()).toBeUndefined();
  await chat.nvim.command('ClaudeSessionAnswer');
  await chat.nvim.input('n');
  await expect.poll(answers).toEqual([decided('p', 'o4')]);
});

test('several sessions ask one after the other, and the focus goes along', async () => {
  await chat.open('other');
  await chat.focus('/prompt', 'other');
  await ask(permission('p'), 'other');
  await ask(permission('q'));
  expect(await chat.card()).toMatchObject({ title: ' other · 1 more ', focused: true });
  await chat.nvim.input('y');
  await expect.poll(() => chat.card()).toMatchObject({ title: ' demo ', focused: true });
  await chat.nvim.input('n');
  await expect
    .poll(answers)
    .toEqual([{ ...decided('p', 'o1'), session: 'other' }, decided('q', 'o4')]);
});

test('50 permissions are answered in their order, each once', async () => {
  for (let index = 0; index < 50; index++) {
    await ask(permission(`p${index}`, { waiting: 49 - index }));
    expect(await chat.card()).toMatchObject({
      focused: true,
      title: index < 49 ? ` demo · ${49 - index} more ` : ' demo ',
    });
    await chat.nvim.input('y');
    await waitFor(() => expect(answers()).toHaveLength(index + 1));
  }
  expect(answers()).toEqual(Array.from({ length: 50 }, (_, index) => decided(`p${index}`, 'o1')));
});

test('the card follows to other tab pages and survives the end of one', async () => {
  await elsewhere();
  await ask(permission('p'));
  await chat.nvim.command('tabnew');
  await expect.poll(() => chat.card()).toMatchObject({ focused: false });
  await chat.nvim.command('tabclose');
  await expect.poll(() => chat.card()).toMatchObject({ focused: false });
  await chat.nvim.command('tabnew');
  await expect.poll(() => chat.card()).toBeDefined();
  await chat.nvim.command('1tabclose');
  expect(await chat.card()).toBeDefined();
  await chat.nvim.command('ClaudeSessionAllow');
  await expect.poll(answers).toEqual([decided('p', 'o1')]);
});

test('asked while the command-line window is open, it is shown after that', async () => {
  await chat.nvim.input('q:');
  await expect.poll(() => lua(`return vim.fn.getcmdwintype()`)).toBe(':');
  await ask(permission('p'));
  await chat.nvim.input(':quit<CR>');
  await expect.poll(() => lua(`return vim.fn.getcmdwintype()`)).toBe('');
  await expect.poll(() => chat.card()).toBeDefined();
  await chat.nvim.command('ClaudeSessionAllow');
  await expect.poll(answers).toEqual([decided('p', 'o1')]);
});

test('asked while Neovim waits for <Enter>, it comes after that and takes no key', async () => {
  await chat.nvim.input(':echo "a\\nb\\nc"<CR>');
  await waitFor(async () =>
    expect(await chat.nvim.client.request('nvim_get_mode', [])).toMatchObject({ blocking: true }),
  );
  const asked = ask(permission('p'));
  await chat.nvim.input('y');
  await asked;
  expect(await chat.card()).toMatchObject({ focused: false });
  expect(answers()).toEqual([]);
});

test('an answer that nobody takes leaves the question open', async () => {
  await ask(permission('p'));
  await lua(`require('claude_bridge.channel').detach()`);
  await chat.nvim.feed('y');
  expect(await chat.card()).toBeDefined();
  expect(await chat.nvim.messages()).toContain('the question stays open');
});

test('a reason that comes too late is not lost', async () => {
  await ask(permission('p'));
  await chat.nvim.input('r');
  await expect.poll(mode).toBe('i');
  await chat.nvim.input('use pnpm');
  await ask({ op: 'dismiss', id: 'p', reason: 'withdrawn' } as never);
  await chat.nvim.input('<CR>');
  await expect.poll(() => lua(`return vim.fn.getreg('"')`)).toBe('use pnpm');
  expect(await chat.nvim.messages()).toContain('demo no longer waits for this answer');
  expect(answers()).toEqual([]);
});

test('what is decided elsewhere goes; what is withdrawn with its session too', async () => {
  await ask(permission('p'));
  await ask({ op: 'dismiss', id: 'p', reason: 'elsewhere' } as never);
  expect(await chat.card()).toBeUndefined();
  await ask(permission('p'));
  await chat.call('chat.close', { session: 'demo' });
  expect(await chat.card()).toBeUndefined();
  await chat.nvim.command('ClaudeSessionAllow');
  expect(await chat.nvim.messages()).toContain('nothing waits for an answer');
  expect(answers()).toEqual([]);
});

test('a plan is read and approved', async () => {
  const options = [
    { id: 'go', label: 'Go on', kind: 'allow-once' },
    { id: 'stay', label: 'Keep planning', kind: 'reject-once' },
  ];
  await ask({
    op: 'ask',
    prompt: { id: 'p', kind: 'plan', title: 'Plan', text: '1. a\n2. b', options, waiting: 0 },
  } as never);
  expect((await chat.card())?.lines).toEqual([
    'Plan',
    '',
    '  y  Go on',
    '  n  Keep planning',
    '  r  No, with a reason',
    '',
    '1. a',
    '2. b',
  ]);
  await chat.nvim.input('r');
  await expect.poll(mode).toBe('i');
  await chat.nvim.input('smaller steps<CR>');
  await expect.poll(answers).toEqual([decided('p', 'stay', 'smaller steps')]);
});

test.each<[string, string, Record<string, unknown>, object]>([
  ['one, by its number', '2', {}, { answers: ['g'] }],
  ['one, at the cursor', '4G<CR>', {}, { answers: ['g'] }],
  ['several', '3<Space>1<CR>', { mode: 'multi' }, { answers: ['r', 'b'] }],
  [
    'several, by the cursor',
    '3G<Space>4G<Space>3G<Space><CR>',
    { mode: 'multi' },
    { answers: ['g'] },
  ],
  ['none of several', '<CR>', { mode: 'multi' }, { answers: [] }],
  ['declined', 'd', {}, {}],
])('a question: %s', async (_, keys, fields, expected) => {
  await ask(question(fields));
  await chat.nvim.feed(keys);
  await expect.poll(answers).toEqual([answered(expected)]);
});

test('what was chosen is shown, and stays when the question comes again', async () => {
  await ask(question({ mode: 'multi' }));
  await chat.nvim.feed('2');
  await ask(question({ mode: 'multi', waiting: 3 }));
  expect(await chat.card()).toMatchObject({
    title: ' demo · 3 more ',
    lines: ['Which one?', '', '  1 [ ] Red', '  2 [x] Green  like grass', '  3 [ ] Blue'],
  });
});

test('a free answer has several lines', async () => {
  await ask(question({ mode: 'free', options: [] }));
  await chat.nvim.input('i');
  await expect.poll(mode).toBe('i');
  await chat.nvim.input('one<CR>two<C-s>');
  await expect.poll(answers).toEqual([answered({ answers: ['one\ntwo'] })]);
});

test.each<[string, Record<string, unknown>, string[]]>([
  ['Green', {}, ['g']],
  ['3', {}, ['b']],
  ['Red, b', { mode: 'multi' }, ['r', 'b']],
  ['any text at all', { mode: 'free', options: [] }, ['any text at all']],
])('":ClaudeSessionAnswer %s" answers a question', async (text, fields, expected) => {
  await ask(question(fields));
  await chat.nvim.command(`ClaudeSessionAnswer ${text}`);
  await expect.poll(answers).toEqual([answered({ answers: expected })]);
});

test('a text that is none of the answers is refused', async () => {
  await ask(question());
  await chat.nvim.command('ClaudeSessionAnswer Yellow');
  expect(await chat.nvim.messages()).toContain('"Yellow" is none of the answers');
  expect(await chat.card()).toBeDefined();
});

const FIELDS = [
  { name: 'name', label: 'Name', type: 'text', required: true, description: 'of the branch' },
  { name: 'count', label: 'Count', type: 'integer', required: false, default: 3 },
  { name: 'push', label: 'Push', type: 'boolean', required: false },
  {
    name: 'kind',
    label: 'Kind',
    type: 'choice',
    required: true,
    options: [
      { value: 'f', label: 'Feature' },
      { value: 'x', label: 'Fix' },
    ],
  },
  {
    name: 'tags',
    label: 'Tags',
    type: 'choices',
    required: false,
    options: [
      { value: 'a', label: 'A' },
      { value: 'b', label: 'B' },
    ],
  },
];
const form = (fields: Record<string, unknown> = {}) =>
  ask({
    op: 'ask',
    prompt: { id: 'q', kind: 'form', title: 'New branch', fields: FIELDS, waiting: 0, ...fields },
  } as never);

test('a form is filled in field by field', async () => {
  await form();
  expect((await chat.card())?.lines).toEqual([
    'New branch',
    '',
    '  Name *: ',
    '    of the branch',
    '',
    '  Count: 3',
    '',
    '  [ ] Push',
    '',
    '  Kind *: ',
    '    ( ) Feature',
    '    ( ) Fix',
    '',
    '  Tags: ',
    '    [ ] A',
    '    [ ] B',
  ]);
  await chat.nvim.input('3Gi');
  await expect.poll(mode).toBe('i');
  await chat.nvim.input('topic<CR>');
  await expect.poll(mode).toBe('n');
  await chat.nvim.feed('8G<CR>12G<CR>15G<Space>16G<Space>');
  await expect
    .poll(async () => (await chat.card())?.lines)
    .toEqual([
      'New branch',
      '',
      '  Name *: topic',
      '    of the branch',
      '',
      '  Count: 3',
      '',
      '  [x] Push',
      '',
      '  Kind *: ',
      '    ( ) Feature',
      '    (x) Fix',
      '',
      '  Tags: ',
      '    [x] A',
      '    [x] B',
    ]);
  await chat.nvim.feed('s');
  const values = { name: 'topic', count: 3, push: true, kind: 'x', tags: ['a', 'b'] };
  await expect.poll(answers).toEqual([answered({ values })]);
});

test('what did not fit is said at the field, with what was given', async () => {
  await form({ values: { name: 'a b', count: 'many' }, errors: { count: 'must be a number' } });
  const lines = (await chat.card())?.lines ?? [];
  expect(lines.slice(2, 7)).toEqual([
    '  Name *: a b',
    '    of the branch',
    '',
    '  Count: many',
    '    must be a number',
  ]);
  await chat.nvim.feed('d');
  await expect.poll(answers).toEqual([answered({})]);
});

test('a form with nothing in it sends no values, and a page is opened', async () => {
  await lua(`vim.ui.open = function(url) vim.g.opened = url end`);
  await form({ fields: [], url: 'https://example.org/login' });
  await chat.nvim.feed('o');
  expect(await lua(`return vim.g.opened`)).toBe('https://example.org/login');
  await chat.nvim.feed('s');
  await expect.poll(answers).toEqual([answered({ values: {} })]);
});

test('the user picks one of the stored conversations', async () => {
  await ask({
    op: 'sessions',
    sessions: [
      { id: 'a', title: 'First', updated: '2026-01-02T03:04:05Z', current: true },
      { id: 'b', title: '', current: false },
    ],
  } as never);
  expect((await chat.card())?.lines).toEqual([
    'Go on with which conversation?',
    '',
    '  1 First  2026-01-02 03:04 · this one',
    '  2 b',
  ]);
  await chat.nvim.feed('2');
  await expect
    .poll(() => chat.sent('chat_load'))
    .toEqual([{ kind: 'chat_load', session: 'demo', conversation: 'b' }]);
  expect(answers()).toEqual([]);
});

test('a list that the user calls for comes before what the agent asks, and has the focus', async () => {
  await elsewhere();
  await ask(permission('p'));
  await chat.apply([{ op: 'sessions', sessions: [{ id: 's1', title: 'First', current: false }] }]);
  const card = await chat.card();
  expect(card?.lines.join('\n')).toContain('First');
  expect(card?.focused).toBe(true);
  await chat.nvim.feed('q');
  expect((await chat.card())?.lines[0]).toContain('Run p');
  expect(answers()).toEqual([]);
});
