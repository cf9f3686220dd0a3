import { randomBytes } from 'node:crypto';
import net from 'node:net';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import WebSocket from 'ws';
import type { WebSocketServerOptions } from '../../src/transport/websocket-server.ts';
import { Peer, Refused } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';
import { echo, raw, startServer, TOKEN, upgradeRequest } from './support.ts';

const soon = <T>(check: () => T) => waitFor(check, { interval: 2 });

const servers: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.dispose();
});

async function start(options: Partial<WebSocketServerOptions> = {}) {
  const started = await startServer(options);
  servers.push(started.server);
  const connect = () => Peer.connect({ port: started.port, token: TOKEN });
  return { ...started, connect };
}

/** A masked frame as a client sends it; `first` has FIN, RSV and the opcode. */
function frame(first: number, payload: Buffer): Buffer {
  const mask = Buffer.from([1, 2, 3, 4]);
  const masked = payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0));
  return Buffer.concat([Buffer.from([first, 0x80 | payload.length]), mask, masked]);
}

/** Shakes hands, sends bytes as they are, and returns the close code of the server. */
async function closeCodeFor(port: number, bytes: Buffer): Promise<number> {
  const answer = Buffer.from(await raw(port, upgradeRequest(port), bytes), 'latin1');
  const frames = answer.subarray(answer.indexOf('\r\n\r\n') + 4);
  expect(frames[0]).toBe(0x88);
  return frames.readUInt16BE(2);
}

test('carries messages of several clients, each to its own', async () => {
  const { connect, clients } = await start();
  const [a, b] = [await connect(), await connect()];
  for (const client of clients) echo(client);
  const [fromA, fromB] = [a.next(() => true), b.next(() => true)];
  a.send({ n: 'a' });
  b.send({ n: 'b' });
  expect([await fromA, await fromB]).toEqual([{ n: 'a' }, { n: 'b' }]);
});

test('a binary frame is read as text, a fragmented message as one', async () => {
  const { connect, clients } = await start();
  const peer = await connect();
  peer.send(Buffer.from('binär'));
  peer.socket.send('one ', { fin: false });
  peer.socket.send('message', { fin: true });
  await soon(() => expect(clients[0]?.received).toEqual(['binär', 'one message']));
});

test('a character may be cut by frames', async () => {
  const { port, clients } = await start();
  const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
  const bye = frame(0x88, Buffer.from([0x03, 0xe8]));
  await raw(port, upgradeRequest(port), frame(0x01, first), frame(0x80, second), bye);
  expect(clients[0]?.received).toEqual(['é']);
});

test.each([
  ['invalid UTF-8', frame(0x81, Buffer.from([0xff, 0xfe])), 1007],
  ['a reserved bit', frame(0xc1, Buffer.alloc(0)), 1002],
  ['a frame that is not masked', Buffer.from([0x81, 0x01, 0x61]), 1002],
  ['an unknown opcode', frame(0x83, Buffer.alloc(0)), 1002],
  ['a continuation of nothing', frame(0x80, Buffer.alloc(0)), 1002],
])('%s ends its own connection, and no other', async (_name, bytes, code) => {
  const { port, connect, clients } = await start();
  const other = await connect();
  expect(await closeCodeFor(port, bytes)).toBe(code);
  other.send('still here');
  await soon(() => expect(clients[0]?.received).toEqual(['still here']));
});

test('a message of 64 MB ends its own connection with 1009', async () => {
  const { connect, clients } = await start();
  const [other, peer] = [await connect(), await connect()];
  peer.send('x'.repeat(64 * 1024 * 1024));
  expect((await peer.closed).code).toBe(1009);
  other.send('still here');
  await soon(() => expect(clients[0]?.received).toEqual(['still here']));
  expect(clients[1]?.received).toEqual([]);
});

test('a message of 30 MB is taken', async () => {
  const { connect, clients } = await start();
  const peer = await connect();
  peer.send('x'.repeat(30 * 1024 * 1024));
  await soon(() => expect(clients[0]?.received[0]?.length).toBe(30 * 1024 * 1024));
});

test('100,000 small frames arrive in order', async () => {
  const { connect, clients } = await start();
  const peer = await connect();
  for (let i = 0; i < 100_000; i += 1) peer.socket.send(`${i}`);
  await waitFor(() => expect(clients[0]?.received.length).toBe(100_000));
  expect(clients[0]?.received.every((text, i) => text === `${i}`)).toBe(true);
});

test('any bytes after the handshake cost at most their own connection', async () => {
  const { port, connect, clients } = await start();
  const other = await connect();
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(bytes, async (data) => {
      const socket = net.connect(port, '127.0.0.1');
      const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
      socket.resume();
      socket.end(Buffer.concat([Buffer.from(upgradeRequest(port)), data]));
      await closed;
    }),
    { numRuns: 100 },
  );
  await soon(() => expect(clients.slice(1).every(({ end }) => end !== undefined)).toBe(true));
  other.send('still here');
  await soon(() => expect(clients[0]?.received).toEqual(['still here']));
});

