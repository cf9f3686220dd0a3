/** Bytes, frames and JSON-RPC of a client that may be anything. */
import net from 'node:net';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { readMessage } from '../../src/protocol/inbound.ts';
import { McpSession } from '../../src/protocol/mcp-session.ts';
import { MemoryLogger } from '../support/logger.ts';
import { MemoryChannel } from '../support/memory-channel.ts';
import { Peer } from '../support/peer.ts';
import { waitFor } from '../support/wait-for.ts';
import { startServer, TOKEN, upgradeRequest } from '../transport/support.ts';
import { anyJson, anyText, nearly, runs } from './support.ts';

const owned: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of owned.splice(0)) await one.dispose();
});

/** Sends bytes, half-closes, and waits until the server has let go. */
async function send(port: number, parts: readonly (string | Buffer)[]): Promise<void> {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.resume();
  for (const part of parts) socket.write(part);
  socket.end();
  await closed;
}

const frame = fc
  .record({
    fin: fc.boolean(),
    rsv: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 7 })),
    opcode: fc.oneof(fc.constantFrom(0, 1, 2, 8, 9, 10), fc.integer({ min: 0, max: 15 })),
    isMasked: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
    /** What the header says of the length, where that is not the truth. */
    lie: fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    ),
    payload: fc.oneof(
      anyJson.map((value) => JSON.stringify(value)),
      anyText,
      fc.uint8Array({ maxLength: 300 }),
    ),
  })
  .map(({ fin, rsv, opcode, isMasked, lie, payload }) => {
    const data = Buffer.from(payload as string);
    const head = Buffer.alloc(10);
    head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
    head[1] = (isMasked ? 0x80 : 0) | 127;
    head.writeBigUInt64BE(lie ?? BigInt(data.length), 2);
    return Buffer.concat([head, Buffer.alloc(isMasked ? 4 : 0), data]);
  });

test('frames', async () => {
  const { server, port, clients } = await startServer();
  owned.push(server);
  const other = await Peer.connect({ port, token: TOKEN });
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 6 }), async (frames) => {
      await send(port, [upgradeRequest(port), ...frames]);
    }),
    runs(300),
  );
  await waitFor(() => expect(clients.slice(1).every(({ end }) => end !== undefined)).toBe(true));
  expect(clients[0]?.end).toBeUndefined();
  other.terminate();
});

test('requests of HTTP, for a WebSocket or for a stream of events', async () => {
  const { server, port, clients, logger } = await startServer();
  owned.push(server);
  const header = fc.tuple(
    fc.constantFrom(
      'Host',
      'Origin',
      'Upgrade',
      'Connection',
      'Accept',
      'Content-Length',
      'Transfer-Encoding',
      'X-Claude-Code-Ide-Authorization',
      'Sec-WebSocket-Key',
      'Sec-WebSocket-Version',
      'X',
    ),
    fc.oneof(
      anyText,
      fc.constantFrom(
        `127.0.0.1:${port}`,
        TOKEN,
        'websocket',
        'text/event-stream',
        'chunked',
        '5',
        '13',
      ),
    ),
  );
  const request = fc.record({
    line: fc.oneof(
      fc.constantFrom(
        'GET / HTTP/1.1',
        'POST / HTTP/1.1',
        'POST /?session= HTTP/1.1',
        'OPTIONS * HTTP/1.1',
        'GET //x/../y?session=%00 HTTP/1.1',
        'PRI * HTTP/2.0',
      ),
      anyText,
    ),
    headers: fc.array(header, { maxLength: 6 }),
    body: fc.oneof(anyText, fc.uint8Array({ maxLength: 100 })),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ line, headers, body }) => {
      const lines = headers.map(([name, value]) => `${name}: ${value}`);
      await send(port, [`${[line, ...lines].join('\r\n')}\r\n\r\n`, Buffer.from(body as string)]);
    }),
    runs(300),
  );
  const peer = await Peer.connect({ port, token: TOKEN });
  expect(clients.at(-1)?.end).toBeUndefined();
  expect(logger.text).not.toContain(TOKEN);
  peer.terminate();
});

