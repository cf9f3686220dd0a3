import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startChat, type TestChat } from '../support/chat.ts';

let chat: TestChat;
const file = (name = 'a.txt') => path.join(chat.nvim.home, name);
beforeEach(async () => {
  chat = await startChat();
});
afterEach(() => chat.nvim.dispose());

const lua = <T>(code: string, args: unknown[] = []) => chat.nvim.lua<T>(code, args);
const read = async (name?: string) => (await chat.call('buffers.read', { path: file(name) })).value;
const write = (text: string, name?: string) =>
  chat.call('buffers.write', { path: file(name), text });
const onDisk = (name?: string) => fs.readFileSync(file(name), 'utf8');

test.each([
  ['a\nb\n', 'a\nb\n'],
  ['a\nb', 'a\nb'],
  ['a\r\nb\r\n', 'a\r\nb\r\n'],
  ['', ''],
])('reads %j of an open file as it is', async (text, expected) => {
  fs.writeFileSync(file(), text);
  expect(await read()).toBeUndefined();
  await chat.nvim.command('edit a.txt');
  expect(await read()).toEqual({ text: expected });
});

test('reads what is not saved', async () => {
  fs.writeFileSync(file(), 'a\n');
  await chat.nvim.command('edit a.txt | call setline(1, "changed")');
  expect(await read()).toEqual({ text: 'changed\n' });
});

test.each(['a\nb\n', 'a\nb', 'a\r\nb\r\n', '', '\n', '\n\n', 'ä\n'])(
  'writes %j through an open buffer, a new one and again',
  async (text) => {
    fs.writeFileSync(file(), 'old\nlines\nof\nthis\n');
    await chat.nvim.command('edit a.txt');
    for (const name of ['a.txt', 'new/folder/b.txt', 'a.txt']) {
      expect(await write(text, name)).toMatchObject({ ok: true });
      expect(onDisk(name)).toBe(text);
      expect(await read(name)).toEqual({ text });
    }
    expect(await lua(`return vim.bo.modified`)).toBe(false);
  },
);

test('a write is one undo step, and marks of lines that stay stay', async () => {
  fs.writeFileSync(file(), '1\n2\n3\n4\n5\n6\n');
  await chat.nvim.command('edit a.txt');
  await chat.nvim.command('call setline(1, "mine")');
  await chat.nvim.command('5mark x');
  await write('mine\nnew\n3\n4\n5\nlast\n');
  await write('mine\nnew\nnewer\n3\n4\n5\nlast\n');
  expect(await lua(`return vim.fn.getpos("'x")[2]`)).toBe(6);
  await chat.nvim.command('undo');
  expect(await read()).toEqual({ text: 'mine\nnew\n3\n4\n5\nlast\n' });
  await chat.nvim.command('undo');
  expect(await read()).toEqual({ text: 'mine\n2\n3\n4\n5\n6\n' });
  await chat.nvim.command('undo');
  expect(await read()).toEqual({ text: '1\n2\n3\n4\n5\n6\n' });
});

test("the user's 'fixendofline' is as it was", async () => {
  fs.writeFileSync(file(), 'a\n');
  await chat.nvim.command('edit a.txt');
  await write('b');
  expect(await lua(`return vim.bo.fixendofline`)).toBe(true);
});

test('a file that changed on disk brings up no question', async () => {
  fs.writeFileSync(file(), 'a\n');
  await chat.nvim.command('edit a.txt');
  fs.writeFileSync(file(), 'changed on disk\n');
  fs.utimesSync(file(), new Date(), new Date(Date.now() + 60_000));
  expect(await write('b\n')).toMatchObject({ ok: true });
  expect(onDisk()).toBe('b\n');
});

test('a file that the user keeps from being changed is refused', async () => {
  fs.writeFileSync(file(), 'a\n');
  await chat.nvim.command('view a.txt');
  expect(await write('b\n')).toMatchObject({ ok: false, code: 'refused' });
  expect(onDisk()).toBe('a\n');
});

test('a folder in the place of the file fails in one line', async () => {
  fs.mkdirSync(file());
  const reply = await write('b\n');
  expect(reply).toMatchObject({ ok: false, code: 'failed' });
  expect(JSON.stringify(reply)).not.toContain('stack traceback');
});

test('a large file is written as well', async () => {
  const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index} of many`);
  fs.writeFileSync(file(), `${lines.join('\n')}\n`);
  await chat.nvim.command('edit a.txt | 30000mark x');
  lines[5] = 'other';
  await write(`${lines.join('\n')}\n`);
  expect(onDisk()).toBe(`${lines.join('\n')}\n`);
  expect(await lua(`return vim.fn.getpos("'x")[2]`)).toBe(30_000);
});
