/** How long a selection stands, and what never becomes one. */
import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Context, told } from '../support/context.ts';
import { waitFor } from '../support/wait-for.ts';

let context: Context;
beforeEach(async () => {
  context = await Context.start();
});
afterEach(() => context.dispose());

const input = (keys: string) => context.nvim.input(keys);

/** Everything typed before has been told by the time that a second file's cursor is. */
async function fence(): Promise<void> {
  await context.open('fence.txt', 'fence');
  await input('0l');
  await waitFor(() => {
    const last = context.selections.at(-1);
    expect([last?.path, last?.range.start.character]).toEqual([context.path('fence.txt'), 1]);
  });
}

describe('after visual mode', () => {
  test.each(['<Esc>', 'y', 'v', ':<C-u><Esc>'])(
    'the selection stands until the cursor moves: viw%s',
    async (leave) => {
      await context.open('a.txt', 'alpha beta\ngamma');
      await input(`0wviw${leave}`);
      await context.told('beta', 0, 6, 0, 10);
      await context.nvim.lua('vim.wait(60)');
      await context.told('beta', 0, 6, 0, 10);
      await input('j');
      await waitFor(() => expect(context.selections.at(-1)?.text).toBe(''));
    },
  );

  test('a burst of keys loses no selection', async () => {
    await context.open('a.txt', 'alpha beta');
    await context.nvim.feed('0viw<Esc>');
    await context.told('alpha', 0, 0, 0, 5);
    await input('l');
    await context.told('', 0, 5, 0, 5);
  });

  test('a linewise selection right after a charwise one is whole', async () => {
    await context.open('a.txt', 'one two');
    await input('0viw<Esc>V');
    await context.told('one two', 0, 0, 0, 7);
  });

  test('the end of a line, where Vim moves the cursor back by itself', async () => {
    await context.open('a.txt', 'alpha\nbeta');
    await input('0v$<Esc>');
    await context.told('alpha', 0, 0, 0, 5);
    await context.nvim.lua('vim.wait(60)');
    await context.told('alpha', 0, 0, 0, 5);
  });

  test.each(['d', 'cx<Esc>', 'gU', 'rx', '>'])(
    'an operator that changes the text uses it up: viw%s',
    async (operator) => {
      await context.open('a.txt', 'alpha beta');
      await input('0viw');
      await context.told('alpha', 0, 0, 0, 5);
      await input(operator);
      await waitFor(() => expect(context.selections.at(-1)?.text).toBe(''));
    },
  );

  test('a change of the text ends it', async () => {
    await context.open('a.txt', 'alpha beta');
    await input('0viw<Esc>');
    await context.told('alpha', 0, 0, 0, 5);
    await input('xu');
    await waitFor(() => expect(context.selections.at(-1)?.text).toBe(''));
  });

  test('a block stands whole, to its ragged ends', async () => {
    await context.open('a.txt', 'ab\nlonger\nc');
    await context.nvim.feed('gg0l<C-v>jj$<Esc>');
    await context.told('b\nonger\n', 0, 1, 2, 1);
    expect(told(await context.port.currentSelection())).toEqual(['b\nonger\n', 0, 1, 2, 1]);
  });
});