const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'prompts/list',
  'resources/list',
  'logging/setLevel',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'ide_connected',
  'toString',
];
const message = fc.oneof(
  {
    weight: 6,
    arbitrary: nearly({
      jsonrpc: fc.constant('2.0'),
      id: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom('', '0', 'a')),
      method: fc.constantFrom(...METHODS),
      params: nearly({
        name: fc.constantFrom('now', 'later', 'fails', 'unknown'),
        arguments: nearly({ a: anyJson }),
        requestId: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom('', '0', 'a')),
        protocolVersion: fc.constantFrom('2025-11-25', '2024-11-05', 'x'),
        capabilities: nearly({ roots: anyJson, tasks: anyJson }),
        clientInfo: nearly({ name: anyText, version: anyText }),
        _meta: nearly({ progressToken: anyJson }),
        task: anyJson,
      }),
    }),
  },
  { weight: 1, arbitrary: nearly({ jsonrpc: fc.constant('2.0'), id: fc.nat(9), result: anyJson }) },
  { weight: 1, arbitrary: anyJson },
);

/** A session whose tools answer, fail, or answer only when they are cancelled. */
function openSession(channel: MemoryChannel, logger: MemoryLogger): McpSession {
  return new McpSession({
    channel,
    logger,
    info: { name: 'fuzzed', version: '1' },
    cancelGraceMs: 5,
    handler: {
      listTools: () => [{ name: 'now', description: '', inputSchema: { type: 'object' } }],
      hasTool: (name) => ['now', 'later', 'fails'].includes(name),
      callTool: ({ name, signal }) => {
        if (name === 'fails') throw new Error('a fault');
        const answer = { content: [{ type: 'text' as const, text: 'x' }] };
        if (name === 'now') return Promise.resolve(answer);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(answer)));
      },
      initializing: () => {},
      handled: () => {},
      closed: () => {},
    },
  });
}

test('JSON-RPC: each request is answered once, and nothing else is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 25 }), async (messages) => {
      const channel = new MemoryChannel();
      const logger = new MemoryLogger();
      const session = openSession(channel, logger);
      let wanted = 0;
      const openCalls = new Set<string>();
      for (const value of messages) {
        const text = JSON.stringify(value);
        const read = readMessage(text);
        if (read.kind === 'request' || read.kind === 'invalid') wanted += 1;
        if (read.kind === 'request' && read.method === 'tools/call') {
          // Sent again while it is open, a call is the same call.
          const call = JSON.stringify([read.id, read.params]);
          if (openCalls.has(call)) wanted -= 1;
          openCalls.add(call);
        }
        channel.receive(text);
      }
      // What is no tool call is answered in the same turn.
      await new Promise(setImmediate);
      await session.close(1001, 'over', 50);
      const answers = channel.messages.filter(({ method }) => method === undefined);
      // A call that was answered meanwhile and comes again is a new one.
      expect(answers.length).toBeGreaterThanOrEqual(wanted);
      const asked = messages.map((value) => readMessage(JSON.stringify(value)));
      expect(answers.length).toBeLessThanOrEqual(
        asked.filter(({ kind }) => kind === 'request' || kind === 'invalid').length,
      );
      for (const { id, result, error } of answers) {
        expect([typeof id, id]).not.toEqual(['undefined', undefined]);
        expect((result === undefined) !== (error === undefined)).toBe(true);
      }
      expect(session.openCalls).toBe(0);
    }),
    runs(300),
  );
});

test('text that is hardly JSON', () => {
  const cut = fc.tuple(message, fc.nat(), anyText).map(([value, at, junk]) => {
    const text = JSON.stringify(value) ?? '';
    return text.slice(0, at % (text.length + 1)) + junk + text.slice(at % (text.length + 1));
  });
  fc.assert(
    fc.property(cut, (text) => {
      expect(['request', 'notification', 'response', 'invalid']).toContain(readMessage(text).kind);
    }),
    runs(2_000),
  );
});
