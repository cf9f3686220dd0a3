import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startChat, type TestChat } from '../support/chat.ts';

let chat: TestChat;
const file = (name: string) => path.join(chat.nvim.home, name);
beforeEach(async () => {
  chat = await startChat();
  for (const name of ['a.txt', 'b.txt', 'c.txt']) fs.writeFileSync(file(name), 'x\n');
});
afterEach(() => chat.nvim.dispose());

const told = () => chat.sent('chat_context').map((event) => event['context']);

test('nothing is told before a session lives, nor after the last', async () => {
  await chat.nvim.command('edit a.txt');
  await chat.nvim.command('write');
  await chat.open();
  await chat.call('chat.close', { session: 'demo' });
  const before = told().length;
  await chat.nvim.command('wincmd t | edit b.txt | write | set background=light');
  expect(told()).toHaveLength(before);
});

test('a session that begins learns the file and the theme', async () => {
  await chat.nvim.command('edit a.txt');
  await chat.nvim.input('i');
  await chat.open();
  await expect.poll(told).toEqual([
    { what: 'theme', theme: 'dark' },
    { what: 'file-selected', path: file('a.txt') },
  ]);
});

test('of files that are gone through quickly, the last is told', async () => {
  await chat.open();
  await chat.nvim.command('wincmd t | edit a.txt | edit b.txt | edit c.txt');
  await chat.nvim.command('help | helpclose');
  await expect.poll(told).toContainEqual({ what: 'file-selected', path: file('c.txt') });
  const files = told().filter((context) => (context as { what: string }).what === 'file-selected');
  expect(files).toHaveLength(1);
});

test('saved files and a change of the theme', async () => {
  await chat.open();
  await chat.nvim.command('wincmd t | edit a.txt | write');
  await chat.nvim.command('set background=light');
  await chat.nvim.command('set background=light');
  await expect.poll(told).toEqual(
    expect.arrayContaining([
      { what: 'file-saved', path: file('a.txt') },
      { what: 'theme', theme: 'light' },
    ]),
  );
  const light = told().filter((context) => (context as { theme?: string }).theme === 'light');
  expect(light).toHaveLength(1);
});
