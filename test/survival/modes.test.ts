/** Whatever the user is in the middle of while agents call tools, the keys do what they say. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import type { CallResult, Peer } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';

interface Situation {
  /** Keys up to the middle. */
  readonly enter: string;
  /** Set before. */
  readonly command?: string;
  /** The rest of the keys. At some prompts Neovim itself drops what was typed behind the answer. */
  readonly leave: string;
  /** The text of the file afterwards; absent: as it was. */
  readonly text?: readonly string[];
  /** A Lua expression, and its value afterwards. */
  readonly result?: readonly [string, unknown];
  /** Where the mode and no more tells that the user is there. */
  readonly mode: RegExp;
  /** No call reaches Neovim before the user goes on. */
  readonly blocking?: boolean | 'by version';
  /** What `state()` tells then, where the mode does not. */
  readonly state?: string;
}

const LINES = ['one two three', 'four five six', 'seven eight nine'];
const [FIRST = '', ...REST] = LINES;

const situations: Record<string, Situation> = {
  'at hit-enter': {
    enter: ':echo "a\\nb\\nc"<CR>',
    leave: '<CR>dd',
    text: REST,
    mode: /^r/,
    blocking: true,
  },
  'at hit-enter, and goes on with a command': {
    enter: ':echo "a\\nb\\nc"<CR>',
    leave: ':s/one/ONE/<CR>',
    text: ['ONE two three', ...REST],
    mode: /^r/,
    blocking: true,
  },
  'at the more prompt': {
    enter: ':for i in range(99) | echo i | endfor<CR>',
    leave: 'q',
    mode: /^rm/,
    blocking: true,
  },
  'in confirm()': {
    enter: ':let g:answer = confirm("Sure?", "&Yes\\n&No")<CR>',
    leave: 'n',
    result: ['vim.g.answer', 2],
    mode: /^r\?/,
    blocking: 'by version',
  },
  'in getchar()': {
    enter: ':let g:answer = getchar()<CR>',
    leave: 'z',
    result: ['vim.g.answer', 122],
    mode: /^n$/,
    state: 'S',
  },
  'in input()': {
    enter: ':let g:answer = input("> ")<CR>ab',
    leave: 'cd<CR>x',
    text: ['ne two three', ...REST],
    result: ['vim.g.answer', 'abcd'],
    mode: /^c/,
  },
  'in a command line': {
    enter: ':s/one/ON',
    leave: 'CE/<CR>',
    text: ['ONCE two three', ...REST],
    mode: /^c/,
  },
  'in a search': {
    enter: '/fi',
    leave: 've<CR>D',
    text: [FIRST, 'four ', REST[1] ?? ''],
    mode: /^c/,
  },
  'in the command-line window': {
    enter: 'q:isil',
    leave: 'ent! s/one/ONE/<Esc><CR>',
    text: ['ONE two three', ...REST],
    mode: /^i/,
  },
  'at an operator': { enter: 'd', leave: 'w', text: ['two three', ...REST], mode: /^no/ },
  'at an operator with a count': { enter: '2d', leave: 'w', text: ['three', ...REST], mode: /^no/ },
  'at a register': {
    enter: '"a',
    leave: 'dd',
    text: REST,
    result: [`vim.fn.getreg('a')`, `${FIRST}\n`],
    mode: /^n$/,
  },
  'at a replacement': {
    enter: 'r',
    leave: 'Z',
    text: ['Zne two three', ...REST],
    mode: /./,
    blocking: true,
  },
  'at a mapping': {
    command: 'set notimeout | nnoremap ,a dd',
    enter: ',',
    leave: 'a',
    text: REST,
    mode: /^n/,
    blocking: true,
  },
  'at g': { enter: 'g', leave: '~~', text: ['ONE TWO THREE', ...REST], mode: /^n/, blocking: true },
  'in a recording': {
    enter: 'qqdw',
    leave: 'dwjq',
    text: ['three', ...REST],
    result: [`vim.fn.getreg('q')`, 'dwdwj'],
    mode: /^n$/,
  },
  'in a recording of an insertion': {
    enter: 'qqAx',
    leave: 'y<Esc>q',
    text: [`${FIRST}xy`, ...REST],
    result: [`vim.fn.keytrans(vim.fn.getreg('q'))`, 'Axy<Esc>'],
    mode: /^i/,
  },
  inserting: { enter: 'ohel', leave: 'lo<Esc>', text: [FIRST, 'hello', ...REST], mode: /^i/ },
  'in a completion': {
    enter: 'of<C-n>',
    leave: '<C-y>!<Esc>',
    text: [FIRST, 'four!', ...REST],
    mode: /^ic/,
  },
  'at a literal key': {
    enter: 'O<C-v>',
    leave: '065<Esc>',
    text: ['A', ...LINES],
    mode: /^i/,
    blocking: true,
  },
  replacing: { enter: 'RON', leave: 'E<Esc>', text: ['ONE two three', ...REST], mode: /^R/ },
  'in a prompt buffer': {
    command: 'new | setlocal buftype=prompt',
    enter: 'iab',
    leave: 'cd<Esc>',
    result: [`vim.fn.getline('$')`, '% abcd'],
    mode: /^i/,
  },
};

