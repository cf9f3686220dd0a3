import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BridgeError } from '../../src/core/errors.ts';
import { parseEditorEvent } from '../../src/nvim/event-source.ts';

test.each([
  [
    {
      kind: 'selection',
      path: '/x/a',
      text: 'é',
      start: { line: 1, column: 0 },
      finish: { line: 1, column: 2, prefix: 'é' },
    },
    {
      kind: 'selection',
      selection: {
        path: '/x/a',
        text: 'é',
        range: { start: { line: 1, character: 0 }, end: { line: 1, character: 1 } },
      },
    },
  ],
  [
    { kind: 'document_closed', path: '/x/a' },
    { kind: 'document-closed', path: '/x/a' },
  ],
  [
    { kind: 'documents', paths: ['/x/a'] },
    { kind: 'documents', paths: ['/x/a'] },
  ],
  [
    { kind: 'documents', paths: {} },
    { kind: 'documents', paths: [] },
  ],
  [
    { kind: 'workspace', folders: ['/x'] },
    { kind: 'workspace', folders: ['/x'] },
  ],
  [
    { kind: 'diagnostics_changed', paths: ['/x/a'] },
    { kind: 'diagnostics-changed', paths: ['/x/a'] },
  ],
  [
    { kind: 'mention', path: '/x/a' },
    { kind: 'mention', path: '/x/a' },
  ],
  [
    { kind: 'mention', path: '/x/a', first: 1 },
    { kind: 'mention', path: '/x/a' },
  ],
  [
    { kind: 'mention', path: '/x/a', first: 3, last: 1 },
    { kind: 'mention', path: '/x/a', lines: { first: 1, last: 3 } },
  ],
])('%j', (raw, event) => expect(parseEditorEvent(raw)).toEqual(event));

test.each(['start', 'stop', 'status', 'toString', '__proto__'])('%s is not for the core', (kind) =>
  expect(parseEditorEvent({ kind })).toBeUndefined(),
);

test.each([
  undefined,
  null,
  42,
  {},
  { kind: 'selection' },
  {
    kind: 'selection',
    path: 'relative',
    text: '',
    start: { line: 0, column: 0 },
    finish: { line: 0, column: 0 },
  },
  {
    kind: 'selection',
    path: '/x',
    text: null,
    start: { line: 0, column: 0 },
    finish: { line: 0, column: 0 },
  },
  {
    kind: 'selection',
    path: '/x',
    text: '',
    start: { line: -1, column: 0 },
    finish: { line: 0, column: 0 },
  },
  { kind: 'mention', path: '' },
])('%j is refused in words', (raw) => expect(() => parseEditorEvent(raw)).toThrow(BridgeError));

test('anything at all is an event, nothing, or a BridgeError', () => {
  const kinds = fc.constantFrom('selection', 'mention', 'documents', 'workspace', 'x');
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.record({ kind: kinds, path: fc.anything() })), (raw) => {
      try {
        parseEditorEvent(raw);
      } catch (error) {
        expect(error).toBeInstanceOf(BridgeError);
      }
    }),
  );
});
