import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Keepalive } from '../../src/transport/keepalive.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class Member {
  readonly seen: string[] = [];
  checkAlive() {
    this.seen.push('check');
  }
  presumeAlive() {
    this.seen.push('presume');
  }
}

test('checks each member at each interval', () => {
  const keepalive = new Keepalive(1_000);
  const [a, b] = [new Member(), new Member()];
  keepalive.add(a);
  keepalive.add(b);
  vi.advanceTimersByTime(3_000);
  expect(a.seen).toEqual(['check', 'check', 'check']);
  keepalive.remove(a);
  vi.advanceTimersByTime(1_000);
  expect(a.seen).toHaveLength(3);
  expect(b.seen).toHaveLength(4);
});

test('no timer runs without members', () => {
  const keepalive = new Keepalive(1_000);
  expect(vi.getTimerCount()).toBe(0);
  const member = new Member();
  keepalive.add(member);
  expect(vi.getTimerCount()).toBe(1);
  keepalive.remove(member);
  expect(vi.getTimerCount()).toBe(0);
  keepalive.add(member);
  keepalive.dispose();
  keepalive.dispose();
  expect(vi.getTimerCount()).toBe(0);
});

test('after this process slept, members get the time to answer that they did not have', () => {
  const keepalive = new Keepalive(1_000);
  const member = new Member();
  keepalive.add(member);
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValueOnce(now + 60_000);
  vi.advanceTimersByTime(1_000);
  expect(member.seen).toEqual(['presume', 'check']);
});
