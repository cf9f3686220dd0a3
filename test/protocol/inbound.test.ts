import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '../../src/protocol/inbound.ts';

const read = (value: unknown) => readMessage(JSON.stringify(value));

test.each([
  [0, 0],
  ['', ''],
  [7, 7],
  ['a', 'a'],
])('takes %j for an id', (id, expected) => {
  expect(read({ jsonrpc: '2.0', id, method: 'ping' })).toEqual({
    kind: 'request',
    id: expected,
    method: 'ping',
    params: undefined,
  });
});

test('a message without id is a notification, whatever its parameters', () => {
  expect(read({ jsonrpc: '2.0', method: 'n' })).toMatchObject({
    kind: 'notification',
    method: 'n',
  });
  expect(read({ jsonrpc: '2.0', method: 'n', params: [1] })).toMatchObject({
    kind: 'notification',
    params: undefined,
  });
  expect(read({ jsonrpc: '2.0', method: 'n', params: { a: 1 } })).toMatchObject({
    params: { a: 1 },
  });
});

test.each([
  ['no JSON', '{"jsonrpc":"2.0","id":1', -32700, null],
  ['empty', '', -32700, null],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, null],
  ['an empty batch', '[]', -32600, null],
  ['null', 'null', -32600, null],
  ['a number', '3', -32600, null],
  ['nothing in it', '{}', -32600, null],
  ['an id and nothing else', '{"jsonrpc":"2.0","id":0}', -32600, 0],
  ['no version', '{"id":"","method":"ping"}', -32600, ''],
  ['another version', '{"jsonrpc":"1.0","id":4,"method":"ping"}', -32600, 4],
  ['a method that is no text', '{"jsonrpc":"2.0","id":5,"method":1}', -32600, 5],
  ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
  ['a fraction as id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
  ['parameters in a list', '{"jsonrpc":"2.0","id":6,"method":"ping","params":[1]}', -32602, 6],
  ['a text as parameters', '{"jsonrpc":"2.0","id":6,"method":"ping","params":"x"}', -32602, 6],
])('%s is answered with an error', (_name, text, code, id) => {
  expect(readMessage(text)).toMatchObject({ kind: 'invalid', code, id });
});

test.each([
  { jsonrpc: '2.0', id: 1, result: {} },
  { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'x' } },
  { error: 'x' },
  { id: 9, result: 3 },
])('a response is never answered: %j', (message) => {
  expect(read(message)).toEqual({ kind: 'response', message });
});

test('reads JSON of any depth', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":${deep}}}}`;
  expect(readMessage(message)).toMatchObject({ kind: 'request', id: 1 });
  expect(readMessage(deep)).toMatchObject({ kind: 'invalid', code: -32600 });
});

test('sorts any JSON and any text without throwing, and errors only what asks for an answer', () => {
  const key = fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error', '__proto__');
  const value = fc.oneof(fc.constant('2.0'), fc.jsonValue());
  const messageLike = fc.dictionary(key, value).map((message) => JSON.stringify(message));
  const anyText = fc.oneof(messageLike, fc.json(), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(anyText, (text) => {
      const { kind } = readMessage(text);
      expect(['request', 'notification', 'response', 'invalid']).toContain(kind);
    }),
    { numRuns: 2_000 },
  );
});
