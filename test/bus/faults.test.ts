/** What an agent on the bus may do wrong, and what it costs. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { afterEach, describe, expect, test } from 'vitest';
import { TIMING, type Timing } from '../../src/bus/connection.ts';
import { BusLink } from '../../src/bus/link.ts';
import type { PipeOpener } from '../../src/core/pipe.ts';
import { startProcess } from '../../src/platform/agent-process.ts';
import { ChildPipe } from '../../src/transport/pipe/child.ts';
import { HttpClient } from '../../src/transport/pipe/http-client.ts';
import { WsClient } from '../../src/transport/pipe/ws-client.ts';
import { BusAgent } from '../support/bus-agent.ts';
import { LiveSession } from '../support/live-session.ts';
import { tempDir, WITH_PARENT } from '../support/nvim.ts';

const SOON: Timing = {
  ...TIMING,
  handshakeMs: 300,
  wait: (ms, signal) => TIMING.wait(ms > 400 ? ms / 20 : ms, signal),
};

const owned: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const dispose of owned.splice(0).reverse()) await dispose();
});

async function session(opener: PipeOpener, timing: Timing = SOON): Promise<LiveSession> {
  const live = new LiveSession({
    folder: '/w',
    connect: (context) => new BusLink({ context, opener, debug: false, timing, quietMs: 50 }),
  });
  owned.push(() => live.dispose());
  live.open();
  await live.eventually(() => expect(live.view.shown.has('it')).toBe(true));
  return live;
}

async function listening(port = 0): Promise<BusAgent> {
  const agent = await BusAgent.listen(port);
  owned.push(() => agent.dispose());
  return agent;
}

/** An agent on standard streams. Its script has `say` and calls `hear` with each message. */
function child(script: string): ChildPipe {
  const prelude = `
    const say = (type, data, id) => process.stdout.write(JSON.stringify({ type, data, id }) + '\\n');
    let hear = () => {};
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.type === 'ping') say('pong', undefined, message.id);
      hear(message);
    });`;
  return new ChildPipe({
    command: {
      command: process.execPath,
      args: [...WITH_PARENT, '-e', prelude + script],
      folder: '/',
      env: {},
    },
    start: startProcess,
    onErrorLine: () => {},
    onTooLong: () => {},
  });
}

const info = (message: string) => ({ kind: 'notice', level: 'info', text: message });

/** An agent has asked and is gone when the user allows it. */
async function answeredTooLate() {
  const first = await listening();
  const live = await session(new WsClient({ url: first.url }));
  await live.state('connected');
  first.say('permission_request', { id: '1', tool: 'Bash', input: { command: 'ls' } });
  await live.prompted('permission');
  await first.dispose();
  await live.eventually(() => expect(live.shown.status?.state).not.toBe('connected'));
  live.answer({ kind: 'chat_decide', option: 'once' });
  return { first, live };
}

describe('a message that is none', () => {
  test('costs itself only, in a list too', async () => {
    const agent = await listening();
    const live = await session(new WsClient({ url: agent.url }));
    await live.state('connected');
    agent.raw(
      '[{"type":"info","data":{"message":"one"}},{"data":1},7,{"type":"info","data":{"message":"two"}}]',
    );
    agent.raw('[{"type":"permission_request","id":"p","timestamp":"now","data":{"tool":"x"}}');
    agent.raw('{"type":"info","timestamp":"now","data":{"message":"three"}}');
    await live.eventually(() =>
      expect(live.entries).toMatchObject([info('one'), info('two'), info('three')]),
    );
  });

  test('may come before the first one: a greeting for people', async () => {
    const live = await session(
      child(`
        console.log('Welcome to the agent 1.0');
        console.log('{"jsonrpc":"2.0"}');
        setTimeout(() => say('info', { message: 'ready' }), 50);`),
    );
    await live.eventually(() => expect(live.entries).toMatchObject([info('ready')]));
    expect(live.shown.status?.state).toBe('connected');
  });

  test('and nothing else in the time of the handshake is another protocol', async () => {
    const opener = new ChildPipe({
      command: { command: 'sh', args: ['-c', 'echo hello; cat >/dev/null'], folder: '/', env: {} },
      start: startProcess,
      onErrorLine: () => {},
      onTooLong: () => {},
    });
    const live = await session(opener);
    await live.state('failed');
    expect(live.shown.status?.detail).toMatch(/^the agent speaks another protocol: it is no JSON/u);
  });

  test('nested too deep to be shown costs itself only', async () => {
    const agent = await listening();
    const live = await session(new WsClient({ url: agent.url }));
    await live.state('connected');
    for (const depth of [2_000, 5_000, 100_000]) {
      const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      agent.raw(`{"type":"tool_use_start","data":{"id":"t","name":"x","input":${deep}}}`);
      agent.raw(`{"type":"permission_request","data":{"id":"t","tool":"x","input":${deep}}}`);
    }
    agent.say('info', { message: 'still here' });
    await live.eventually(() => expect(live.entries.at(-1)).toMatchObject(info('still here')));
  });
});

