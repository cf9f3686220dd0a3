import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BridgeError } from '../../src/core/errors.ts';
import type { ChannelEnd } from '../../src/protocol/channel.ts';
import {
  McpSession,
  type McpSessionOptions,
  type SessionHandler,
  type ToolCall,
} from '../../src/protocol/mcp-session.ts';
import type { ClientInfo, ToolResult } from '../../src/protocol/sdk.ts';
import { MemoryLogger } from '../support/logger.ts';
import { MemoryChannel } from '../support/memory-channel.ts';
import { waitFor } from '../support/wait-for.ts';

const soon = <T>(check: () => T) => waitFor(check, { interval: 1 });
const answer = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });

/** Tools that answer, fail in each way, or wait for their signal. */
class Handler implements SessionHandler {
  readonly calls: ToolCall[] = [];
  readonly handledMethods: string[] = [];
  client: ClientInfo | undefined;
  end: ChannelEnd | undefined;

  listTools() {
    return [{ name: 'echo', description: 'Says it again', inputSchema: { type: 'object' } }];
  }

  hasTool(name: string) {
    return name !== 'unknown';
  }

  async callTool(call: ToolCall): Promise<ToolResult> {
    this.calls.push(call);
    switch (call.name) {
      case 'fails':
        throw new BridgeError('editor-busy', 'Neovim waits at a prompt');
      case 'wrong-arguments':
        throw new BridgeError('invalid-argument', 'filePath: expected a string');
      case 'breaks':
        throw new TypeError('cannot read /home/user/secret of undefined');
      case 'waits':
        await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
        return answer('ended by its signal');
      case 'deaf':
        return new Promise(() => {});
      default:
        return answer(JSON.stringify(call.args ?? null));
    }
  }

  initializing(client: ClientInfo) {
    this.client = client;
  }

  handled(method: string) {
    this.handledMethods.push(method);
  }

  closed(end: ChannelEnd) {
    this.end = end;
  }
}

function start(options: Partial<McpSessionOptions> = {}) {
  const channel = new MemoryChannel();
  const logger = new MemoryLogger();
  const handler = new Handler();
  const info = { name: 'editor', version: '1.2.3' };
  const session = new McpSession({ channel, logger, handler, info, ...options });
  const request = (id: string | number, method: string, params?: object) =>
    channel.receive({ jsonrpc: '2.0', id, method, ...(params && { params }) });
  const call = (id: string | number, name: string, args: object = {}) =>
    request(id, 'tools/call', { name, arguments: args });
  const answered = (id: string | number | null) =>
    soon(() => {
      const [first] = channel.answers(id);
      if (!first) throw new Error(`no answer to ${id}`);
      return first;
    });
  return { channel, logger, handler, session, request, call, answered };
}

const CLIENT = {
  capabilities: { roots: {} },
  clientInfo: { name: 'claude-code', title: 'Claude Code', version: '2.1.332' },
};

test.each([
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2025-06-18'],
  ['2025-03-26', '2025-03-26'],
  ['2024-11-05', '2024-11-05'],
  ['2099-01-01', '2025-11-25'],
  ['1999-01-01', '2025-11-25'],
])('a client that speaks %s gets %s', async (protocolVersion, expected) => {
  const { handler, request, answered } = start();
  request(0, 'initialize', { protocolVersion, ...CLIENT });
  expect(await answered(0)).toEqual({
    jsonrpc: '2.0',
    id: 0,
    result: {
      protocolVersion: expected,
      capabilities: { tools: {}, prompts: {}, resources: {} },
      serverInfo: { name: 'editor', version: '1.2.3' },
    },
  });
  expect(handler.client).toEqual({ name: 'claude-code', version: '2.1.332', title: 'Claude Code' });
});

test('answers what every client may ask', async () => {
  const { request, answered } = start();
  request('ping', 'ping');
  request('t', 'tools/list');
  request('p', 'prompts/list', {});
  request('r', 'resources/list');
  request('rt', 'resources/templates/list');
  expect((await answered('ping')).result).toEqual({});
  expect((await answered('t')).result).toEqual({
    tools: [{ name: 'echo', description: 'Says it again', inputSchema: { type: 'object' } }],
  });
  expect((await answered('p')).result).toEqual({ prompts: [] });
  expect((await answered('r')).result).toEqual({ resources: [] });
  expect((await answered('rt')).result).toEqual({ resourceTemplates: [] });
});

test('reports a request as handled after its answer, a notification at once', async () => {
  const { channel, handler, request, answered } = start();
  channel.receive({ jsonrpc: '2.0', method: 'ide_connected', params: { pid: 1 } });
  expect(handler.handledMethods).toEqual(['ide_connected']);
  request(1, 'tools/list');
  expect(handler.handledMethods).toEqual(['ide_connected']);
  await answered(1);
  expect(handler.handledMethods).toEqual(['ide_connected', 'tools/list']);
});

