/** What the configuration of an agent on the bus comes to. */
import { afterEach, expect, test } from 'vitest';
import { ConfiguredAgents } from '../../src/agent-directory.ts';
import type { LogFields, Logger } from '../../src/core/logger.ts';
import type { AgentLink, SessionSink } from '../../src/session/ports.ts';
import type { AgentSettings } from '../../src/session-settings.ts';
import { BusAgent } from '../support/bus-agent.ts';
import { silentLogger } from '../support/session-doubles.ts';

const owned: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of owned.splice(0)) await one.dispose();
});

const sink: SessionSink = {
  update: () => {},
  state: () => {},
  ask: () => new Promise(() => {}),
  review: () => new Promise(() => {}),
  openFile: async () => {},
};

function connect(
  settings: AgentSettings,
  variables: Record<string, string> = {},
  logger: Logger = silentLogger,
): AgentLink {
  const agents = new ConfiguredAgents({
    preferred: 'it',
    agents: { it: settings },
    start: async () => Promise.reject(new Error('starts nothing')),
    buffers: { read: async () => undefined, write: async () => {} },
    folders: () => [],
    mayRead: () => true,
    variables,
    version: '0',
  });
  const link = agents.connector('it')?.({ session: 'it', folder: '/w', sink, logger });
  if (!link) throw new Error('there is no agent');
  owned.push(link);
  return link;
}

test.each(['bus', 'sid-bridge'] as const)(
  '%s: other machines may call only with a token of the secret',
  (dialect) => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'localhost.example', '127.0.0.1.example']) {
      expect(() => connect({ dialect, listen: { host } })).toThrow(
        `Listening on ${host} lets other machines call: name the variable of the secret, secret_env.`,
      );
      const named = { dialect, listen: { host }, secret_env: 'SECRET' };
      expect(() => connect(named, {})).toThrow('the variable SECRET holds no secret');
      expect(() => connect(named, { SECRET: 'x'.repeat(32) })).toThrow('needs a certificate');
    }
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1'])
      connect({ dialect, listen: { host } });
  },
);

test('other machines are called by TLS and with a token of the secret only', () => {
  const secret = { secret_env: 'SECRET' };
  const variables = { SECRET: 'x'.repeat(32) };
  for (const host of [
    '192.0.2.1',
    'localhost.',
    '127.0.0.1.example',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
  ]) {
    for (const plain of ['ws', 'http']) {
      const url = `${plain}://${host}:1`;
      expect(() => connect({ dialect: 'bus', url, ...secret }, variables)).toThrow(
        'is another machine',
      );
    }
    for (const encrypted of ['wss', 'https']) {
      const url = `${encrypted}://${host}:1`;
      expect(() => connect({ dialect: 'bus', url })).toThrow('is another machine');
      connect({ dialect: 'bus', url, ...secret }, variables);
    }
  }
  // A name before the host is no host.
  const url = 'ws://127.0.0.1@example.com/';
  expect(() => connect({ dialect: 'bus', url })).toThrow('ws://example.com is another machine');
  // The same address in other words.
  for (const host of ['LOCALHOST', '127.1', '0x7f.1', '[::1]', '127.255.255.254']) {
    connect({ dialect: 'bus', url: `ws://${host}:1` });
  }
});

test.each([
  [{}, []],
  [{ CLAUDE_CODE_BRIDGE_DEBUG: 'false' }, []],
  [{ CLAUDE_CODE_BRIDGE_DEBUG: 'true' }, ['sent get_status', 'received pong']],
  [{ CLAUDE_CODE_BRIDGE_DEBUG: '1' }, ['sent get_status', 'received pong']],
])('%s logs the types of messages: %s', async (variables, expected) => {
  const agent = await BusAgent.listen();
  owned.push(agent);
  const told: { message: string; fields: LogFields }[] = [];
  const logger: Logger = {
    ...silentLogger,
    info: (message, fields = {}) => void told.push({ message, fields }),
  };
  const link = connect({ dialect: 'bus', url: agent.url }, variables, logger);
  await link.start({});
  await agent.hears('get_status');
  await link.prompt([{ kind: 'text', text: 'a secret' }]);
  await agent.hears('user_input');
  const bus = told
    .filter(({ message }) => message.startsWith('bus message'))
    .map(({ message, fields }) => `${message.slice('bus message '.length)} ${fields['type']}`);
  expect(bus).toEqual(expect.arrayContaining(expected));
  expect(bus.length > 0).toBe(expected.length > 0);
  expect(JSON.stringify(told)).not.toContain('a secret');
});
