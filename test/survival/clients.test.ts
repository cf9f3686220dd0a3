/** A client does its worst; the others are served, Neovim is not held up, and memory stays bounded. */
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import { Peer } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';

const MB = 1024 * 1024;
let bridge: TestBridge;
/** A client that behaves. */
let good: Peer;
let pid: number;
const sockets: net.Socket[] = [];
beforeAll(async () => {
  bridge = await startBridge({
    ui: true,
    files: { 'a.txt': 'one\n', 'large.txt': `${'x'.repeat(99)}\n`.repeat(20_000) },
    args: ['a.txt'],
  });
  good = await bridge.peer();
  pid = await bridge.nodePid();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  // It is the same process, it has let go of the client, and it is fit.
  expect(await bridge.nodePid()).toBe(pid);
  expect(await good.callTexts('getOpenEditors')).toHaveLength(1);
  await waitFor(async () => expect(await clients()).toBe(1));
  await waitFor(() => expect(memory()).toBeLessThan(400 * MB));
});
afterAll(() => bridge?.dispose());

const clients = () => bridge.nvim.lua(`return #require('claude_bridge.session').info().clients`);
/** Resident, of the node process. */
const memory = (): number => {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
};
const ended = (socket: net.Socket) =>
  new Promise<void>((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
    // A socket whose last words are not read never closes.
    socket.resume();
  });

