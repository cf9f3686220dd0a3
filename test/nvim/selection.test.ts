/** What the agents are told of the selection, from keys to UTF-16. */
import { afterEach, beforeEach, describe, test } from 'vitest';
import { Context, type Told } from '../support/context.ts';

let context: Context;
beforeEach(async () => {
  context = await Context.start();
});
afterEach(() => context.dispose());

describe('a selection in visual mode', () => {
  const abcdef = 'abcdef\n'.repeat(4);
  test.each([
    ['two-byte characters', 'éé foo', 'gg0wve', ['foo', 0, 3, 0, 6]],
    ['three-byte characters', 'x = "日本語" + y', 'gg0f日ve', ['日本語', 0, 5, 0, 8]],
    ['a surrogate pair', 'a😀b', 'gg0vl', ['a😀', 0, 0, 0, 3]],
    ['a combining character', 'ae\u0301b', 'gg0vl', ['ae\u0301', 0, 0, 0, 3]],
    ['whole lines', 'a😀b\nsecond', 'ggVj', ['a😀b\nsecond', 0, 0, 1, 6]],
    ['the same column on two lines', abcdef, 'gg0llv3j', ['cdef\nabcdef\nabcdef\nabc', 0, 2, 3, 3]],
    ['ends in reverse', abcdef, 'G0llvgg0', ['abcdef\nabcdef\nabcdef\nabc', 0, 0, 3, 3]],
    ['one character', 'abc', 'gg0lv', ['b', 0, 1, 0, 2]],
    ['an empty line', 'a\n\nb', 'ggjv', ['', 1, 0, 1, 0]],
    ['to an empty line', 'abc\n\nb', 'gg$vj', ['c\n', 0, 2, 1, 0]],
    ['the end of the line by $', 'abc\ndef', 'gg0lv$', ['bc', 0, 1, 0, 3]],
    ['a white space at the line start', '  foo\nbar', 'ggV', ['  foo', 0, 0, 0, 5]],
    ['an empty line, linewise', 'a\n\nb', 'ggVj', ['a\n', 0, 0, 1, 0]],
    ['a block', 'abcd\nefgh\nijkl', 'gg0l<C-v>jjl', ['bc\nfg\njk', 0, 1, 2, 3]],
    ['a block drawn to the left', 'abcd\nefgh', 'gg0ll<C-v>jh', ['bc\nfg', 0, 1, 1, 3]],
    ['a block drawn upwards', 'abcd\nefgh', 'G0l<C-v>kl', ['bc\nfg', 0, 1, 1, 3]],
    ['a block to the line ends', 'ab\nlonger\nc', 'gg0<C-v>jj$', ['ab\nlonger\nc', 0, 0, 2, 1]],
    ['a block over wide characters', 'a日b\nabcd', 'gg0l<C-v>jl', ['日\nbc', 0, 1, 1, 3]],
    // Filled up with spaces, as Vim's own registers are.
    ['a block beyond a short line', 'abcd\na\nabcd', 'gg0ll<C-v>jjl', ['cd\n  \ncd', 0, 2, 2, 4]],
    ['a character before a NUL', 'a\0b', 'gg0v', ['a', 0, 0, 0, 1]],
    ['a NUL', 'a\0é\0b', 'gg0vlll', ['a\0é\0', 0, 0, 0, 4]],
    ['a block with a NUL', 'a\0b\nc\0d', 'gg0<C-v>jl', ['a\0\nc\0', 0, 0, 1, 2]],
    ['select mode', 'alpha beta', 'gg0gh<Right><Right>', ['alp', 0, 0, 0, 3]],
  ] satisfies [string, string, string, Told][])('covers %s', async (_, text, keys, wanted) => {
    await context.open('a.txt', text);
    await context.nvim.input(keys);
    await context.told(...wanted);
  });

  test.each([
    ['exclusive', '0ve', ['second', 0, 0, 0, 6]],
    ['exclusive', '0vlll', ['sec', 0, 0, 0, 3]],
    ['exclusive', '0lv', ['e', 0, 1, 0, 2]],
    ['old', '0v$', ['second', 0, 0, 0, 6]],
  ] satisfies [string, string, Told][])(
    'follows selection=%s after %s',
    async (option, keys, wanted) => {
      await context.nvim.command(`set selection=${option}`);
      await context.open('a.txt', 'second');
      await context.nvim.input(keys);
      await context.told(...wanted);
    },
  );
});
