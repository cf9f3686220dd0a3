import { expect, test } from 'vitest';
import { MentionQueue } from '../../src/core/mentions.ts';

const collect = (queue: MentionQueue) => {
  const heard: string[] = [];
  const listener = queue.attach(({ path }) => heard.push(path));
  return { heard, leave: () => listener.dispose() };
};

test('mentions made with no agent go to the first that comes, in order, and to no second', () => {
  const queue = new MentionQueue();
  queue.add({ path: '/x/a' });
  queue.add({ path: '/x/b', lines: { first: 1, last: 3 } });
  const first = collect(queue);
  const second = collect(queue);
  expect(first.heard).toEqual(['/x/a', '/x/b']);
  expect(second.heard).toEqual([]);
});

test('a mention goes to all agents that can hear', () => {
  const queue = new MentionQueue();
  const first = collect(queue);
  const second = collect(queue);
  queue.add({ path: '/x/a' });
  expect([first.heard, second.heard]).toEqual([['/x/a'], ['/x/a']]);
});

test('after the last agent left, mentions wait again', () => {
  const queue = new MentionQueue();
  const first = collect(queue);
  first.leave();
  first.leave();
  queue.add({ path: '/x/a' });
  expect(first.heard).toEqual([]);
  expect(collect(queue).heard).toEqual(['/x/a']);
});

test('the oldest of too many waiting mentions are dropped', () => {
  const queue = new MentionQueue();
  for (let n = 1; n <= 150; n++) queue.add({ path: `/x/${n}` });
  const { heard } = collect(queue);
  expect(heard).toHaveLength(100);
  expect(heard.at(0)).toBe('/x/51');
  expect(heard.at(-1)).toBe('/x/150');
});