async function connect(): Promise<net.Socket> {
  const socket = net.connect(bridge.port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Lets itself in and hands over the bare socket. */
async function upgrade(
  headers: readonly string[] = [],
): Promise<{ socket: net.Socket; answer: string }> {
  const socket = await connect();
  socket.write(
    [
      'GET / HTTP/1.1',
      `Host: 127.0.0.1:${bridge.port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      'Sec-WebSocket-Protocol: mcp',
      `X-Claude-Code-Ide-Authorization: ${bridge.token}`,
      ...headers,
      '',
      '',
    ].join('\r\n'),
  );
  const [data] = (await once(socket, 'data')) as [Buffer];
  return { socket, answer: data.toString() };
}

/** A frame of a client, masked with zeros. */
function frame(
  opcode: number,
  payload: Buffer | string,
  { fin = true, rsv1 = false } = {},
): Buffer {
  const data = Buffer.from(payload);
  const first = (fin ? 0x80 : 0) | (rsv1 ? 0x40 : 0) | opcode;
  const mask = Buffer.alloc(4);
  if (data.length < 126)
    return Buffer.concat([Buffer.from([first, 0x80 | data.length]), mask, data]);
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(data.length), 2);
  return Buffer.concat([head, mask, data]);
}

/** The close code that the server gives for what is sent. */
async function closeCodeFor(bytes: Buffer): Promise<number | undefined> {
  const { socket } = await upgrade();
  const received: Buffer[] = [];
  socket.on('data', (data: Buffer) => received.push(data));
  socket.write(bytes);
  await ended(socket);
  const all = Buffer.concat(received);
  const at = all.lastIndexOf(0x88);
  return at < 0 ? undefined : all.readUInt16BE(at + 2);
}

async function isServed(): Promise<void> {
  const began = performance.now();
  expect(await good.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
  expect(performance.now() - began).toBeLessThan(3_000);
}

describe('half a connection', () => {
  test('hundreds that say nothing, or half a sentence, keep nobody out', async () => {
    for (let i = 0; i < 300; i += 1) {
      const socket = await connect();
      if (i % 3 === 1) socket.write('GET / HTTP/1.1\r\nHost: 127');
      if (i % 3 === 2) socket.write('\u0016\u0003\u0001\u0000\u0001');
    }
    const other = await bridge.peer();
    expect(await other.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
    await other.close();
  });

  test('some that are let in, and then say nothing or half a frame', async () => {
    for (const bytes of ['', '\x81', '\x81\xfe\xff', '\x81\xff\x00\x00\x00\x00\x01\x00\x00\x00']) {
      const { socket } = await upgrade();
      socket.write(Buffer.from(bytes, 'latin1'));
    }
    await isServed();
  });

  test('a message that never ends is not kept', async () => {
    const { socket } = await upgrade();
    socket.write(frame(1, '{"jsonrpc":', { fin: false }));
    const part = frame(0, Buffer.alloc(4 * MB, 0x20), { fin: false });
    for (let i = 0; i < 16 && !socket.destroyed; i += 1) {
      socket.write(part);
      await new Promise(setImmediate);
    }
    await ended(socket);
  });

  test('endless headers are not read', async () => {
    const socket = await connect();
    socket.write('GET / HTTP/1.1\r\n');
    const line = `X-Filler: ${'x'.repeat(1_000)}\r\n`;
    for (let i = 0; i < 1_000 && !socket.destroyed; i += 1) socket.write(line);
    await ended(socket);
  });
});

describe('one message', () => {
  test('of 64 MB is refused by its announcement, and the client with it', async () => {
    const before = memory();
    expect(await closeCodeFor(frame(1, Buffer.alloc(64 * MB, 0x20)))).toBe(1009);
    expect(memory() - before).toBeLessThan(100 * MB);
  });

  test('that is not UTF-8 ends its client', async () => {
    expect(await closeCodeFor(frame(1, Buffer.from([0x7b, 0xff, 0xfe, 0x7d])))).toBe(1007);
  });

  test.each([
    ['an unknown opcode', frame(3, 'x')],
    ['a frame without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d])],
    ['a ping that is too long', frame(9, Buffer.alloc(126))],
    ['a continuation of nothing', frame(0, 'x')],
  ])('of %s ends its client', async (_, bytes) => {
    expect(await closeCodeFor(bytes)).toBe(1002);
  });

  test('that is compressed is refused, offered or not', async () => {
    const bomb = zlib.deflateRawSync(Buffer.alloc(256 * MB));
    const { socket, answer } = await upgrade(['Sec-WebSocket-Extensions: permessage-deflate']);
    expect(answer).toMatch(/^HTTP\/1.1 101/);
    expect(answer).not.toMatch(/permessage-deflate/i);
    const before = memory();
    socket.write(frame(1, bomb, { rsv1: true }));
    await ended(socket);
    expect(memory() - before).toBeLessThan(50 * MB);
  });

  const nested = (open: string, close: string, depth: number) =>
    `${open.repeat(depth)}1${close.repeat(depth)}`;
  test.each([
    ['an answer', nested('[', ']', 1_000_000)],
    ['its arguments', call(nested('{"a":', '}', 200_000))],
    ['an argument', call(`{"filePath":${nested('[', ']', 200_000)}}`)],
    ['its id', `{"jsonrpc":"2.0","id":${nested('[', ']', 200_000)},"method":"ping"}`],
    [
      'its parameters',
      `{"jsonrpc":"2.0","id":7,"method":"ping","params":${nested('{"a":', '}', 200_000)}}`,
    ],
    [
      'a notification',
      `{"jsonrpc":"2.0","method":"ide_connected","params":${nested('{"a":', '}', 200_000)}}`,
    ],
  ])('that nests deeply in %s is answered or ignored, twice', async (_, text) => {
    const peer = await bridge.peer();
    peer.send(text);
    peer.send(text);
    await peer.settle();
    await peer.close();
  });

  function call(args: string): string {
    return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"openFile","arguments":${args}}}`;
  }

  test('with keys that mean something to JavaScript changes nothing', async () => {
    const peer = await bridge.peer();
    peer.send(
      '{"jsonrpc":"2.0","id":"p","method":"tools/call","params":{"name":"getOpenEditors","arguments":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}}',
    );
    await peer.answer('p');
    for (const method of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      await peer.request(method).catch(() => {});
      expect(peer.received.at(-1)?.error?.code).toBe(-32601);
      await expect(peer.call(method)).rejects.toThrow(/Unknown tool/);
    }
    await peer.close();
  });
});

describe('a flood', () => {
  test('of a million small frames', async () => {
    const { socket } = await upgrade();
    socket.resume();
    const before = memory();
    const many = Buffer.concat(Array.from({ length: 10_000 }, () => frame(1, '1')));
    for (let i = 0; i < 100; i += 1) socket.write(many);
    for (let i = 0; i < 20; i += 1) await isServed();
    expect(memory() - before).toBeLessThan(150 * MB);
  });

  test('of pings, and of empty parts of a message', async () => {
    const { socket } = await upgrade();
    socket.resume();
    const parts = [
      frame(1, '', { fin: false }),
      ...Array.from({ length: 50_000 }, (_, i) => frame(i % 2 ? 9 : 0, '', { fin: i % 2 === 1 })),
    ];
    const before = memory();
    socket.write(Buffer.concat(parts));
    await isServed();
    expect(memory() - before).toBeLessThan(100 * MB);
  });

  test('of calls while it reads nothing: it is given up before memory is', {
    timeout: 60_000,
  }, async () => {
    await good.call('openFile', { filePath: path.join(bridge.workspace, 'large.txt') });
    await bridge.nvim.feed('ggVG');
    await waitFor(async () =>
      expect((await good.callTexts('getLatestSelection'))[0]?.length).toBeGreaterThan(200_000),
    );
    const { socket } = await upgrade();
    socket.pause();
    const before = memory();
    const ask = (id: number) =>
      frame(
        1,
        JSON.stringify({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: 'getLatestSelection' },
        }),
      );
    socket.write(
      frame(
        1,
        JSON.stringify({
          jsonrpc: '2.0',
          id: 'i',
          method: 'initialize',
          params: {
            protocolVersion: '2025-11-25',
            capabilities: {},
            clientInfo: { name: 'claude-code', version: '1' },
          },
        }),
      ),
    );
    // Each answer has 256 KB.
    for (let id = 0; id < 600 && !socket.destroyed; id += 1) {
      socket.write(ask(id));
      await new Promise(setImmediate);
    }
    const log = path.join(bridge.nvim.home, '.local/state/nvim/claude-bridge.log');
    await waitFor(() =>
      expect(fs.readFileSync(log, 'utf8')).toMatch(/disconnected.*bytes unread by the client/),
    );
    socket.resume();
    await ended(socket);
    expect(memory() - before).toBeLessThan(400 * MB);
    await bridge.nvim.feed('<Esc>');
  });
});

describe('calls', () => {
  const propose = (peer: Peer, tab: string, id?: number | string) =>
    peer.call(
      'openDiff',
      {
        old_file_path: path.join(bridge.workspace, 'a.txt'),
        new_file_path: path.join(bridge.workspace, 'a.txt'),
        new_file_contents: `${tab}\n`,
        tab_name: tab,
      },
      id,
    );
  const views = () =>
    bridge.nvim.lua(
      `return { vim.tbl_count(require('claude_bridge.review.state').reviews), #vim.api.nvim_list_wins() }`,
    );

  test('hundreds that are all cancelled get an answer each, and leave no view', async () => {
    const peer = await bridge.peer();
    const before = await views();
    const ids = Array.from({ length: 300 }, (_, i) => `call-${i}`);
    const answers = ids.map((id, i) =>
      i % 3 === 0
        ? propose(peer, id, id)
        : peer.call(i % 3 === 1 ? 'getOpenEditors' : 'getDiagnostics', {}, id),
    );
    for (const id of ids) peer.cancel(id);
    await Promise.all(answers);
    for (const id of ids) expect(peer.answers(id)).toHaveLength(1);
    await waitFor(async () => expect(await views()).toEqual(before));
    for (const id of [...ids, 'never', 0, '', -1]) peer.cancel(id);
    peer.notify('notifications/cancelled');
    peer.notify('notifications/cancelled', { requestId: null });
    await peer.settle();
    await peer.close();
  });

  test('a client that goes away in the middle of them takes all of them along', async () => {
    const peer = await bridge.peer();
    const before = await views();
    const calls = Array.from({ length: 30 }, (_, i) =>
      propose(peer, `gone ${i}`).catch(() => 'gone'),
    );
    await waitFor(async () => expect(await views()).not.toEqual(before));
    peer.terminate();
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['gone']));
    await waitFor(async () => expect(await views()).toEqual(before));
  });

  test.each([[0], [''], ['0'], [-1], [2 ** 53 - 1], ['a'.repeat(100)], ['\u0000"\\']])(
    'the id %j is an id like others, also twice, and cancelled',
    async (id) => {
      const peer = await bridge.peer();
      const before = peer.answers(id).length;
      expect(await peer.call('closeAllDiffTabs', {}, id)).toMatchObject({
        content: [{ text: 'CLOSED_0_DIFF_TABS' }],
      });
      const [first, second] = [
        peer.call('getOpenEditors', {}, id),
        peer.call('getWorkspaceFolders', {}, id),
      ];
      expect((await first).content).toHaveLength(1);
      expect((await second).content).toHaveLength(1);
      expect(peer.answers(id)).toHaveLength(before + 3);
      const review = propose(peer, 'to cancel', id);
      peer.cancel(id);
      await review;
      await peer.settle();
      expect(peer.answers(id)).toHaveLength(before + 4);
      await peer.close();
    },
  );

  test('ids that are none get an error, and no call', async () => {
    const peer = await bridge.peer();
    for (const id of [null, 1.5, true, [], {}, false]) {
      peer.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"ping"}`);
    }
    await peer.settle();
    expect(peer.answers(null).map(({ error }) => error?.code)).toEqual(Array(6).fill(-32600));
    await peer.close();
  });

  test('a client that answers nothing it is asked, or answers what nobody asked, costs nothing', async () => {
    const peer = await Peer.connect(bridge);
    peer.send({ jsonrpc: '2.0', id: 1, result: {} });
    peer.send({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } });
    await isServed();
    peer.terminate();
  });
});