describe('what shows no file', () => {
  const views = [
    ['a terminal', 'new | terminal'],
    ['a sidebar', 'vertical topleft new | setlocal buftype=nofile'],
    ['the quickfix list', 'copen'],
    ['help', 'help'],
    ['an unnamed buffer', 'new'],
    ['a plugin view', 'new | file plugin://view'],
    ['a proposal of ours', 'new | file claudebridge://1/a.txt | setlocal buftype=acwrite'],
    ['a folder', 'new | edit .'],
  ] as const;

  test.each(views)('%s tells nothing and clears nothing', async (_, command) => {
    await context.open('a.txt', 'alpha beta');
    await context.nvim.command('call setqflist([{"text": "one"}, {"text": "two"}])');
    await input('0viw<Esc>');
    await context.told('alpha', 0, 0, 0, 5);
    const before = context.selections.length;
    await context.nvim.command(command);
    await context.nvim.feed('gg0ggjVk<Esc>');
    await context.nvim.lua('vim.wait(60)');
    await context.nvim.feed('<C-w>p');
    await fence();
    const since = context.selections.slice(before);
    expect(since.filter(({ path }) => path !== context.path('fence.txt'))).toEqual([]);
  });

  test('the selection is told although the focus has gone to a terminal at once', async () => {
    await context.open('a.txt', 'alpha beta');
    await context.nvim.command('terminal');
    await context.nvim.command('new');
    await context.show(context.path('a.txt'));
    await context.nvim.feed('0viw<Esc><C-w>j');
    await context.told('alpha', 0, 0, 0, 5);
    expect(await context.port.currentSelection()).toBeUndefined();
  });

  test('a visual selection that a change of window ends is kept', async () => {
    await context.open('a.txt', 'alpha beta');
    await context.nvim.command('new | setlocal buftype=nofile | wincmd p');
    await input('0viw');
    await context.told('alpha', 0, 0, 0, 5);
    await input('<C-w>k');
    await waitFor(async () =>
      expect(await context.nvim.lua('return vim.bo.buftype')).toBe('nofile'),
    );
    expect(told(context.selections.at(-1))).toEqual(['alpha', 0, 0, 0, 5]);
  });
});

describe('the file itself', () => {
  test('the cursor is told where nothing is selected', async () => {
    await context.open('a.txt', 'x\n'.repeat(10));
    await input('7G');
    await context.told('', 6, 0, 6, 0);
  });

  test('the cursor is told in insert mode, beyond the last character too', async () => {
    await context.open('a.txt', '日本');
    await input('A');
    await context.told('', 0, 2, 0, 2);
    await input('語');
    await context.told('', 0, 3, 0, 3);
  });

  test('another file is told as soon as it is shown', async () => {
    const a = await context.open('a.txt', 'alpha');
    const b = await context.open('b.txt', 'beta');
    await waitFor(() => expect(context.selections.at(-1)?.path).toBe(b));
    await context.show(a);
    await waitFor(() => expect(context.selections.at(-1)?.path).toBe(a));
  });

  test('unsaved text is what is told', async () => {
    await context.open('a.txt', 'old');
    await input('ccnew<Esc>0viw');
    await context.told('new', 0, 0, 0, 3);
    expect(fs.readFileSync(context.path('a.txt'), 'utf8')).toBe('old');
  });

  test('the same spot is not told twice', async () => {
    await context.open('a.txt', 'alpha beta');
    await input('0');
    await context.told('', 0, 0, 0, 0);
    for (let i = 0; i < 20; i++) await context.nvim.feed('lh');
    await fence();
    const spots = context.selections.filter(({ path }) => path === context.path('a.txt'));
    for (const [i, spot] of spots.entries()) expect(spot).not.toEqual(spots[i + 1]);
  });

  test('a renamed buffer is told by its new name, the old one as closed', async () => {
    const old = await context.open('a.txt', 'alpha');
    await waitFor(() => expect(context.selections.at(-1)?.path).toBe(old));
    await context.nvim.command('saveas b.txt');
    await waitFor(() => expect(context.selections.at(-1)?.path).toBe(context.path('b.txt')));
  });

  test('a large selection is told in part, with its whole range, and read whole', async () => {
    const line = '日本語 and more, seventy bytes and something to fill up the line';
    await context.open('a.txt', `${line}\n`.repeat(60_000));
    await input('ggVG');
    await waitFor(() => expect(context.selections.at(-1)?.range.end.line).toBe(59_999));
    const last = context.selections.at(-1);
    expect(last?.range.end).toEqual({ line: 59_999, character: line.length });
    expect(Buffer.byteLength(last?.text ?? '')).toBeLessThanOrEqual(256 * 1024);
    expect(Buffer.byteLength(last?.text ?? '')).toBeGreaterThan(255 * 1024);
    expect(last?.text.endsWith(line)).toBe(true);
    expect((await context.port.currentSelection())?.text).toBe(
      `${line}\n`.repeat(60_000).slice(0, -1),
    );
  });

  test('a line longer than the limit is cut between characters', async () => {
    await context.open('a.txt', `a${'語'.repeat(200_000)}`);
    await input('V');
    await waitFor(() => expect(context.selections.at(-1)?.text.length).toBeGreaterThan(1000));
    expect(context.selections.at(-1)?.text).toMatch(/^a語+$/);
    expect(context.selections.at(-1)?.range.end.character).toBe(200_001);
  });

  test('a NUL and a carriage return in the text stay what they are', async () => {
    await context.open('a.txt', 'a\0b\r\nc\n');
    await input('ggVG');
    await context.told('a\0b\r\nc', 0, 0, 1, 1);
  });
});

