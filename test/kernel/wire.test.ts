import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WireCodec } from '../../src/kernel/wire.ts';

const KEY = 'a0436f6c-1916-498b-8eb9-e81ab9368e84';

/** What a kernel sends, built by hand. */
function fromKernel(key: string, type: string, content: unknown, parent: object = {}): Buffer[] {
  const header = {
    msg_id: 'k1',
    msg_type: type,
    session: 's',
    username: 'k',
    date: '',
    version: '5.3',
  };
  const parts = [header, parent, {}, content].map((part) => Buffer.from(JSON.stringify(part)));
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return [Buffer.from('<IDS|MSG>'), Buffer.from(hmac.digest('hex')), ...parts];
}

test('a request has the frames of protocol 5.3, with the signature over the four parts', () => {
  const [delimiter, signature, ...parts] = new WireCodec(KEY).encode('execute_request', 'id-1', {
    code: '1',
  });
  const hmac = createHmac('sha256', KEY);
  for (const part of parts) hmac.update(part);
  expect(String(delimiter)).toBe('<IDS|MSG>');
  expect(String(signature)).toBe(hmac.digest('hex'));
  expect(parts.map((part) => JSON.parse(String(part)))).toEqual([
    {
      msg_id: 'id-1',
      msg_type: 'execute_request',
      session: expect.any(String),
      username: 'claude-bridge',
      date: expect.stringMatching(/^\d{4}-.*Z$/),
      version: '5.3',
    },
    {},
    {},
    { code: '1' },
  ]);
});

test('a signed message is read, with identities before it and buffers after it', () => {
  const frames = fromKernel(KEY, 'stream', { name: 'stdout', text: 'hi' }, { msg_id: 'id-1' });
  const whole = [Buffer.from('kernel.stream'), ...frames, Buffer.from([0, 255])];
  expect(new WireCodec(KEY).decode(whole)).toEqual({
    type: 'stream',
    parentId: 'id-1',
    content: { name: 'stdout', text: 'hi' },
  });
});

test.each(['', 'another key'])('a message signed with %j is dropped', (key) => {
  const frames = fromKernel(key, 'stream', { name: 'stdout', text: 'hi' });
  expect(new WireCodec(KEY).decode(frames)).toBeUndefined();
});

test('a changed part is dropped', () => {
  const frames = fromKernel(KEY, 'stream', { name: 'stdout', text: 'hi' });
  frames[5] = Buffer.from('{"name":"stdout","text":"ho"}');
  expect(new WireCodec(KEY).decode(frames)).toBeUndefined();
});

test('without a key nothing is signed and nothing is checked', () => {
  const codec = new WireCodec('');
  const frames = codec.encode('kernel_info_request', 'id-2', {});
  expect(String(frames[1])).toBe('');
  expect(codec.decode(frames)).toMatchObject({ type: 'kernel_info_request' });
});

test('frames that are no message are dropped, never thrown at', () => {
  const codec = new WireCodec('');
  const frame = fc.oneof(
    fc.constant(Buffer.from('<IDS|MSG>')),
    fc.json().map((text) => Buffer.from(text)),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 9 }), (frames) => {
      expect(() => codec.decode(frames)).not.toThrow();
    }),
  );
});
