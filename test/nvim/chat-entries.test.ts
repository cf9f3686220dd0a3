import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Op, startChat, type TestChat } from '../support/chat.ts';

let chat: TestChat;
beforeEach(async () => {
  chat = await startChat();
  await chat.open();
});
afterEach(() => chat.nvim.dispose());

const put = (entry: Record<string, unknown>): Op => ({ op: 'put', entry });
const tool = (fields: Record<string, unknown> = {}) =>
  put({
    id: 't',
    kind: 'tool',
    title: 'npm test',
    name: 'Bash',
    category: 'execute',
    state: 'running',
    output: '',
    ...fields,
  });

const cases: [string, Op[], string[]][] = [
  [
    'a message of the user',
    [put({ id: 'u', kind: 'user', text: 'hello\nthere' })],
    ['You', 'hello', 'there', '', ''],
  ],
  [
    'one that waits, with an attachment',
    [
      put({
        id: 'u',
        kind: 'user',
        text: 'x',
        delivery: 'queued',
        attachments: [{ label: 'a.ts:1-2', size: 2048 }],
      }),
    ],
    ['You (waits to be sent)', 'x', '  @a.ts:1-2 (2 kB)', '', ''],
  ],
  [
    'it is delivered',
    [
      put({ id: 'u', kind: 'user', text: 'x', delivery: 'queued' }),
      { op: 'patch', id: 'u', fields: { delivery: 'sent' } },
    ],
    ['You', 'x', '', ''],
  ],
  [
    'text streams in pieces',
    [
      put({ id: 'a', kind: 'agent', text: '', streaming: true }),
      { op: 'append', id: 'a', field: 'text', text: 'One ' },
      { op: 'append', id: 'a', field: 'text', text: 'line\nand' },
      { op: 'append', id: 'a', field: 'text', text: ' more\n' },
      { op: 'append', id: 'a', field: 'text', text: '\nend' },
    ],
    ['One line', 'and more', '', 'end', '', ''],
  ],
  [
    'a thought',
    [
      put({ id: 'h', kind: 'thought', text: 'hm', streaming: true }),
      { op: 'patch', id: 'h', fields: { streaming: false } },
    ],
    ['Thought', '  hm', '', ''],
  ],
  [
    'a tool call from its start to its end',
    [
      tool({ input: 'npm test --silent', state: 'pending' }),
      { op: 'patch', id: 't', fields: { state: 'running' } },
      { op: 'append', id: 't', field: 'output', text: 'ok 1\nok' },
      { op: 'append', id: 't', field: 'output', text: ' 2\n' },
      { op: 'patch', id: 't', fields: { state: 'done', duration: 1234 } },
    ],
    ['✓ Bash npm test 1.2 s', '  npm test --silent', '  ok 1', '  ok 2', '', ''],
  ],
  [
    'one whose title begins with its name',
    [tool({ title: 'Bash: npm test' })],
    ['● Bash: npm test', '', ''],
  ],
  [
    'one that fails',
    [tool({ state: 'failed', error: 'exit code 1\nsee above' })],
    ['✗ Bash npm test: exit code 1', '  exit code 1', '  see above', '', ''],
  ],
  [
    'one that is cancelled, of a sub-agent',
    [tool({ state: 'cancelled', agent: 'explorer' })],
    ['- Bash npm test by explorer cancelled', '', ''],
  ],
  [
    'an edit with its diff',
    [
      tool({
        name: 'Edit',
        title: 'a.ts',
        state: 'done',
        diffs: [{ path: '/w/a.ts', before: 'a\nb\n', after: 'a\nc\n' }],
      }),
    ],
    ['✓ Edit a.ts +1 -1', '  /w/a.ts +1 -1', '  @@ -1,2 +1,2 @@', '   a', '  -b', '  +c', '', ''],
  ],
  [
    'a new file, and one that is too long to show',
    [
      tool({
        name: 'Edit',
        title: 'two',
        state: 'done',
        diffs: [
          { path: '/w/n', after: 'x\n' },
          { path: '/w/o', before: '', after: '', omitted: true },
        ],
      }),
    ],
    [
      '✓ Edit two +1 -0',
      '  /w/n (new) +1 -0',
      '  @@ -0,0 +1 @@',
      '  +x',
      '  /w/o too long to show here',
      '',
      '',
    ],
  ],
  [
    'places',
    [tool({ locations: [{ path: '/w/a.ts', line: 4 }, { path: '/w/b.ts' }] })],
    ['● Bash npm test', '  /w/a.ts:5', '  /w/b.ts', '', ''],
  ],
  [
    'terminal output as it looks in the end',
    [tool({ output: '\u001b[31mred\u001b[0m\r\n10%\r20%\r\ndone\n' })],
    ['● Bash npm test', '  red', '  20%', '  done', '', ''],
  ],
  [
    'a plan whose items change',
    [
      put({
        id: 'p',
        kind: 'plan',
        items: [
          { text: 'one', state: 'running' },
          { text: 'two', state: 'pending', priority: 'high' },
        ],
      }),
      {
        op: 'patch',
        id: 'p',
        fields: {
          items: [
            { text: 'one', state: 'done' },
            { text: 'two', state: 'running' },
          ],
        },
      },
    ],
    ['Plan', '  [x] one', '  [~] two', '', ''],
  ],
  [
    'a notice',
    [put({ id: 'n', kind: 'notice', level: 'warn', text: 'mind\nthis' })],
    ['mind', 'this', '', ''],
  ],
  [
    'an attachment',
    [put({ id: 'f', kind: 'attachment', attachment: { label: 'shot.png', size: 12 } })],
    ['@shot.png (12 bytes)', '', ''],
  ],
  [
    'the same id again replaces the entry where it stands',
    [
      put({ id: 'a', kind: 'agent', text: 'first' }),
      put({ id: 'b', kind: 'agent', text: 'second' }),
      put({ id: 'a', kind: 'agent', text: 'changed\ntwice' }),
      put({ id: 'b', kind: 'notice', level: 'info', text: 'another kind' }),
      put({ id: 'c', kind: 'agent', text: 'third' }),
    ],
    ['changed', 'twice', '', 'another kind', '', 'third', '', ''],
  ],
  [
    'an entry in the middle grows, and one goes',
    [
      put({ id: 'a', kind: 'agent', text: 'a' }),
      tool({ output: 'x' }),
      put({ id: 'b', kind: 'agent', text: 'b' }),
      { op: 'append', id: 't', field: 'output', text: 'y\nz' },
      { op: 'append', id: 'a', field: 'text', text: '!\n?' },
      { op: 'remove', id: 'b' },
      put({ id: 'c', kind: 'agent', text: 'c' }),
    ],
    ['a!', '?', '', '● Bash npm test', '  xy', '  z', '', 'c', '', ''],
  ],
  [
    'operations on what is not there change nothing',
    [
      put({ id: 'a', kind: 'agent', text: 'a' }),
      { op: 'append', id: 'x', field: 'text', text: 'y' },
      { op: 'append', id: 'a', field: 'output', text: 'y' },
      { op: 'patch', id: 'x', fields: { text: 'y' } },
      { op: 'remove', id: 'x' },
      { op: 'new-in-a-later-version' },
    ],
    ['a', '', ''],
  ],
  [
    'all of it goes',
    [
      put({ id: 'a', kind: 'agent', text: 'a' }),
      { op: 'clear' },
      put({ id: 'b', kind: 'agent', text: 'b' }),
    ],
    ['b', '', ''],
  ],
];

