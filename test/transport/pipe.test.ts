import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { LineSplitter } from '../../src/core/lines.ts';
import type { MessagePipe, PipeEnd, PipeOpener } from '../../src/core/pipe.ts';
import { startProcess } from '../../src/platform/agent-process.ts';
import { ChildPipe } from '../../src/transport/pipe/child.ts';
import { isLoopback } from '../../src/transport/pipe/hosts.ts';
import { HttpClient } from '../../src/transport/pipe/http-client.ts';
import { issueToken, verifyToken } from '../../src/transport/pipe/session-token.ts';
import { WsClient } from '../../src/transport/pipe/ws-client.ts';
import { sameToken, WsServer } from '../../src/transport/pipe/ws-server.ts';
import { BusAgent } from '../support/bus-agent.ts';
import { tempDir, WITH_PARENT } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const SECRET = 'a secret of thirty-two bytes, or more';
const never = new AbortController().signal;

class Heard {
  readonly messages: string[] = [];
  readonly ends: PipeEnd[] = [];
  onMessage = (text: string): void => void this.messages.push(text);
  onEnd = (end: PipeEnd): void => void this.ends.push(end);
}

async function open(opener: PipeOpener): Promise<{ pipe: MessagePipe; heard: Heard }> {
  cleanUp.push(() => opener.dispose());
  const heard = new Heard();
  const pipe = await opener.open(heard, never);
  cleanUp.push(async () => pipe.close());
  return { pipe, heard };
}

async function server(options: Partial<ConstructorParameters<typeof WsServer>[0]> = {}) {
  const refused: string[] = [];
  const made = new WsServer({
    host: '127.0.0.1',
    port: 0,
    authorize: sameToken('the token'),
    onRefused: (reason) => refused.push(reason),
    ...options,
  });
  await made.listen();
  cleanUp.push(() => made.dispose());
  return { made, refused };
}

/** How an upgrade was answered. */
async function knock(url: string, options: object = {}): Promise<number> {
  const socket = new WebSocket(url, options);
  const [event] = await Promise.race([
    once(socket, 'open').then(() => [101]),
    once(socket, 'unexpected-response').then(([, response]) => [response.statusCode]),
  ]);
  socket.on('error', () => {});
  socket.terminate();
  return event as number;
}

describe('the token of a session', () => {
  test('is good for its session, for an hour', async () => {
    const token = await issueToken('s1', SECRET);
    await verifyToken(token, 's1', SECRET);
    const [header, payload] = token
      .split('.')
      .map((part, at) => (at < 2 ? JSON.parse(Buffer.from(part, 'base64url').toString()) : part));
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(payload.exp - payload.iat).toBe(3600);
    expect(payload.sessionId).toBe('s1');
  });

  const key = new TextEncoder().encode(SECRET);
  const made = (claims: object = { sessionId: 's1' }, alg = 'HS256') =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg });
  const now = Math.floor(Date.now() / 1000);

  test.each([
    ['of another session', () => issueToken('s2', SECRET)],
    ['made with another secret', () => issueToken('s1', `${SECRET}!`)],
    [
      'of another algorithm',
      () => made(undefined, 'HS512').setIssuedAt().setExpirationTime('1h').sign(key),
    ],
    [
      'without a signature',
      async () =>
        new UnsecuredJWT({ sessionId: 's1' }).setIssuedAt().setExpirationTime('1h').encode(),
    ],
    [
      'that has expired',
      () =>
        made()
          .setIssuedAt(now - 7200)
          .setExpirationTime(now - 3600)
          .sign(key),
    ],
    [
      'that lives too long',
      () =>
        made()
          .setIssuedAt(now - 7200)
          .setExpirationTime(now + 86_400)
          .sign(key),
    ],
    ['without an end', () => made().setIssuedAt().sign(key)],
    ['without a session', () => made({}).setIssuedAt().setExpirationTime('1h').sign(key)],
    ['that is none', async () => 'nonsense'],
    ['that is empty', async () => ''],
  ])('is refused where it is one %s', async (_, make) => {
    await expect(verifyToken(await make(), 's1', SECRET)).rejects.toThrow();
  });

  test('needs a secret that cannot be guessed', async () => {
    await expect(issueToken('s1', 'short')).rejects.toThrow('at least 32 bytes');
  });
});

