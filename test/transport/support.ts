import net from 'node:net';
import type { Channel, ChannelEnd } from '../../src/protocol/channel.ts';
import {
  type Connection,
  WebSocketServer,
  type WebSocketServerOptions,
} from '../../src/transport/websocket-server.ts';
import { MemoryLogger } from '../support/logger.ts';

export const TOKEN = '11111111-2222-4333-8444-555555555555';
export const TOKEN_HEADER = 'x-claude-code-ide-authorization';

export interface Client extends Connection {
  readonly received: string[];
  end: ChannelEnd | undefined;
}

/** A server whose clients are kept, with what they sent. */
export async function startServer(options: Partial<WebSocketServerOptions> = {}) {
  const logger = new MemoryLogger();
  const clients: Client[] = [];
  const server = await WebSocketServer.start({
    logger,
    token: TOKEN,
    tokenIn: (headers) => headers[TOKEN_HEADER],
    onConnection: (connection) => clients.push(watch(connection)),
    ...options,
  });
  return { server, logger, clients, port: server.port };
}

function watch(connection: Connection): Client {
  const client: Client = { ...connection, received: [], end: undefined };
  connection.channel.onMessage((text) => client.received.push(text));
  connection.channel.onClose((end) => {
    client.end = end;
  });
  return client;
}

/** Answers each message with itself. */
export const echo = ({ channel }: { channel: Channel }) =>
  channel.onMessage((text) => channel.send(text));

/** Sends text over TCP and returns what came until the server closed. */
export async function raw(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  for (const part of parts) socket.write(part);
  await new Promise<void>((resolve) => {
    // A reset is an end as well.
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
  return Buffer.concat(chunks).toString('latin1');
}

export function upgradeRequest(port: number, headers: Record<string, string | string[]> = {}) {
  const all = {
    Host: `127.0.0.1:${port}`,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    [TOKEN_HEADER]: TOKEN,
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  );
  return `GET / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}