test('calls a tool with its arguments and answers under its id, 0 and "" as well', async () => {
  const { handler, call, answered } = start();
  for (const id of [0, '', 1, 'x']) call(id, 'echo', { text: `to ${id}` });
  for (const id of [0, '', 1, 'x']) {
    expect(await answered(id)).toEqual({
      jsonrpc: '2.0',
      id,
      result: { content: [{ type: 'text', text: JSON.stringify({ text: `to ${id}` }) }] },
    });
  }
  expect(handler.calls.map(({ requestId }) => requestId)).toEqual([0, '', 1, 'x']);
});

test.each([
  ['unknown', -32602, 'Unknown tool: unknown'],
  ['wrong-arguments', -32602, 'filePath: expected a string'],
  ['breaks', -32603, 'Internal error; the log of the editor tells more'],
])('%s: an error of the protocol', async (name, code, message) => {
  const { call, answered } = start();
  call(3, name);
  expect(await answered(3)).toEqual({ jsonrpc: '2.0', id: 3, error: { code, message } });
});

test('work that failed is a result, not an error of the protocol', async () => {
  const { call, answered } = start();
  call(3, 'fails');
  expect(await answered(3)).toEqual({
    jsonrpc: '2.0',
    id: 3,
    result: { content: [{ type: 'text', text: 'Neovim waits at a prompt' }], isError: true },
  });
});

test('an unexpected failure is logged where it stays on this machine', async () => {
  const { logger, call, answered } = start();
  call(3, 'breaks');
  await answered(3);
  expect(logger.records).toContainEqual({
    level: 'error',
    message: 'unexpected failure',
    fields: { where: 'breaks', error: 'cannot read /home/user/secret of undefined' },
  });
});

test.each([
  ['tools/call', {}, 'params.name'],
  ['tools/call', { name: 'echo', arguments: [] }, 'params.arguments'],
  ['tools/call', { name: 5 }, 'params.name'],
  ['initialize', CLIENT, 'params.protocolVersion'],
  ['initialize', { protocolVersion: '2025-11-25', capabilities: {} }, 'params.clientInfo'],
  ['ping', { _meta: 5 }, 'params._meta'],
  ['nope', { _meta: { progressToken: {} } }, 'params._meta.progressToken'],
])('wrong parameters of %s: the error names the field', async (method, params, field) => {
  const { request, answered } = start();
  request(8, method, params);
  const { error } = await answered(8);
  expect(error).toMatchObject({ code: -32602 });
  expect(error?.message).toContain(`${method}: ${field}`);
});

test('an unknown request gets -32601, an unknown notification nothing', async () => {
  const { channel, request, answered } = start();
  channel.receive({ jsonrpc: '2.0', method: 'nope' });
  channel.receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { x: 1 } });
  channel.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } });
  request(9, 'nope');
  expect(await answered(9)).toMatchObject({ id: 9, error: { code: -32601 } });
  expect(channel.sent).toHaveLength(1);
});

test('text that is no JSON costs one error, and the next request works', async () => {
  const { channel, request, answered } = start();
  channel.receive('{"jsonrpc":"2.0",');
  request(1, 'ping');
  await answered(1);
  expect(channel.messages).toEqual([
    {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: 'Parse error: the message is not JSON' },
    },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]);
});

test('responses to nothing are ignored', async () => {
  const { channel, request, answered } = start();
  channel.receive({ jsonrpc: '2.0', id: 1, result: {} });
  channel.receive({ jsonrpc: '2.0', id: 2, error: { code: 1, message: 'x' } });
  request(1, 'ping');
  await answered(1);
  expect(channel.sent).toHaveLength(1);
});

test('a cancelled call gets its one answer, and nothing after it', async () => {
  const { channel, handler, call, answered, request } = start();
  call(0, 'waits');
  await soon(() => expect(handler.calls).toHaveLength(1));
  channel.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } });
  expect((await answered(0)).result).toEqual(answer('ended by its signal'));
  channel.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } });
  request('end', 'ping');
  await answered('end');
  expect(channel.answers(0)).toHaveLength(1);
});

test('a call that is cancelled before its tool began is not begun', async () => {
  const { channel, handler, call, answered } = start();
  call(1, 'echo');
  channel.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  expect(await answered(1)).toMatchObject({ result: { isError: true } });
  expect(handler.calls).toEqual([]);
});

test('a tool that does not listen to its cancellation does not hold the answer back', async () => {
  const { channel, handler, call, answered, session } = start({ cancelGraceMs: 1 });
  call(5, 'deaf');
  await soon(() => expect(handler.calls).toHaveLength(1));
  channel.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
  expect(await answered(5)).toMatchObject({ result: { isError: true } });
  expect(session.openCalls).toBe(0);
});