describe('a WebSocket that calls', () => {
  test('brings messages both ways and shows its token', async () => {
    const agent = await BusAgent.listen();
    cleanUp.push(() => agent.dispose());
    const { pipe, heard } = await open(
      new WsClient({ url: agent.url, token: async () => 'the token' }),
    );
    await pipe.send('{"type":"ping"}');
    await agent.hears('ping');
    await waitFor(() => expect(heard.messages).toEqual(['{"type":"pong"}']));
    expect(agent.headers[0]).toMatchObject({ authorization: 'Bearer the token' });
  });

  test.each([
    [1000, 'closed'],
    [1001, 'lost'],
    [1002, 'refused'],
    [1008, 'refused'],
    [1011, 'lost'],
    [undefined, 'lost'],
  ])('that is closed with %s has been %s', async (code, kind) => {
    const agent = await BusAgent.listen();
    cleanUp.push(() => agent.dispose());
    const { heard } = await open(new WsClient({ url: agent.url }));
    agent.hangUp(code);
    await waitFor(() => expect(heard.ends).toMatchObject([{ kind }]));
  });

  test.each([
    [401, 'refused'],
    [404, 'refused'],
    [429, 'lost'],
    [503, 'lost'],
  ])('that is answered with HTTP %s is %s', async (status, kind) => {
    const web = http.createServer();
    web.on('upgrade', (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
    web.listen(0, '127.0.0.1');
    await once(web, 'listening');
    cleanUp.push(async () => web.close());
    const { port } = web.address() as AddressInfo;
    const client = new WsClient({ url: `ws://127.0.0.1:${port}` });
    await expect(client.open(new Heard(), never)).rejects.toMatchObject({ end: { kind } });
  });

  test('goes to other machines only over TLS and with a token', () => {
    expect(() => new WsClient({ url: 'ws://example.org' })).toThrow('use wss');
    expect(() => new WsClient({ url: 'wss://example.org' })).toThrow('give its secret');
    expect(() => new WsClient({ url: 'wss://example.org', token: async () => '' })).not.toThrow();
  });

  test.each(['localhost', '127.0.0.1', '127.8.9.1', '::1', '[::1]'])('%s is this machine', (host) =>
    expect(isLoopback(host)).toBe(true),
  );
  test.each(['127.0.0.1.example.org', '0.0.0.0', '128.0.0.1', 'localhost.org', ''])(
    '%s is not',
    (host) => expect(isLoopback(host)).toBe(false),
  );
});

describe('a WebSocket that listens', () => {
  test('lets in who has the token, in the query or in a header', async () => {
    const { made, refused } = await server();
    expect(await knock(`${made.target}/?token=the%20token`)).toBe(101);
    const headers = { authorization: 'Bearer the token' };
    expect(await knock(made.target, { headers })).toBe(101);
    expect(await knock(made.target)).toBe(401);
    expect(await knock(`${made.target}/?token=the`)).toBe(401);
    expect(await knock(`${made.target}/?token=the%20token`, { origin: 'http://evil' })).toBe(401);
    expect(refused).toEqual([
      'the token is wrong',
      'the token is wrong',
      'it came from a web page',
    ]);
  });

  test('loses no message that came before anyone listened', async () => {
    const { made } = await server();
    const agent = await BusAgent.call(`${made.target}/?token=the%20token`);
    cleanUp.push(() => agent.dispose());
    agent.raw('early');
    const { pipe, heard } = await open(made);
    await waitFor(() => expect(heard.messages).toEqual(['early']));
    await pipe.send('{"type":"info","data":{"message":"m"}}');
    await agent.hears('info');
  });

  test('takes the newest connection of an agent that lost its line', async () => {
    const { made } = await server();
    const url = `${made.target}/?token=the%20token`;
    const first = await BusAgent.call(url);
    cleanUp.push(() => first.dispose());
    const { heard } = await open(made);
    const second = await BusAgent.call(url);
    cleanUp.push(() => second.dispose());
    await waitFor(() => expect(heard.ends).toMatchObject([{ kind: 'lost' }]));
    const again = new Heard();
    await made.open(again, never);
    second.raw('back');
    await waitFor(() => expect(again.messages).toEqual(['back']));
  });

  test('stops waiting when it is told to, and frees its port', async () => {
    const { made } = await server();
    const over = new AbortController();
    const waiting = made.open(new Heard(), over.signal);
    over.abort();
    await expect(waiting).rejects.toThrow('waited for');
    const { target } = made;
    await made.dispose();
    const socket = new WebSocket(target);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('ECONNREFUSED');
  });

  test('listens to other machines only over TLS', () => {
    const plain = { host: '0.0.0.0', port: 0, authorize: sameToken('t'), onRefused: () => {} };
    expect(() => new WsServer(plain)).toThrow('needs a certificate');
  });

  test.skipIf(!hasOpenssl())('over TLS takes the token of the session and no other', async () => {
    const tls = certificate();
    const { made } = await server({
      tls,
      authorize: (token) => verifyToken(token, 's1', SECRET),
    });
    expect(made.target).toMatch(/^wss:/u);
    const { heard } = await withOpen(made, async () => {
      const token = await issueToken('s1', SECRET);
      return BusAgent.call(made.target, { ca: tls.cert, token });
    });
    await waitFor(() => expect(heard.messages).toEqual(['hello']));
    const other = await issueToken('s2', SECRET);
    const headers = { authorization: `Bearer ${other}` };
    expect(await knock(made.target, { ca: tls.cert, headers })).toBe(401);
  });
});

async function withOpen(made: WsServer, call: () => Promise<BusAgent>) {
  const [opened, agent] = await Promise.all([open(made), call()]);
  cleanUp.push(() => agent.dispose());
  agent.raw('hello');
  return opened;
}

function hasOpenssl(): boolean {
  return spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0;
}

function certificate(): { key: string; cert: string } {
  const folder = tempDir();
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...request, '-nodes', '-keyout', key, '-out', cert, ...names], {
    stdio: 'ignore',
  });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

describe('a child process', () => {
  const child = (script: string, errors: string[] = []) =>
    new ChildPipe({
      command: {
        command: process.execPath,
        args: [...WITH_PARENT, '-e', script],
        folder: tempDir(),
        env: {},
      },
      start: startProcess,
      onErrorLine: (line) => errors.push(line),
      onTooLong: () => {},
    });

  test('takes and gives a message a line, and its errors go apart', async () => {
    const errors: string[] = [];
    const echo = `process.stdin.on('data', (data) => {
      process.stderr.write('heard\\n');
      process.stdout.write(data);
    })`;
    const { pipe, heard } = await open(child(echo, errors));
    await pipe.send('{"a":"ä𝄞"}');
    await pipe.send('{"b":1}');
    await waitFor(() => expect(heard.messages).toEqual(['{"a":"ä𝄞"}', '{"b":1}']));
    expect(errors).toContain('heard');
  });

  test('that ends says why', async () => {
    const { heard } = await open(child(`console.error('no key'); process.exit(3)`));
    await waitFor(() => expect(heard.ends).toHaveLength(1));
    expect(heard.ends[0]).toMatchObject({ kind: 'lost' });
    expect(heard.ends[0]?.reason).toMatch(/exited with code 3: no key$/u);
  });

  test('that is not installed is refused with a word on what to do', async () => {
    const missing = new ChildPipe({
      command: { command: 'no-such-agent', args: [], folder: tempDir(), env: {} },
      start: startProcess,
      onErrorLine: () => {},
      onTooLong: () => {},
    });
    await expect(missing.open(new Heard())).rejects.toMatchObject({
      end: { kind: 'refused', reason: expect.stringContaining('not installed') },
    });
  });

  test('that does not want to end is made to, with its own children', async () => {
    const stubborn = `process.on('SIGTERM', () => {});
      const { pid } = require('node:child_process').spawn('sleep', ['100']);
      console.log(pid); setInterval(() => {}, 1000)`;
    const opener = child(stubborn);
    const { heard } = await open(opener);
    await waitFor(() => expect(heard.messages).toHaveLength(1));
    await opener.dispose();
    await waitFor(() => expect(() => process.kill(Number(heard.messages[0]), 0)).toThrow());
  });
});

describe('lines', () => {
  test('are whole whatever the pieces, and one that is too long costs itself only', () => {
    const text = 'one\r\n\n  \ntwo\nxxxxxxxxxxxxxxxxxxxx\nthree\nrest';
    for (let size = 1; size < text.length; size += 1) {
      const lines: string[] = [];
      let tooLong = 0;
      const splitter = new LineSplitter(
        (line) => lines.push(line),
        10,
        () => {
          tooLong += 1;
        },
      );
      for (let at = 0; at < text.length; at += size) splitter.push(text.slice(at, at + size));
      expect(lines).toEqual(['one', 'two', 'three']);
      expect(tooLong).toBe(1);
    }
  });
});

describe('HTTP', () => {
  async function agent(answer?: number) {
    const posts: string[] = [];
    const streams: http.ServerResponse[] = [];
    const web = http.createServer(async (request, response) => {
      if (answer) return void response.writeHead(answer).end();
      if (request.method === 'POST') {
        posts.push((await request.toArray()).join(''));
        return void response.writeHead(202).end();
      }
      streams.push(response.writeHead(200, { 'content-type': 'text/event-stream' }));
      response.write(': hello\n\n');
    });
    web.listen(0, '127.0.0.1');
    await once(web, 'listening');
    cleanUp.push(async () => {
      web.closeAllConnections();
      web.close();
    });
    const { port } = web.address() as AddressInfo;
    return { posts, streams, url: `http://127.0.0.1:${port}/bus` };
  }
  const client = (url: string) => new HttpClient({ url, onTooLong: () => {} });

  test('brings events as messages and sends messages in order', async () => {
    const { posts, streams, url } = await agent();
    const { pipe, heard } = await open(client(url));
    streams[0]?.write('event: message\r\ndata: {"a":1}\r\n\r\ndata: {"b":\ndata: 2}\n\n');
    await Promise.all(['1', '2', '3'].map((text) => pipe.send(text)));
    expect(posts).toEqual(['1', '2', '3']);
    await waitFor(() => expect(heard.messages).toEqual(['{"a":1}', '{"b":\n2}']));
    streams[0]?.end();
    await waitFor(() => expect(heard.ends).toMatchObject([{ kind: 'lost' }]));
  });

  test.each([
    [401, 'refused'],
    [503, 'lost'],
    [204, 'refused'],
  ])('that answers %s is %s', async (status, kind) => {
    const { url } = await agent(status);
    await expect(client(url).open(new Heard(), never)).rejects.toMatchObject({ end: { kind } });
  });

  test('that nobody answers may be tried again', async () => {
    const opening = client('http://127.0.0.1:1/').open(new Heard(), never);
    await expect(opening).rejects.toMatchObject({ end: { kind: 'lost' } });
  });

  test('goes to other machines only over TLS and with a token', () => {
    expect(() => client('http://example.org/')).toThrow('https');
    expect(() => client('https://example.org/')).toThrow('secret');
  });
});
