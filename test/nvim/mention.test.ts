/** `:ClaudeMention`: what is mentioned, and what the user is told where nothing can be. */
import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Context } from '../support/context.ts';
import { waitFor } from '../support/wait-for.ts';

let context: Context;
beforeEach(async () => {
  context = await Context.start();
  await context.nvim.lua(`vim.api.nvim_create_user_command('Mention', function(opts)
    require('claude_bridge.mention').send(opts)
  end, { nargs = '?', range = true, complete = require('claude_bridge.mention').complete })`);
});
afterEach(() => context.dispose());

const mentions = () => context.raw.filter(({ kind }) => kind === 'mention');
const mentioned = (...wanted: object[]) => waitFor(() => expect(mentions()).toEqual(wanted));
const mention = (argument = '') => context.nvim.command(`Mention ${argument}`);

describe('the current file', () => {
  const ten = 'line\n'.repeat(10);

  test('as a whole, without lines', async () => {
    const path = await context.open('f.txt', ten);
    await mention();
    await mentioned({ kind: 'mention', path });
  });

  test('by lines, counted from 0', async () => {
    const path = await context.open('f.txt', ten);
    await context.nvim.command('2,4Mention');
    await mentioned({ kind: 'mention', path, first: 1, last: 3 });
  });

  test('by the lines of visual mode, one of them too', async () => {
    const path = await context.open('f.txt', ten);
    await context.nvim.input('5GV:Mention<CR>');
    await mentioned({ kind: 'mention', path, first: 4, last: 4 });
  });

  test('by the lines of visual mode in a mapping that does not leave it', async () => {
    const path = await context.open('f.txt', ten);
    await context.nvim.command('xnoremap M <Cmd>Mention<CR>');
    await context.nvim.input('7GVkkM');
    await mentioned({ kind: 'mention', path, first: 4, last: 6 });
  });

  test.each(['neo-tree', 'oil', 'NvimTree'])('in a folder named %s', async (folder) => {
    const path = await context.open(`${folder}/a.lua`, ten);
    await context.nvim.command('1,2Mention');
    await mentioned({ kind: 'mention', path, first: 0, last: 1 });
  });

  test.each([
    ['a b.txt#L3', 'a b.txt', { first: 2, last: 2 }],
    ['a b.txt#L3-7', 'a b.txt', { first: 2, last: 6 }],
    ['a b.txt#L7-L3', 'a b.txt', { first: 2, last: 6 }],
    ['a b.txt#L0', 'a b.txt', { first: 0, last: 0 }],
    ['%#L2', 'f.txt', { first: 1, last: 1 }],
    ['odd#L3', 'odd#L3', {}],
  ])('lines of a file that is named: %s', async (argument, name, lines) => {
    context.write('a b.txt', 'short');
    context.write('odd#L3', 'short');
    context.write('odd', ten);
    await context.open('f.txt', ten);
    await mention(argument);
    await mentioned({ kind: 'mention', path: context.path(name), ...lines });
  });

  test('%, # and <cfile> by their names', async () => {
    const a = await context.open('a.txt', 'b.txt');
    const b = await context.open('b.txt');
    await mention('%');
    await mention('#');
    await context.show(a);
    await mention('<cfile>');
    await mentioned(
      { kind: 'mention', path: b },
      { kind: 'mention', path: a },
      { kind: 'mention', path: b },
    );
  });
});

describe('a path', () => {
  const NAMES = [
    'a b.ts',
    '$post/index.tsx',
    '[id].vue',
    '100%.md',
    'naïve#1.txt',
    "q'.md",
    '"quoted".md',
    'back\\slash',
    '%',
    '~tilde',
    ' leading',
    'a|b',
  ];

  test.each(NAMES)('%j is taken as it is', async (name) => {
    const path = context.write(name);
    context.write('id.vue', 'a decoy');
    await context.nvim.lua(
      `require('claude_bridge.mention').send({ range = 0, line1 = 1, line2 = 1, args = ... })`,
      [path],
    );
    await mentioned({ kind: 'mention', path });
  });

  test.each(['a b.ts', '[id].vue', '100%.md', 'naïve#1.txt', "q'.md", '$post.ts'])(
    '%j typed relative to the working directory',
    async (name) => {
      const path = context.write(name);
      await context.nvim.input(`:Mention ${name}<CR>`);
      await mentioned({ kind: 'mention', path });
    },
  );

  test.each([
    ['some', 'some $odd [name].ts'],
    ['some $o', 'some $odd [name].ts'],
    ['su', 'sub/'],
    ['sub/a b', 'sub/a b.ts'],
  ])('that the command line completes from %j', async (typed, name) => {
    context.write('some $odd [name].ts');
    context.write('sub/a b.ts');
    await context.nvim.command('set wildmenu wildcharm=<C-z>');
    await context.nvim.input(`:Mention ${typed}<C-z><CR>`);
    await mentioned({ kind: 'mention', path: context.path(name) });
  });

  test('below the home folder', async () => {
    fs.writeFileSync(`${context.nvim.home}/notes.md`, '');
    await mention('~/notes.md');
    await mentioned({ kind: 'mention', path: `${context.nvim.home}/notes.md` });
  });

  test('with dots in it', async () => {
    const path = context.write('sub/a.txt');
    await mention('./sub/../sub/a.txt');
    await mentioned({ kind: 'mention', path });
  });

  test('with lines', async () => {
    const path = context.write('a.txt', 'x\n'.repeat(9));
    await context.open('b.txt', 'x\n'.repeat(9));
    await context.nvim.command('2,4Mention a.txt');
    await mentioned({ kind: 'mention', path, first: 1, last: 3 });
  });

  test.each(['sub', 'sub/', './sub'])('of a folder: %s', async (name) => {
    context.write('sub/a.txt');
    await mention(name);
    await mentioned({ kind: 'mention', path: `${context.path('sub')}/` });
  });
});

describe('in one line the user is told', () => {
  const told = async (pattern: RegExp) => {
    expect(await context.nvim.messages()).toMatch(pattern);
    expect(mentions()).toEqual([]);
  };

  test('that there is no such file', async () => {
    await mention('gone.txt');
    await told(/^.*: no such file or folder: gone\.txt$/);
  });

  test.each(['enew', 'help', 'terminal'])('that a buffer is no file: %s', async (command) => {
    await context.nvim.command(command);
    await mention();
    await told(/^.*: this buffer is no file; give a path: :ClaudeMention <path>$/);
  });

  test('that a file was never written', async () => {
    await context.nvim.command('edit new.txt');
    await mention();
    await told(/^.*: not on disk yet, write it first: .*new\.txt$/);
  });

  test('that the bridge does not run', async () => {
    await context.open('a.txt');
    await context.nvim.lua(`require('claude_bridge.channel').detach()`);
    await mention();
    await told(/^.*: not running; :ClaudeBridgeStart starts it$/);
  });
});