describe('the id of a request', () => {
  test('goes back as it came, also where it is a number', async () => {
    const agent = await listening();
    const live = await session(new WsClient({ url: agent.url }));
    await live.state('connected');
    agent.say('permission_request', { id: 7, tool: 'x' });
    await live.prompted('permission');
    live.answer({ kind: 'chat_decide', option: 'once' });
    expect((await agent.hears('permission_decision')).data).toEqual({ id: 7, allow: true });
    agent.say('question_request', { question: 'why?' }, 8);
    await live.prompted('question');
    live.answer({ kind: 'chat_answer', answers: ['so'] });
    expect((await agent.hears('question_answer')).data).toEqual({ id: 8, answer: 'so' });
    agent.say('ping', undefined, 9);
    expect((await agent.hears('pong')).id).toBe(9);
  });

  test('that comes again with other contents is another request', async () => {
    const agent = await listening();
    const live = await session(new WsClient({ url: agent.url }));
    await live.state('connected');
    agent.say('permission_request', { id: '1', tool: 'Bash', input: { command: 'ls' } });
    expect((await live.prompted('permission')).title).toBe('Bash: ls');
    agent.raw(
      '{"type":"permission_request","data":{"id":"1","tool":"Bash","input":{"command":"rm -r /"}}}',
    );
    await live.eventually(() => expect(live.shown.prompt?.title).toBe('Bash: rm -r /'));
    expect(live.shown.dismissed).toEqual(['p1 withdrawn']);
    expect(live.shown.status?.waiting).toBe(1);
  });

  test('is not answered by what the user said to another request, however late that left', async () => {
    const { first, live } = await answeredTooLate();
    live.send('a text');
    const second = await listening(first.port);
    second.onConnect = () =>
      second.raw(
        '{"type":"permission_request","data":{"id":"1","tool":"Bash","input":{"command":"rm"}}}',
      );
    await second.hears('user_input');
    expect((await live.prompted('permission')).title).toBe('Bash: rm');
    expect(second.of('permission_decision')).toEqual([]);
    live.answer({ kind: 'chat_decide', option: 'no' });
    expect((await second.hears('permission_decision')).data).toEqual({ id: '1', allow: false });
  });

  test('that was answered and is asked again as it was takes the same answer', async () => {
    const { first, live } = await answeredTooLate();
    const second = await listening(first.port);
    second.onConnect = () =>
      second.raw(
        '{"type":"permission_request","data":{"id":"1","tool":"Bash","input":{"command":"ls"}}}',
      );
    expect((await second.hears('permission_decision')).data).toEqual({ id: '1', allow: true });
    expect(live.shown.prompt).toBeUndefined();
  });
});

describe('an edit', () => {
  test('is reviewed in the folder of the session where its path is not absolute', async () => {
    const agent = await listening();
    const live = await session(new WsClient({ url: agent.url }));
    await live.state('connected');
    const input = { file_path: 'src/a.ts', content: 'new' };
    agent.say('permission_request', { id: 'p', tool: 'Write', input });
    await live.eventually(() => expect(live.reviews[0]?.request.newPath).toBe('/w/src/a.ts'));
    agent.say('tool_use_start', { id: 't', name: 'Write', input });
    agent.say('tool_use_result', { id: 't', result: 'ok' });
    await live.eventually(() => expect(live.reloaded).toEqual(['/w/src/a.ts']));
  });
});

describe('what the user said', () => {
  test('and a hung agent never read goes again, once, with its id', async () => {
    const hung = await listening();
    const live = await session(new WsClient({ url: hung.url }), { ...SOON, pingMs: 300 });
    await live.state('connected');
    hung.say('permission_request', { id: 'p', tool: 'x' });
    await live.prompted('permission');
    live.send('was read');
    await hung.hears('user_input');
    // The receipt of it is on its way.
    await hung.hears('ping', 2);
    hung.say('info', { message: 'read' });
    await live.eventually(() => expect(live.entries.at(-1)).toMatchObject(info('read')));
    hung.hang();
    live.send('was not read');
    live.answer({ kind: 'chat_decide', option: 'once' });
    await live.eventually(() =>
      expect(live.entries.findLast(({ kind }) => kind === 'user')).toMatchObject({
        delivery: 'sent',
      }),
    );
    await hung.dispose();
    const again = await listening(hung.port);
    await again.hears('permission_decision');
    expect(again.of('user_input').map(({ data }) => data)).toEqual([{ text: 'was not read' }]);
    expect(again.of('permission_decision').map(({ data }) => data)).toEqual([
      { id: 'p', allow: true },
    ]);
  });

  test('waits for no line that is gone', async () => {
    const agent = await listening();
    const live = await session(new WsClient({ url: agent.url }), { ...SOON, pingMs: 300 });
    await live.state('connected');
    agent.hang();
    // More than a socket takes that nobody reads from.
    for (let at = 0; at < 8; at += 1) live.send(`${at} ${'x'.repeat(2_000_000)}`);
    await live.eventually(() => expect(agent.headers.length).toBeGreaterThan(1), 20_000);
    const texts = new Map<unknown, string>();
    await live.eventually(() => {
      // What goes again has the same id, for agents that take it once.
      for (const { id, data } of agent.of('user_input')) {
        texts.set(id, (data as { text: string }).text.slice(0, 1));
      }
      expect([...texts.values()]).toEqual([...'01234567']);
    }, 20_000);
  });
});