test('a call that comes again while it is open is one call with one answer', async () => {
  const { channel, handler, call, answered, request } = start();
  call('same', 'waits', { tab: 1 });
  call('same', 'waits', { tab: 1 });
  await soon(() => expect(handler.calls).toHaveLength(1));
  channel.receive({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 'same' },
  });
  await answered('same');
  request('end', 'ping');
  await answered('end');
  expect(handler.calls).toHaveLength(1);
  expect(channel.answers('same')).toHaveLength(1);
});

test('two different calls under one id get an answer each', async () => {
  const { channel, call } = start();
  call(4, 'echo', { n: 1 });
  call(4, 'echo', { n: 2 });
  await soon(() => expect(channel.answers(4)).toHaveLength(2));
});

test('answers 2,000 calls in flight, each once', async () => {
  const { channel, handler, call, session } = start();
  for (let id = 0; id < 2_000; id += 1) call(id, 'waits');
  await soon(() => expect(handler.calls).toHaveLength(2_000));
  expect(session.openCalls).toBe(2_000);
  for (let requestId = 0; requestId < 2_000; requestId += 1) {
    channel.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }
  await soon(() => expect(session.openCalls).toBe(0));
  const ids = channel.messages.map(({ id }) => id);
  expect(new Set(ids).size).toBe(2_000);
  expect(ids).toHaveLength(2_000);
});

test('beyond the limit a call gets an error at once, and a place that is free again is used', async () => {
  const { channel, call, answered } = start({ maxOpenCalls: 2 });
  call(1, 'waits');
  call(2, 'waits');
  call(3, 'echo');
  expect(await answered(3)).toMatchObject({ error: { code: -32000 } });
  channel.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  await answered(1);
  call(4, 'echo');
  expect(await answered(4)).toMatchObject({ result: {} });
});

test('the end of the channel aborts every signal, and no answer is sent', async () => {
  const { channel, handler, call } = start();
  call(1, 'waits');
  call(2, 'waits');
  await soon(() => expect(handler.calls).toHaveLength(2));
  channel.close(1006, 'gone');
  expect(handler.calls.every(({ signal }) => signal.aborted)).toBe(true);
  expect(handler.end).toEqual({ code: 1006, reason: 'gone' });
  expect(channel.sent).toEqual([]);
});

test('closing answers the open calls first', async () => {
  const { channel, call, handler, session } = start();
  call(1, 'waits');
  call(2, 'deaf');
  await soon(() => expect(handler.calls).toHaveLength(2));
  await session.close(1001, 'the editor goes away', 50);
  expect(channel.answers(1)).toHaveLength(1);
  expect(channel.answers(2)).toHaveLength(1);
  expect(channel.ended).toEqual({ code: 1001, reason: 'the editor goes away' });
});

test('notifications go out as they are given, and to a client that is gone not at all', () => {
  const { channel, logger, session } = start();
  session.notify('selection_changed', { text: '' });
  expect(channel.messages).toEqual([
    { jsonrpc: '2.0', method: 'selection_changed', params: { text: '' } },
  ]);
  channel.close(1006, 'gone');
  session.notify('selection_changed', { text: 'a' });
  expect(channel.sent).toHaveLength(1);
  expect(logger.records.filter(({ level }) => level !== 'debug')).toEqual([]);
});

test('a request for a task is served as a plain call', async () => {
  const { request, answered } = start();
  request(1, 'tools/call', { name: 'echo', arguments: { a: 1 }, task: { ttl: 1000 } });
  expect((await answered(1)).result).toEqual(answer('{"a":1}'));
});

test('takes arguments of any depth and any Unicode', async () => {
  const { channel, answered, call } = start();
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  channel.receive(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fails","arguments":{"a":${deep}}}}`,
  );
  await answered(1);
  call(2, 'echo', { text: '日本語 😀 \u0000 \ud800' });
  expect((await answered(2)).result).toEqual(
    answer(JSON.stringify({ text: '日本語 😀 \u0000 \ud800' })),
  );
});

test('any request gets exactly one answer, anything else none or one error', async () => {
  const id = fc.oneof(fc.integer(), fc.string());
  const method = fc.constantFrom('ping', 'tools/list', 'tools/call', 'initialize', 'nope');
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0'),
      id: fc.oneof(id, fc.constant(null)),
      method: fc.oneof(method, fc.jsonValue()),
      params: fc.oneof(
        fc.record({ name: fc.constantFrom('echo', 'fails'), arguments: fc.jsonValue() }),
        fc.jsonValue(),
      ),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 20 }), async (messages) => {
      const { channel, request, answered } = start();
      for (const one of messages) channel.receive(one);
      request('the last one', 'ping');
      await answered('the last one');
      await soon(() => {
        const asked = messages.filter((m) => m.method !== undefined && m.id !== undefined);
        const repeats = new Set(asked.map((m) => JSON.stringify(m))).size;
        expect(channel.sent.length).toBeGreaterThanOrEqual(Math.min(repeats, asked.length));
      });
      expect(channel.sent.length).toBeLessThanOrEqual(messages.length + 1);
    }),
    { numRuns: 150 },
  );
});
