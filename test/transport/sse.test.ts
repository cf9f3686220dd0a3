import net from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { WebSocketServerOptions } from '../../src/transport/websocket-server.ts';
import { Peer } from '../support/peer.ts';
import { post, SseClient, type SseOptions } from '../support/sse-client.ts';
import { waitFor } from '../support/wait-for.ts';
import { echo, raw, startServer, TOKEN } from './support.ts';

const soon = <T>(check: () => T) => waitFor(check, { interval: 2 });
const bearer = ({ authorization }: Readonly<Record<string, string | undefined>>) =>
  authorization?.replace(/^Bearer /, '');

const started: { dispose(): Promise<void> }[] = [];
const open: SseClient[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) client.close();
  for (const server of started.splice(0)) await server.dispose();
});

async function start(options: Partial<WebSocketServerOptions> = {}) {
  const server = await startServer({ tokenIn: bearer, ...options });
  started.push(server.server);
  const connect = async (more: Partial<SseOptions> = {}) => {
    const client = await SseClient.connect({ port: server.port, token: TOKEN, ...more });
    open.push(client);
    return client;
  };
  return { ...server, connect };
}

test('the stream begins with the address for the messages of the client', async () => {
  const { connect, clients } = await start();
  const client = await connect();
  await soon(() => expect(client.endpoint).toMatch(/^\/\?session=[0-9a-f-]{36}$/));
  expect(client.text).toBe(`event: endpoint\ndata: ${client.endpoint}\n\n`);
  expect(client.response.headers['content-type']).toBe('text/event-stream');
  expect(clients[0]?.remote).toMatch(/^127\.0\.0\.1:\d+$/);
  expect(clients[0]?.headers['authorization']).toBe(`Bearer ${TOKEN}`);
});

test('messages go both ways, each client its own', async () => {
  const { connect, clients } = await start();
  const [a, b] = [await connect(), await connect()];
  for (const client of clients) echo(client);
  await soon(() => expect([a.endpoint, b.endpoint]).not.toContain(undefined));
  expect([await a.post('from a'), await b.post('from b ⧉')]).toEqual([202, 202]);
  await soon(() => expect([a.messages, b.messages]).toEqual([['from a'], ['from b ⧉']]));
});

test('an event is one line of data and its kind, with line feeds and spaces', async () => {
  const { connect, clients } = await start();
  const client = await connect();
  clients[0]?.channel.send('{"a":"\\n"}');
  await soon(() => expect(client.messages).toHaveLength(1));
  expect(client.text.replace(/^.*?\n\n/s, '')).toBe('data: {"a":"\\n"}\nevent: message\n\n');
});

test('an event survives whatever reads its data is cut into', async () => {
  const { connect, clients } = await start();
  const client = await connect();
  clients[0]?.channel.send('{"text":"long"}');
  await soon(() => expect(client.messages).toHaveLength(1));
  const event = client.text.replace(/^.*?\n\n/s, '');
  const data = event.indexOf('\n');
  for (let at = 0; at <= data; at += 1) {
    client.messages.length = 0;
    client.read(event.slice(0, at));
    client.read(event.slice(at));
    expect(client.messages, `cut at ${at}`).toEqual(['{"text":"long"}']);
  }
});

test('a message of 8 MB goes both ways', async () => {
  const { connect, clients } = await start();
  const client = await connect();
  for (const one of clients) echo(one);
  await soon(() => expect(client.endpoint).toBeDefined());
  const text = 'ü'.repeat(4 * 1024 * 1024);
  expect(await client.post(text)).toBe(202);
  await soon(() => expect(client.messages[0]?.length).toBe(text.length));
});

test('a first message that comes before the address was read finds its stream', async () => {
  const { connect, clients, port } = await start();
  await connect();
  const [first] = clients;
  expect(await post({ port, token: TOKEN }, 'initialize')).toBe(202);
  expect(first?.received).toEqual(['initialize']);
  await connect();
  expect(await post({ port, token: TOKEN }, 'of the second')).toBe(202);
  expect(clients[1]?.received).toEqual(['of the second']);
  expect(await post({ port, token: TOKEN }, 'of nobody')).toBe(404);
});

test.each([
  ['no token', { token: undefined }, 401],
  ['another token', { token: `${TOKEN.slice(0, -1)}0` }, 401],
  ['an origin', { token: TOKEN, headers: { origin: 'https://evil.example' } }, 403],
  ['a foreign host', { token: TOKEN, headers: { host: 'evil.example' } }, 403],
])('with %s neither stream nor message is taken', async (_name, options, status) => {
  const { port, clients, logger, connect } = await start();
  await expect(SseClient.connect({ port, ...options } as SseOptions)).rejects.toThrow(
    `refused with ${status}`,
  );
  const client = await connect();
  await soon(() => expect(client.endpoint).toBeDefined());
  const path = client.endpoint ?? '';
  expect(await post({ port, path, ...options } as SseOptions, 'x')).toBe(status);
  expect(clients[0]?.received).toEqual([]);
  expect(logger.records.filter(({ message }) => message === 'connection refused')).toHaveLength(2);
  expect(logger.text).not.toContain(TOKEN.slice(0, -1));
});

