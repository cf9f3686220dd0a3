import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromView, toView } from '../../src/core/review-text.ts';

const plain = { eol: true, bom: false, ends: 'unix' };

test.each([
  ['', { ...plain, lines: [], ends: 'none' }],
  ['a', { ...plain, lines: ['a'], eol: false, ends: 'none' }],
  ['\n', { ...plain, lines: [''] }],
  ['a\nb', { ...plain, lines: ['a', 'b'], eol: false }],
  ['a\nb\n', { ...plain, lines: ['a', 'b'] }],
  ['a\n\n', { ...plain, lines: ['a', ''] }],
  ['a\r\nb\r\n', { ...plain, lines: ['a', 'b'], ends: 'dos' }],
  ['a\r\nb', { ...plain, lines: ['a', 'b'], ends: 'dos', eol: false }],
  ['a\r\nb\n', { ...plain, lines: ['a\r', 'b'], ends: 'mixed' }],
  ['a\nb\r\n', { ...plain, lines: ['a', 'b\r'], ends: 'mixed' }],
  ['a\r\r\nb\r', { ...plain, lines: ['a\r', 'b\r'], ends: 'dos', eol: false }],
  ['a\r', { ...plain, lines: ['a\r'], eol: false, ends: 'mac' }],
  ['a\rb', { ...plain, lines: ['a\rb'], eol: false, ends: 'mac' }],
  ['a\rb\n', { ...plain, lines: ['a\rb'] }],
  ['\uFEFFa\n', { ...plain, lines: ['a'], bom: true }],
  ['\uFEFF', { ...plain, lines: [], bom: true, ends: 'none' }],
  ['\uFEFF\uFEFFa\n', { ...plain, lines: ['\uFEFFa'], bom: true }],
  ['a\u2028b\0c\n', { ...plain, lines: ['a\u2028b\0c'] }],
])('%j is shown as it is meant', (text, view) => {
  expect(toView(text)).toEqual(view);
});

/** Strings in which line ends, marks and half characters are frequent. */
const hardText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\n', '\r\n', '\r', '\uFEFF', '\0', '\u2028', '\ud83d', '\ude00', '😀', 'é'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
});

test('any text comes back as it went', () => {
  fc.assert(fc.property(hardText, (text) => fromView(toView(text)) === text));
});

test('no line holds a line end', () => {
  fc.assert(
    fc.property(hardText, (text) => !toView(text).lines.some((line) => line.includes('\n'))),
  );
});
