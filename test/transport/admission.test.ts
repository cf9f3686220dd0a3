import net from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { Peer, Refused } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';
import { raw, startServer, TOKEN, TOKEN_HEADER, upgradeRequest } from './support.ts';

let started: Awaited<ReturnType<typeof startServer>>;
beforeEach(async () => {
  started = await startServer({ extraHosts: ['host.docker.internal'] });
});
afterEach(() => started.server.dispose());

/** The status with which a handshake ends; 101 where the client is let in. */
async function statusOf(headers: Record<string, string>, token?: string): Promise<number> {
  const options = { port: started.port, headers, ...(token !== undefined && { token }) };
  try {
    const peer = await Peer.connect(options);
    peer.terminate();
    return 101;
  } catch (error) {
    if (error instanceof Refused) return error.status;
    throw error;
  }
}

test('the token in its header lets a client in, with its headers and address', async () => {
  const peer = await Peer.connect({ port: started.port, token: TOKEN });
  const [client] = started.clients;
  expect(client?.headers['user-agent']).toBe('claude-code/2.1.332 (cli)');
  expect(client?.remote).toMatch(/^127\.0\.0\.1:\d+$/);
  peer.terminate();
});

test.each([
  ['no token', undefined, 401],
  ['an empty token', '', 401],
  ['another token', '11111111-2222-4333-8444-555555555556', 401],
  ['the beginning of the token', TOKEN.slice(0, -1), 401],
  ['more than the token', `${TOKEN}0`, 401],
  ['the token in capitals', `${TOKEN.slice(0, -1)}A`, 401],
  ['the token', TOKEN, 101],
])('%s', async (_name, token, status) => {
  expect(await statusOf({}, token)).toBe(status);
  expect(started.clients).toHaveLength(status === 101 ? 1 : 0);
});

test('the token counts only where its family puts it', async () => {
  expect(await statusOf({ authorization: `Bearer ${TOKEN}` })).toBe(401);
  expect(await statusOf({ cookie: `${TOKEN_HEADER}=${TOKEN}` })).toBe(401);
});

test.each(['https://evil.example', 'http://127.0.0.1', 'null', ''])(
  'a browser is refused, with and without the token: origin %j',
  async (origin) => {
    expect(await statusOf({ origin }, TOKEN)).toBe(403);
    expect(await statusOf({ origin })).toBe(403);
    expect(started.clients).toEqual([]);
  },
);

test.each([
  ['127.0.0.1', true],
  ['localhost', true],
  ['LOCALHOST', true],
  ['[::1]', true],
  ['host.docker.internal', true],
  ['evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['0.0.0.0', false],
  ['127.0.0.2', false],
])('host name %s: let in %s', async (name, isLetIn) => {
  const host = `${name}:${started.port}`;
  expect(await statusOf({ host }, TOKEN)).toBe(isLetIn ? 101 : 403);
});

test.each([
  ['172.17.0.1', 101],
  ['[fd00::1]', 101],
  ['evil.example', 403],
  ['127.0.0.1.evil.example', 403],
])('where others may connect, calling it %s is answered with %i', async (name, status) => {
  const open = await startServer({ host: '0.0.0.0' });
  onTestFinished(() => open.server.dispose());
  const { port } = open;
  const closing = Buffer.from([0x88, 0x80, 0, 0, 0, 0]);
  const answer = await raw(port, upgradeRequest(port, { Host: `${name}:${port}` }), closing);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test('another port in Host, or none, is refused', async () => {
  expect(await statusOf({ host: '127.0.0.1:1' }, TOKEN)).toBe(403);
  expect(await statusOf({ host: '127.0.0.1' }, TOKEN)).toBe(403);
});

test('a request with no Host or with two is refused', async () => {
  const { port } = started;
  const none = upgradeRequest(port).replace(/Host: .*\r\n/, '');
  expect(await raw(port, none)).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
  const two = upgradeRequest(port, { Host: [`127.0.0.1:${port}`, 'evil.example'] });
  expect(await raw(port, two)).toMatch(/^HTTP\/1\.1 403 /);
});

test('Host is looked at before Origin, and Origin before the token', async () => {
  await statusOf({ host: 'evil.example', origin: 'https://evil.example' });
  await statusOf({ origin: 'https://evil.example' });
  await statusOf({});
  const reasons = started.logger.records
    .filter(({ message }) => message === 'connection refused')
    .map(({ fields }) => fields['reason']);
  expect(reasons).toEqual(['foreign or missing Host', 'Origin is set', 'no token']);
});

test('a refusal is logged with the address and the reason, never with a token', async () => {
  await statusOf({}, 'a-wrong-token');
  expect(started.logger.records).toContainEqual({
    level: 'warn',
    message: 'connection refused',
    fields: { remote: expect.stringMatching(/^127\.0\.0\.1:\d+$/), reason: 'wrong token' },
  });
  expect(started.logger.text).not.toContain('a-wrong-token');
  expect(started.logger.text).not.toContain(TOKEN);
});

test('a broken handshake is refused and logged', async () => {
  const { port } = started;
  const badKey = upgradeRequest(port, { 'Sec-WebSocket-Key': 'x' });
  expect(await raw(port, badKey)).toMatch(/^HTTP\/1\.1 400 /);
  expect(await raw(port, upgradeRequest(port, { Upgrade: 'h2c' }))).toMatch(/^HTTP\/1\.1 400 /);
  const reasons = started.logger.records.map(({ fields }) => fields['reason']);
  expect(reasons).toContain('Missing or invalid Sec-WebSocket-Key header');
});

test('a plain request is told to upgrade', async () => {
  const response = await fetch(`http://127.0.0.1:${started.port}/mcp`);
  expect(response.status).toBe(426);
  expect(response.headers.get('upgrade')).toBe('websocket');
});

test('text that is no HTTP ends its own connection only', async () => {
  const peer = await Peer.connect({ port: started.port, token: TOKEN });
  expect(await raw(started.port, '\u0016\u0003\u0001 no http\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  peer.send('still here');
  await waitFor(() => expect(started.clients[0]?.received).toEqual(['still here']));
  peer.terminate();
});

test('speaks the subprotocol `mcp` to a client that offers it, and none to others', async () => {
  const offers = [['mcp'], ['other', 'mcp'], []] as const;
  const chosen = [];
  for (const protocols of offers) {
    const peer = await Peer.connect({ port: started.port, token: TOKEN, protocols });
    chosen.push(peer.socket.protocol);
    peer.terminate();
  }
  expect(chosen).toEqual(['mcp', 'mcp', '']);
});

test('no compression is agreed to, so that a few bytes cannot become many', async () => {
  const peer = await Peer.connect({ port: started.port, token: TOKEN });
  expect(peer.socket.extensions).toBe('');
  peer.terminate();
});

test('listens on loopback only', async () => {
  const { port } = started;
  const other = net.connect(port, '127.0.0.2');
  await expect(
    new Promise((resolve, reject) => other.once('connect', resolve).once('error', reject)),
  ).rejects.toThrow('ECONNREFUSED');
});