test.each(['/?session=nobody', '/elsewhere', '/sse'])(
  'a message to %s is refused',
  async (path) => {
    const { port, connect } = await start();
    await connect();
    expect(await post({ port, token: TOKEN, path }, 'x')).toBe(
      path === '/?session=nobody' ? 404 : 426,
    );
  },
);

test.each(['//', '/?%', '*', 'http://x/', '/?session=%ff'])(
  'the address %s costs nothing but its own request',
  async (path) => {
    const { port, connect, clients } = await start();
    const line = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream`;
    expect(await raw(port, `${line}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 4\d\d /);
    const client = await connect();
    await soon(() => expect(client.endpoint).toBeDefined());
    expect(clients).toHaveLength(1);
  },
);

test('a plain GET is told what this server is', async () => {
  const { port } = await start();
  const answer = await raw(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 426 /);
});

test('a message that is too large is refused, and the stream stays', async () => {
  const { connect, clients } = await start({ limits: { maxMessageBytes: 1_000 } });
  const client = await connect();
  await soon(() => expect(client.endpoint).toBeDefined());
  expect(await client.post('x'.repeat(1_001))).toBe(413);
  expect(await client.post('x'.repeat(1_000))).toBe(202);
  expect(clients[0]?.received).toEqual(['x'.repeat(1_000)]);
});

test('half a message is none', async () => {
  const { port, connect, clients } = await start();
  const client = await connect();
  await soon(() => expect(client.endpoint).toBeDefined());
  const socket = net.connect(port, '127.0.0.1');
  const head = `POST ${client.endpoint} HTTP/1.1\r\nHost: 127.0.0.1:${port}`;
  socket.write(`${head}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 100\r\n\r\nhalf`);
  socket.destroy();
  expect(await client.post('whole')).toBe(202);
  expect(clients[0]?.received).toEqual(['whole']);
});

test('a client that goes is told of, and hears nothing more', async () => {
  const { connect, clients } = await start();
  const client = await connect();
  client.close();
  await soon(() => expect(clients[0]?.end).toEqual({ code: 1006, reason: '' }));
  expect(clients[0]?.channel.isOpen).toBe(false);
  clients[0]?.channel.send('x');
});

test('a stream may be silent for longer than a handshake may take', async () => {
  const { port, connect, clients } = await start({ limits: { handshakeMs: 30 } });
  const client = await connect();
  await raw(port);
  clients[0]?.channel.send('still here');
  await soon(() => expect(client.messages).toEqual(['still here']));
});

test('a client that reads nothing is dropped when too much waits for it', async () => {
  const { connect, clients } = await start({ limits: { maxBacklogBytes: 8 * 1024 * 1024 } });
  const [slow, other] = [await connect(), await connect()];
  slow.response.pause();
  const text = 'x'.repeat(1024 * 1024);
  await soon(() => {
    clients[0]?.channel.send(text);
    expect(clients[0]?.end?.reason).toContain('bytes unread by the client');
  });
  clients[1]?.channel.send('still here');
  await soon(() => expect(other.messages).toEqual(['still here']));
});

test('streams and sockets count as clients alike', async () => {
  const { connect, port, clients } = await start({ limits: { maxClients: 1 } });
  const client = await connect();
  const headers = { authorization: `Bearer ${TOKEN}` };
  await expect(Peer.connect({ port, headers })).rejects.toThrow('refused with 503');
  await expect(connect()).rejects.toThrow('refused with 503');
  await soon(() => expect(client.endpoint).toBeDefined());
  expect(await client.post('its messages are taken')).toBe(202);
  client.close();
  await soon(() => expect(clients[0]?.end).toBeDefined());
  (await Peer.connect({ port, headers })).terminate();
});

test('a look at the port without a byte leaves no trace', async () => {
  const { port, logger, connect } = await start();
  const socket = net.connect(port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  await new Promise((resolve) => {
    socket.once('close', resolve);
    socket.end();
  });
  await connect();
  expect(logger.records.filter(({ level }) => level !== 'info')).toEqual([]);
});

test('the end of the server ends the streams, also one that nobody reads', async () => {
  const { server, connect, clients } = await start();
  const [client, stuck] = [await connect(), await connect()];
  stuck.response.pause();
  for (let i = 0; i < 20; i += 1) clients[1]?.channel.send('x'.repeat(1024 * 1024));
  await server.dispose();
  await client.ended;
  expect(clients[0]?.end).toEqual({ code: 1001, reason: 'the editor goes away' });
  await soon(() => expect(clients[1]?.end).toBeDefined());
});