test('tells a killed client by its close, and says nothing to it any more', async () => {
  const { connect, clients, logger } = await start();
  const peer = await connect();
  const [client] = clients;
  peer.terminate();
  await soon(() => expect(client?.end).toEqual({ code: 1006, reason: '' }));
  for (let i = 0; i < 5; i += 1) client?.channel.send('selection');
  expect(client?.channel.isOpen).toBe(false);
  expect(logger.records.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

test('a client that answers no ping is dropped, one that does stays', async () => {
  const { connect, clients, port } = await start({ limits: { pingMs: 40 } });
  const alive = await connect();
  const dead = new WebSocket(`ws://127.0.0.1:${port}`, {
    autoPong: false,
    headers: { 'x-claude-code-ide-authorization': TOKEN },
  });
  dead.on('error', () => {});
  await soon(() => expect(clients[1]?.end).toEqual({ code: 1006, reason: 'no answer to a ping' }));
  expect(clients[0]?.end).toBeUndefined();
  alive.send('still here');
  await soon(() => expect(clients[0]?.received).toEqual(['still here']));
});

test('a message counts as a sign of life', async () => {
  const { clients, port } = await start({ limits: { pingMs: 60 } });
  const peer = new WebSocket(`ws://127.0.0.1:${port}`, {
    autoPong: false,
    headers: { 'x-claude-code-ide-authorization': TOKEN },
  });
  peer.on('error', () => {});
  let pings = 0;
  peer.on('ping', () => {
    pings += 1;
    if (pings <= 4) peer.send('alive');
  });
  await soon(() => expect(clients[0]?.end?.reason).toBe('no answer to a ping'));
  expect(pings).toBe(5);
});

test('a client that reads nothing is dropped when too much waits for it', async () => {
  const { connect, clients } = await start({ limits: { maxBacklogBytes: 8 * 1024 * 1024 } });
  const [slow, other] = [await connect(), await connect()];
  slow.socket.pause();
  const text = 'x'.repeat(1024 * 1024);
  await soon(() => {
    clients[0]?.channel.send(text);
    expect(clients[0]?.end?.reason).toContain('bytes unread by the client');
  });
  other.send('still here');
  await soon(() => expect(clients[1]?.received).toEqual(['still here']));
});

test('tells how much waits for a slow client, and when it has gone out', async () => {
  const { connect, clients } = await start();
  const peer = await connect();
  peer.socket.pause();
  const channel = clients[0]?.channel;
  for (let i = 0; i < 16; i += 1) channel?.send('x'.repeat(1024 * 1024));
  await soon(() => expect(channel?.backlog).toBeGreaterThan(1024 * 1024));
  let left = Number.NaN;
  channel?.onDrain(() => {
    left = channel.backlog;
  });
  // The peer would read it as JSON.
  peer.socket.removeAllListeners('message');
  peer.socket.resume();
  await soon(() => expect(left).toBe(0));
});

test('a connection that shows no token in time is ended', async () => {
  const { port, logger } = await start({ limits: { handshakeMs: 30 } });
  expect(await raw(port)).toBe('');
  expect(await raw(port, 'GET / HTTP/1.1\r\n')).toBe('');
  const reasons = logger.records.map(({ fields }) => fields['reason']);
  expect(reasons.filter((reason) => reason === 'no token in time')).toHaveLength(2);
});

test('a client that was let in may be silent for longer than the handshake may take', async () => {
  const { port, connect, clients } = await start({ limits: { handshakeMs: 30 } });
  const peer = await connect();
  // Ends when its own time is over, and the peer came before it.
  await raw(port);
  peer.send('still here');
  await soon(() => expect(clients[0]?.received).toEqual(['still here']));
});

test('connections that wait for nothing do not keep a client out', async () => {
  const { port, connect, clients } = await start({ limits: { maxWaiting: 4 } });
  const idle = Array.from({ length: 12 }, () => net.connect(port, '127.0.0.1'));
  let ended = 0;
  for (const socket of idle) socket.on('error', () => {}).on('close', () => (ended += 1));
  await Promise.all(idle.map((s) => new Promise((resolve) => s.once('connect', resolve))));
  const peer = await connect();
  peer.send('let in');
  await soon(() => expect(clients[0]?.received).toEqual(['let in']));
  await soon(() => expect(ended).toBe(9));
  for (const socket of idle) socket.destroy();
});

test('more clients than the limit are refused until one goes', async () => {
  const { connect, clients } = await start({ limits: { maxClients: 2 } });
  const [first] = [await connect(), await connect()];
  await expect(connect()).rejects.toThrow(Refused);
  first?.terminate();
  await soon(() => expect(clients[0]?.end).toBeDefined());
  await connect();
});

test('closing tells the clients, frees the port and may be asked for twice', async () => {
  const { server, connect, port } = await start();
  const peer = await connect();
  const stuck = await connect();
  stuck.socket.pause();
  const closed = Promise.all([server.dispose(), server.dispose()]);
  expect(await peer.closed).toEqual({ code: 1001, reason: 'the editor goes away' });
  await closed;
  await expect(Peer.connect({ port, token: TOKEN })).rejects.toThrow('ECONNREFUSED');
  stuck.terminate();
});

test('random bytes without a handshake end their own connection', async () => {
  const { port, connect, clients } = await start({ limits: { handshakeMs: 100 } });
  const peer = await connect();
  await Promise.all(Array.from({ length: 20 }, () => raw(port, randomBytes(2_000))));
  peer.send('still here');
  await soon(() => expect(clients[0]?.received).toEqual(['still here']));
});