describe('movements', () => {
  const waiting = () =>
    context.nvim.lua<number>(
      `return #vim.api.nvim_get_autocmds({ group = 'ClaudeBridgeEvents', event = 'CursorMoved' })`,
    );

  test('are not followed one by one, and are waited for again at rest', async () => {
    await context.open('a.txt', 'x\n'.repeat(2_000));
    await waitFor(async () => expect(await waiting()).toBe(1));
    const before = context.selections.length;
    await context.nvim.feed('j'.repeat(1_000));
    expect(await waiting()).toBe(0);
    await context.told('', 1_000, 0, 1_000, 0);
    expect(context.selections.length - before).toBeLessThan(100);
    await waitFor(async () => expect(await waiting()).toBe(1));
    await context.nvim.input('j');
    await context.told('', 1_001, 0, 1_001, 0);
  });
});

describe('closing', () => {
  test.each(['bwipeout!', 'bdelete!', 'bunload!'])(
    '%s tells that the file is closed',
    async (command) => {
      const file = await context.open('.env', 'SECRET=1');
      await context.nvim.command('enew');
      await context.nvim.command(`${command} ${file}`);
      await waitFor(() =>
        expect(context.of('document-closed')).toEqual([{ kind: 'document-closed', path: file }]),
      );
    },
  );

  test('reading a file anew does not close it', async () => {
    await context.open('a.txt', 'alpha');
    await context.nvim.command('edit!');
    await fence();
    expect(context.of('document-closed')).toEqual([]);
  });

  test('a closed and reopened file is told again', async () => {
    const file = await context.open('a.txt', 'alpha');
    await waitFor(() => expect(context.selections.at(-1)?.path).toBe(file));
    await context.nvim.command('bwipeout!');
    await waitFor(() => expect(context.of('document-closed')).toHaveLength(1));
    await context.show(file);
    await waitFor(() => {
      const last = context.events.filter(({ kind }) => /selection|closed/.test(kind)).at(-1);
      expect(last?.kind).toBe('selection');
    });
  });

  test('after stop nothing is told', async () => {
    await context.open('a.txt', 'alpha');
    await context.nvim.lua(`require('claude_bridge.events').stop()`);
    const count = context.events.length;
    await context.nvim.feed('0lviw<Esc>');
    await context.nvim.command('bwipeout! | cd ..');
    await context.nvim.lua('vim.wait(60)');
    expect(context.events).toHaveLength(count);
    expect(await context.nvim.lua(`return vim.fn.exists('#ClaudeBridgeEvents')`)).toBe(0);
  });

  test('a start tells what was open before it', async () => {
    const file = await context.open('a.txt', 'alpha beta');
    await context.nvim.feed('0w');
    await context.told('', 0, 6, 0, 6);
    const count = context.events.length;
    await context.nvim.lua(`require('claude_bridge.events').start()`);
    await waitFor(() => {
      const since = context.events.slice(count);
      expect(since.map(({ kind }) => kind)).toEqual(['workspace', 'documents', 'selection']);
      expect(since[1]).toMatchObject({ paths: [file] });
    });
    await context.told('', 0, 6, 0, 6);
  });
});