describe('an agent on standard streams', () => {
  test('that is started anew gets no answer to what another one asked', async () => {
    const file = `${tempDir()}/count`;
    const live = await session(
      child(`
        const fs = require('fs');
        const file = ${JSON.stringify(file)};
        const first = !fs.existsSync(file);
        fs.appendFileSync(file, 'x');
        if (first) {
          say('status', { sessionId: 'c1' });
          say('permission_request', { id: '1', tool: 'ls' });
          hear = (message) => { if (message.type === 'user_input') process.exit(3); };
        } else hear = ({ type, data }) => {
          if (type !== 'ping') say('info', { message: JSON.stringify({ type, data }) });
        };`),
    );
    await live.prompted('permission');
    live.send('go on');
    await live.eventually(() => {
      const texts = live.entries.flatMap((entry) => (entry.kind === 'notice' ? [entry.text] : []));
      // What was never known to have been read is said again, in the conversation that it was for.
      expect(texts).toEqual([
        '{"type":"switch_session","data":{"sessionId":"c1"}}',
        '{"type":"user_input","data":{"text":"go on"}}',
      ]);
    });
    expect(live.shown.dismissed).toEqual(['p1 withdrawn']);
  });

  test('whose end its own children outlive has ended all the same', async () => {
    const live = await session(
      child(`
        say('info', { message: 'ready' });
        require('child_process').spawn('sleep', ['60'], { stdio: 'inherit' });
        hear = ({ type }) => { if (type === 'user_input') process.exit(3); };`),
      { ...SOON, wait: (_, signal) => TIMING.wait(60_000, signal) },
    );
    await live.state('connected');
    live.send('end');
    await live.state('disconnected');
    expect(live.shown.status?.detail).toMatch(/exited with code 3; trying again/u);
  });
});

describe('an agent over HTTP', () => {
  interface Web {
    readonly url: string;
    readonly heard: { type: string; data?: { text?: string } }[];
    answer: (request: http.IncomingMessage, response: http.ServerResponse) => boolean;
  }

  async function web(): Promise<Web> {
    const made: Web = { url: '', heard: [], answer: () => false };
    const server = http.createServer((request, response) => {
      let body = '';
      request.on('data', (bytes) => {
        body += bytes;
      });
      request.on('end', () => {
        if (made.answer(request, response)) return;
        if (request.method === 'POST') {
          made.heard.push(JSON.parse(body));
          response.writeHead(202).end();
          return;
        }
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"type":"info","data":{"message":"hello"}}\n\n');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    owned.push(async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    });
    return Object.assign(made, {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    });
  }

  test('that takes no message for a while gets all of them, in order', async () => {
    const agent = await web();
    const live = await session(new HttpClient({ url: agent.url, onTooLong: () => {} }));
    await live.state('connected');
    await live.eventually(() => expect(agent.heard.at(-1)?.type).toBe('get_status'));
    let refused = 0;
    agent.answer = (request, response) => {
      if (request.method !== 'POST' || refused >= 2) return false;
      refused += 1;
      response.writeHead(503).end();
      return true;
    };
    for (let at = 0; at < 5; at += 1) live.send(String(at));
    await live.eventually(() => {
      const texts = agent.heard.filter(({ type }) => type === 'user_input');
      expect(texts.map(({ data }) => data?.text)).toEqual(['0', '1', '2', '3', '4']);
    });
    expect(refused).toBe(2);
  });

  test.each(['GET', 'POST'])('is not followed to another address: %s', async (method) => {
    const [agent, thief] = [await web(), await web()];
    agent.answer = (request, response) => {
      if (request.method !== method) return false;
      response.writeHead(307, { location: thief.url }).end();
      return true;
    };
    const live = await session(new HttpClient({ url: agent.url, onTooLong: () => {} }));
    live.send('a secret');
    await live.state('failed');
    expect(live.shown.status?.detail).toBe('the agent answered with HTTP 307');
    expect(thief.heard).toEqual([]);
  });
});