test.each(cases)('%s', async (_, ops, expected) => {
  await chat.apply(ops);
  expect(await chat.lines()).toEqual(expected);
});

test.each(cases)('%s, one operation at a time', async (_, ops, expected) => {
  for (const op of ops) await chat.apply([op]);
  expect(await chat.lines()).toEqual(expected);
});

test('a batch that comes again does nothing', async () => {
  const batch = { session: 'demo', batch: 7, ops: [put({ id: 'a', kind: 'agent', text: 'a' })] };
  expect(await chat.call('chat.apply', batch)).toMatchObject({ ok: true });
  const again = { ...batch, ops: [{ op: 'append', id: 'a', field: 'text', text: 'b' }] };
  expect(await chat.call('chat.apply', again)).toMatchObject({ ok: true });
  expect(await chat.lines()).toEqual(['a', '', '']);
});

test('the user cannot change the conversation', async () => {
  await chat.apply([put({ id: 'a', kind: 'agent', text: 'a' })]);
  await chat.focus('');
  await expect(chat.nvim.command('normal! dd')).rejects.toThrow('E21');
});

test('markdown has highlights, also where a block of code ends in another batch', async () => {
  await chat.apply([put({ id: 'a', kind: 'agent', text: '# Title\n`x` **b**\n```lua\n# no ti' })]);
  await chat.apply([{ op: 'append', id: 'a', field: 'text', text: 'tle\n```\n# Again' }]);
  const groups = await chat.nvim.lua(`
    local buffer = vim.fn.bufnr('claude-session://demo')
    local ns = vim.api.nvim_get_namespaces().claude_bridge_session
    return vim.tbl_map(function(mark)
      return { mark[2], mark[3], mark[4].end_col, mark[4].hl_group }
    end, vim.api.nvim_buf_get_extmarks(buffer, ns, 0, -1, { details = true }))`);
  expect(groups).toEqual([
    [0, 0, 7, 'ClaudeSessionHeading'],
    [1, 0, 3, 'ClaudeSessionCode'],
    [1, 4, 9, 'ClaudeSessionStrong'],
    [2, 0, 6, 'ClaudeSessionDetail'],
    [3, 0, 10, 'ClaudeSessionCode'],
    [4, 0, 3, 'ClaudeSessionDetail'],
    [5, 0, 7, 'ClaudeSessionHeading'],
  ]);
});

test('the groups are links that a colour scheme may replace', async () => {
  await chat.nvim.command('highlight ClaudeSessionUser guifg=#112233');
  await chat.open();
  await chat.nvim.command('colorscheme blue');
  await chat.nvim.command('highlight ClaudeSessionTool guifg=#445566');
  await chat.open();
  expect(
    await chat.nvim.lua(`return {
      vim.api.nvim_get_hl(0, { name = 'ClaudeSessionUser' }).link,
      vim.api.nvim_get_hl(0, { name = 'ClaudeSessionTool' }).fg }`),
  ).toEqual(['Title', 0x445566]);
});
