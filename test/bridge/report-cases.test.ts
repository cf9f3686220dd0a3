/** Reported situations that need the whole product: several parts take part in each. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import { PROJECT } from '../support/nvim.ts';
import { Peer } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';

let bridge: TestBridge;
afterEach(() => bridge?.dispose());

const file = (name: string) => path.join(bridge.workspace, name);
const propose = (peer: Peer, name: string, contents: string, tab = name) =>
  peer.callTexts('openDiff', {
    old_file_path: file(name),
    new_file_path: file(name),
    new_file_contents: contents,
    tab_name: tab,
  });
const pending = (count: number) =>
  waitFor(async () =>
    expect(await bridge.nvim.lua(`return #require('claude_bridge.review').list()`)).toBe(count),
  );
/** Goes to the review of a tab. */
const goTo = (tab: string) =>
  bridge.nvim.lua(
    `for _, review in ipairs(require('claude_bridge.review').list()) do
      if review.title == ... then require('claude_bridge.review').jump(review.id) end
    end`,
    [tab],
  );
const shown = (tab: string) =>
  waitFor(async () => {
    await goTo(tab);
    expect(await bridge.nvim.lua('return vim.wo.diff and vim.bo.buftype')).toBe('acwrite');
  });

describe('reviews', () => {
  test('with diff.enabled off an edit gets an error, and the user learns where it is asked', async () => {
    const options = { diff: { enabled: false } };
    bridge = await startBridge({ ui: true, files: { 'a.txt': 'a\n' }, options });
    const peer = await bridge.peer();
    const args = { old_file_path: file('a.txt'), new_file_path: file('a.txt') };
    const answer = await peer.call('openDiff', { ...args, new_file_contents: 'b', tab_name: 't' });
    expect(answer).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('its option diff.enabled') }],
      isError: true,
    });
    expect(await bridge.nvim.lua('return #vim.api.nvim_list_wins()')).toBe(1);
    await waitFor(async () =>
      expect(await bridge.nvim.messages()).toContain('Claude Code asks in its terminal'),
    );
  });

  test('three at once, two of one file, get three answers in the order of the decisions', async () => {
    bridge = await startBridge({ ui: true, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    const peer = await bridge.peer();
    const order: string[] = [];
    const answers = [
      propose(peer, 'a.txt', '1\n', 't1'),
      propose(peer, 'b.txt', '2\n', 't2'),
      propose(peer, 'a.txt', '3\n', 't3'),
    ].map(async (answer) => {
      const texts = await answer;
      order.push(texts[1] ?? '');
      return texts;
    });
    await pending(3);
    await shown('t2');
    await bridge.nvim.command('write');
    await pending(2);
    await shown('t1');
    await bridge.nvim.command('quit');
    await pending(1);
    await shown('t3');
    await bridge.nvim.command('write');
    expect(await Promise.all(answers)).toEqual([
      ['DIFF_REJECTED', 't1'],
      ['FILE_SAVED', '2\n'],
      ['FILE_SAVED', '3\n'],
    ]);
    expect(order).toEqual(['2\n', 't1', '3\n']);
  });

  test("a reset closes the agent's own, and leaves a diff of the user alone", async () => {
    bridge = await startBridge({ ui: true, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    const peer = await bridge.peer();
    await bridge.nvim.command('edit a.txt | diffthis | vsplit b.txt | diffthis');
    const diffs = () =>
      bridge.nvim.lua(`return #vim.tbl_filter(function(window)
        return vim.wo[window].diff
      end, vim.api.nvim_tabpage_list_wins(vim.api.nvim_list_tabpages()[1]))`);
    expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
    expect(await diffs()).toBe(2);
    const answer = propose(peer, 'a.txt', 'new\n');
    await pending(1);
    expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_1_DIFF_TABS']);
    expect(await answer).toEqual(['DIFF_REJECTED', 'a.txt']);
    await pending(0);
    expect(await diffs()).toBe(2);
  });

  test('autocommands of the file do not change what is accepted', async () => {
    bridge = await startBridge({ ui: true, files: { 'a.go': 'old\n' } });
    const peer = await bridge.peer();
    await bridge.nvim.command(
      'autocmd BufWritePre,BufWritePost,FileWritePre *.go call append("$", "// fmt")',
    );
    const answer = propose(peer, 'a.go', 'x\n');
    await shown('a.go');
    await bridge.nvim.command('write');
    expect(await answer).toEqual(['FILE_SAVED', 'x\n']);
    expect(fs.readFileSync(file('a.go'), 'utf8')).toBe('old\n');
  });

  test('what is selected in a proposal is told as no file that is none', async () => {
    bridge = await startBridge({ ui: true, files: { 'a.txt': 'alpha\n' }, args: ['a.txt'] });
    const peer = await bridge.peer();
    await peer.waitFor('selection_changed');
    const answer = propose(peer, 'a.txt', 'proposed words\n');
    await shown('a.txt');
    await bridge.nvim.input('0viw<Esc>');
    await bridge.nvim.input('<C-w>p0viw<Esc>');
    await waitFor(() =>
      expect(peer.told('selection_changed').map(({ text }) => text)).toContain('alpha'),
    );
    for (const { filePath } of peer.told('selection_changed')) {
      expect([file('a.txt'), undefined, '']).toContain(filePath);
    }
    expect(JSON.stringify(peer.told('selection_changed'))).not.toContain('proposed');
    await bridge.nvim.command('ClaudeDiffReject');
    await answer;
  });

  test('a proposal may be made again and again for a file whose folder is not there', async () => {
    bridge = await startBridge({ ui: true });
    const peer = await bridge.peer();
    const buffers = () => bridge.nvim.lua(`return vim.fn.getbufinfo({ buflisted = 1 })[1].bufnr`);
    const before = await buffers();
    for (let round = 0; round < 3; round++) {
      const answer = propose(peer, 'n/e/w.txt', 'x\n');
      await shown('n/e/w.txt');
      await bridge.nvim.command('quit');
      expect(await answer).toEqual(['DIFF_REJECTED', 'n/e/w.txt']);
      await pending(0);
    }
    expect(fs.existsSync(file('n'))).toBe(false);
    expect(await buffers()).toEqual(before);
  });
});

describe('buffers that are no files of this machine', () => {
  test.each([
    'oil:///x/ws/',
    'scp://host/f',
    'fugitive:///x/.git//0/a',
    'term://x',
    'jdt://x/A.java',
  ])('%s is told by no tool and no notification', async (name) => {
    bridge = await startBridge({ ui: true, files: { 'a.txt': 'alpha\n' }, args: ['a.txt'] });
    const peer = await bridge.peer();
    await peer.waitFor('selection_changed');
    await bridge.nvim.lua(
      `local buf = vim.api.nvim_create_buf(true, false)
        vim.cmd('noautocmd call nvim_buf_set_name(' .. buf .. ', ' .. vim.fn.string(...) .. ')')
        vim.cmd('noautocmd buffer ' .. buf)
        vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'REMOTE text' })
        vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0,
          { { lnum = 0, col = 0, message = 'REMOTE' } })
        vim.cmd('doautocmd BufEnter')`,
      [name],
    );
    await bridge.nvim.input('0viw<Esc>');
    await bridge.nvim.command('ClaudeMention');
    for (const tool of ['getOpenEditors', 'getCurrentSelection', 'getLatestSelection'])
      await peer.call(tool);
    await peer.call('getDiagnostics');
    await bridge.nvim.command('edit a.txt | ClaudeMention');
    await peer.waitFor('at_mentioned');
    const told = JSON.stringify(peer.received);
    expect(told).not.toContain('REMOTE');
    expect(told).not.toContain(name);
    expect(peer.told('at_mentioned')).toEqual([{ filePath: file('a.txt') }]);
  });
});

describe('the connection', () => {
  test('the status tells a client that has not finished its handshake', async () => {
    bridge = await startBridge({ ui: true });
    const half = await Peer.connect({ port: bridge.port, token: bridge.token });
    const status = async () => {
      await bridge.nvim.command('ClaudeBridgeStatus');
      return (
        await bridge.nvim.lua<string[]>('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')
      ).join('\n');
    };
    await waitFor(async () => expect(await status()).toContain('handshake not begun'));
    await half.initialize();
    await waitFor(async () => expect(await status()).toContain('handshake not finished'));
    half.terminate();
  });

  test('a lock file that something removed is there again for the next agent, and the status says so', async () => {
    bridge = await startBridge({ ui: true });
    fs.rmSync(bridge.lockFile);
    await bridge.nvim.command('ClaudeBridgeStatus');
    await waitFor(async () =>
      expect(
        (
          await bridge.nvim.lua<string[]>('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')
        ).join('\n'),
      ).toContain('was missing, written again'),
    );
    expect(fs.existsSync(bridge.lockFile)).toBe(true);
    fs.rmSync(bridge.lockFile);
    await bridge.peer();
    expect(fs.existsSync(bridge.lockFile)).toBe(true);
  });

  test('a client that is killed costs the user no message, however much is selected then', async () => {
    bridge = await startBridge({ ui: true, files: { 'a.txt': 'one two\n' }, args: ['a.txt'] });
    const peer = await bridge.peer();
    await peer.waitFor('selection_changed');
    peer.terminate();
    for (let round = 0; round < 5; round++) await bridge.nvim.input('0viw<Esc>w');
    const next = await bridge.peer();
    await next.waitFor('selection_changed');
    expect(await bridge.nvim.messages()).toBe('');
  });

  test('port and process id are those of the options', async () => {
    const first = await startBridge();
    const port = first.port;
    await first.dispose();
    bridge = await startBridge({ options: { server: { port, pid: 1 } } });
    expect(path.basename(bridge.lockFile)).toBe(`${port}.lock`);
    expect(JSON.parse(fs.readFileSync(bridge.lockFile, 'utf8'))).toMatchObject({ pid: 1 });
    await bridge.peer();
  });
});

test('each of the twelve tools is there under its name', async () => {
  bridge = await startBridge({ files: { 'a.txt': 'a\n' } });
  const peer = await bridge.peer();
  const names = (await peer.listTools()).map(({ name }) => name);
  expect(names).toHaveLength(12);
  for (const name of names) {
    if (name === 'openDiff') continue;
    const { content } = await peer.call(name, {
      filePath: file('a.txt'),
      tab_name: 'none',
      code: '1',
    });
    expect([name, content[0]?.text ?? '']).not.toEqual([
      name,
      expect.stringMatching(/unknown|not found/i),
    ]);
  }
});

test('the plugin works from a folder without packages, and writes nothing into it', async () => {
  bridge = await startBridge();
  const root = path.join(bridge.workspace, 'read only', 'claude-bridge.nvim');
  for (const name of ['plugin', 'lua', 'rplugin', 'dist', 'package.json'])
    fs.cpSync(path.join(PROJECT, name), path.join(root, name), { recursive: true });
  const list = () => fs.readdirSync(root, { recursive: true }).sort();
  const before = list();
  const copy = await startBridge({
    plugin: false,
    args: ['--cmd', `let &rtp = '${root},' . &rtp`],
    files: { 'a.txt': 'a\n' },
  });
  try {
    const peer = await copy.peer();
    expect(await peer.listTools()).toHaveLength(12);
    expect(list()).toEqual(before);
  } finally {
    await copy.dispose();
  }
});

describe('the terminal', () => {
  test('can be typed into after mentions, messages and reviews', async () => {
    bridge = await startBridge({
      ui: true,
      files: { 'a.txt': 'a\n' },
      args: ['a.txt'],
      options: { terminal: { cmd: ['cat'] } },
    });
    const mode = async () =>
      ((await bridge.nvim.client.request('nvim_get_mode', [])) as { mode: string }).mode;
    const peer = await bridge.peer();
    await bridge.nvim.command('ClaudeBridgeTerminal');
    await expect.poll(mode).toBe('t');
    await bridge.nvim.input('<C-\\><C-n>');
    await bridge.nvim.command('ClaudeMention a.txt');
    const answer = propose(peer, 'a.txt', 'b\n');
    await shown('a.txt');
    await bridge.nvim.command('ClaudeDiffReject');
    await answer;
    await pending(0);
    await bridge.nvim.lua(`for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.bo[vim.api.nvim_win_get_buf(window)].buftype == 'terminal' then
        vim.api.nvim_set_current_win(window)
      end
    end`);
    await bridge.nvim.input('i');
    await expect.poll(mode).toBe('t');
    await bridge.nvim.input('typed<CR>');
    await expect.poll(() => bridge.nvim.lua(`return vim.fn.search('typed', 'nw') > 0`)).toBe(true);
    expect(await bridge.nvim.messages()).not.toMatch(/E\d+/);
  });
});