const file = (bridge: TestBridge, name: string) => path.join(bridge.workspace, name);

/** All tools at once, as it were by several models of one agent; the review first. */
function callAll(
  bridge: TestBridge,
  peer: Peer,
): { review: Promise<CallResult>; rest: Promise<CallResult[]> } {
  const review = peer.call('openDiff', {
    old_file_path: file(bridge, 'b.txt'),
    new_file_path: file(bridge, 'b.txt'),
    new_file_contents: 'B\n',
    tab_name: 'review',
  });
  const calls: [string, Record<string, unknown>][] = [
    ['getCurrentSelection', {}],
    ['getLatestSelection', {}],
    ['getOpenEditors', {}],
    ['getWorkspaceFolders', {}],
    ['getDiagnostics', {}],
    ['getDiagnostics', { uri: file(bridge, 'a.txt') }],
    ['checkDocumentDirty', { filePath: file(bridge, 'a.txt') }],
    ['saveDocument', { filePath: file(bridge, 'a.txt') }],
    ['openFile', { filePath: file(bridge, 'c.txt'), startText: 'c', makeFrontmost: false }],
    ['openFile', { filePath: file(bridge, 'c.txt') }],
    ['close_tab', { tab_name: 'no such review' }],
    ['executeCode', { code: '1' }],
  ];
  return { review, rest: Promise.all(calls.map(([name, args]) => peer.call(name, args))) };
}

const modeOf = (bridge: TestBridge) =>
  bridge.nvim.client.request('nvim_get_mode', []) as Promise<{ mode: string; blocking: boolean }>;

async function start({ command, enter, mode, state, blocking = false }: Situation) {
  const files = { 'a.txt': `${LINES.join('\n')}\n`, 'b.txt': 'b\n', 'c.txt': 'c\n' };
  const bridge = await startBridge({ ui: true, files, args: ['a.txt'] });
  const peer = await bridge.peer();
  if (command) await bridge.nvim.command(command);
  await bridge.nvim.input(enter);
  await waitFor(async () => {
    const now = await modeOf(bridge);
    if (blocking !== 'by version') expect(now.blocking).toBe(blocking);
    expect(now.mode).toMatch(mode);
    if (state) expect(await bridge.nvim.lua('return vim.fn.state()')).toContain(state);
  });
  return { bridge, peer };
}

const textOf = (bridge: TestBridge) =>
  bridge.nvim.lua('return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)', [
    file(bridge, 'a.txt'),
  ]);

/** The keys have done what they do without a bridge, and the user is where they lead. */
async function expectDone(bridge: TestBridge, { text = LINES, result }: Situation) {
  await waitFor(async () => {
    expect(await textOf(bridge)).toEqual(text);
    if (result) expect(await bridge.nvim.lua(`return ${result[0]}`)).toEqual(result[1]);
  });
  await waitFor(async () => expect(await modeOf(bridge)).toEqual({ mode: 'n', blocking: false }));
}

describe.concurrent('the user is', () => {
  test.each(Object.keys(situations))('%s', async (name) => {
    const situation = situations[name];
    if (!situation) throw new Error(name);
    const { bridge, peer } = await start(situation);
    try {
      const { review, rest } = callAll(bridge, peer);
      // Where calls have to wait, Neovim has them by now.
      if ((await modeOf(bridge)).blocking) await peer.settle();
      else await rest;
      await bridge.nvim.input(situation.leave);
      await rest;
      await expectDone(bridge, situation);
      await waitFor(async () =>
        expect(await bridge.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(1),
      );
      expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_1_DIFF_TABS']);
      expect((await review).content[0]).toMatchObject({ text: 'DIFF_REJECTED' });
      await expectDone(bridge, situation);
      expect(await bridge.nvim.messages()).not.toMatch(/E\d+:/);
    } finally {
      await bridge.dispose();
    }
  });
});

describe.concurrent('the user does not go on for long', () => {
  test.each(['at hit-enter', 'at the more prompt'])(
    '%s: every call ends, and is not made up for',
    async (name) => {
      const situation = situations[name];
      if (!situation) throw new Error(name);
      const { bridge, peer } = await start(situation);
      try {
        const { review, rest } = callAll(bridge, peer);
        const ends = [...(await rest), await review];
        const busy = ends.filter(
          ({ isError, content }) => isError && /waits at a prompt/.test(content[0]?.text ?? ''),
        );
        expect(busy).toHaveLength(10);
        expect(await modeOf(bridge)).toMatchObject({ blocking: true });
        await bridge.nvim.input(situation.leave);
        await expectDone(bridge, situation);
        await peer.callTexts('getOpenEditors');
        expect(await bridge.nvim.lua('return #vim.api.nvim_list_wins()')).toBe(1);
        expect(
          await bridge.nvim.lua(
            `return vim.tbl_count(require('claude_bridge.review.state').reviews)`,
          ),
        ).toBe(0);
        expect(fs.readFileSync(file(bridge, 'a.txt'), 'utf8')).toBe(`${LINES.join('\n')}\n`);
      } finally {
        await bridge.dispose();
      }
    },
  );
});
