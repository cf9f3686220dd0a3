import { beforeEach, expect, test } from 'vitest';
import type { Selection } from '../../src/core/ports.ts';
import { byteColumn, toPosition } from '../../src/core/positions.ts';
import { Privacy } from '../../src/core/privacy.ts';
import { SelectionTracker } from '../../src/core/selection-tracker.ts';

const at = (line: number, column: number) => toPosition({ line, column: byteColumn(column) });
const select = (path: string, text = '', line = 0): Selection => ({
  path,
  text,
  range: { start: at(line, 0), end: at(line, text.length) },
});

let tracker: SelectionTracker;
let told: (Selection | undefined)[];
beforeEach(() => {
  tracker = new SelectionTracker(new Privacy());
  told = [];
  tracker.onChange((selection) => told.push(selection));
});

test('each change is told once', () => {
  tracker.update(select('/x/a', 'one'));
  tracker.update(select('/x/a', 'one'));
  tracker.update(select('/x/a', 'one', 1));
  tracker.update(select('/x/a', 'two', 1));
  tracker.update(select('/x/b', 'two', 1));
  expect(told.map((s) => [s?.path, s?.text, s?.range.start.line])).toEqual([
    ['/x/a', 'one', 0],
    ['/x/a', 'one', 1],
    ['/x/a', 'two', 1],
    ['/x/b', 'two', 1],
  ]);
});

test('an excluded file clears what was told, once, and leaves no trace', () => {
  const open = select('/x/a', 'one');
  tracker.update(open);
  tracker.update(select('/x/.env', 'SECRET=1'));
  tracker.update(select('/x/.env', 'SECRET'));
  expect(told).toEqual([open, undefined]);
  expect(tracker.current).toBeUndefined();
  expect(tracker.latest).toBe(open);
  tracker.update(open);
  expect(told).toEqual([open, undefined, open]);
});

test('a closed file vanishes from the current and the latest selection', () => {
  tracker.update(select('/x/a', 'SECRET=1'));
  tracker.forget('/x/a');
  expect(told.at(-1)).toBeUndefined();
  expect(told).toHaveLength(2);
  expect(tracker.current).toBeUndefined();
  expect(tracker.latest).toBeUndefined();
});

test('a closed file that was not shown clears nothing', () => {
  const open = select('/x/b');
  tracker.update(select('/x/a', 'one'));
  tracker.update(open);
  tracker.forget('/x/a');
  expect(tracker.current).toBe(open);
  expect(told).toHaveLength(2);
});

test('the latest selection of a closed file vanishes behind an excluded one too', () => {
  tracker.update(select('/x/a', 'one'));
  tracker.update(select('/x/.env'));
  tracker.forget('/x/a');
  expect(tracker.latest).toBeUndefined();
});

test('a listener that left hears nothing', () => {
  const late: unknown[] = [];
  const listener = tracker.onChange((selection) => late.push(selection));
  listener.dispose();
  tracker.update(select('/x/a'));
  expect(late).toEqual([]);
});
