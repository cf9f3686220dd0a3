import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Privacy } from '../../src/core/privacy.ts';

describe('the default patterns', () => {
  const privacy = new Privacy();

  test.each([
    '/x/ws/.env',
    '/x/ws/.env.local',
    '/x/ws/deep/er/.envrc',
    '/x/ws/.ENV',
    '/x/ws/tls/server.pem',
    '/x/ws/server.key',
    '/home/u/.ssh/config',
    '/home/u/.ssh/keys/work',
    '/home/u/.aws/credentials',
    '/home/u/.netrc',
    '/x/line\nbreak/.env',
    '/x/line\nbreak/.ssh/config',
  ])('keep %j back', (path) => expect(privacy.excludes(path)).toBe(true));

  test.each([
    '/x/ws/env.ts',
    '/x/ws/a.env.ts',
    '/x/.env.d/readme.md',
    '/x/ws/keys.ts',
    '/x/[id].vue',
  ])('let %j through', (path) => expect(privacy.excludes(path)).toBe(false));

  test('keep every file named .env* back, in whatever folder', () => {
    const name = fc.string({ unit: 'grapheme' }).map((s) => s.replaceAll('/', '_'));
    fc.assert(
      fc.property(
        fc.array(name.filter((n) => n !== '' && n !== '.' && n !== '..')),
        name,
        (folders, rest) => privacy.excludes(`/${[...folders, `.env${rest}`].join('/')}`),
      ),
    );
  });
});

describe('patterns of the user', () => {
  test.each([
    ['secret?.txt', '/x/secret1.txt', true],
    ['secrets/', '/x/secrets/deep/a.txt', true],
    ['secrets/', '/x/secrets', true],
    ['secrets/*.json', '/x/ws/secrets/a.json', true],
    ['/x/private/**', '/x/private/a/b', true],
    ['/x/private/**', '/y/x/private/a', false],
    ['**/*.{key,crt}', '/x/a.crt', true],
    ['!a.txt', '/x/b.txt', false],
  ])('%j on %j: %j', (pattern, path, excluded) =>
    expect(new Privacy({ exclude: [pattern] }).excludes(path)).toBe(excluded),
  );
});

test('a link to an excluded file is excluded', () => {
  const privacy = new Privacy({ realPath: (path) => path.replace('settings', '.env') });
  expect(privacy.excludes('/x/ws/settings')).toBe(true);
});

test('without sharing no file is told, and only patterns exclude', () => {
  const privacy = new Privacy({ sharing: false });
  expect(privacy.allows('/x/a.ts')).toBe(false);
  expect(privacy.excludes('/x/a.ts')).toBe(false);
});
