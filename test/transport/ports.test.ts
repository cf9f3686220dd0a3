import { once } from 'node:events';
import net from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { WebSocketServerOptions } from '../../src/transport/websocket-server.ts';
import { startServer } from './support.ts';

const opened: { dispose(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.dispose();
});

async function start(options: Partial<WebSocketServerOptions> = {}) {
  const started = await startServer(options);
  opened.push(started.server);
  return started;
}

async function occupy(): Promise<number> {
  const holder = net.createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  opened.push({ dispose: () => new Promise((resolve) => holder.close(resolve)) });
  return (holder.address() as net.AddressInfo).port;
}

test('takes a random port of the range that clients expect', async () => {
  const ports = await Promise.all(Array.from({ length: 10 }, async () => (await start()).port));
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(10_000);
  expect(Math.max(...ports)).toBeLessThanOrEqual(65_535);
  expect(new Set(ports).size).toBe(10);
});

test('takes the port that it had before, right after it was closed', async () => {
  const { server, port } = await start();
  await server.dispose();
  expect((await start({ port: { preferred: port } })).port).toBe(port);
});

test('takes another port where the preferred one is taken, and logs it', async () => {
  const taken = await occupy();
  const { port, logger } = await start({ port: { preferred: taken } });
  expect(port).not.toBe(taken);
  expect(logger.records).toContainEqual({
    level: 'warn',
    message: 'port not free',
    fields: { port: taken, reason: expect.stringContaining('EADDRINUSE') },
  });
});

test('a fixed port that is taken is an error that says what to do', async () => {
  const taken = await occupy();
  await expect(start({ port: { fixed: taken } })).rejects.toMatchObject({
    code: 'startup-failed',
    message: expect.stringContaining(`port ${taken} is taken; choose another`),
  });
});

test('an address that this machine does not have is an error at once', async () => {
  await expect(start({ host: '203.0.113.1' })).rejects.toMatchObject({
    code: 'startup-failed',
    message: expect.stringContaining('203.0.113.1'),
  });
});

test('200 starts and stops', async () => {
  for (let i = 0; i < 200; i += 1) {
    const { server } = await startServer();
    await server.dispose();
  }
});
