import net from 'node:net';
import { vi } from 'vitest';

/** Waits until somebody takes connections there: a file or a process may be there before. */
export function untilListening(target: net.NetConnectOpts): Promise<void> {
  return vi.waitFor(
    () =>
      new Promise<void>((resolve, reject) => {
        const socket = net.connect(target);
        socket.once('error', reject);
        socket.once('connect', () => {
          socket.destroy();
          resolve();
        });
      }),
    { timeout: 20_000, interval: 20 },
  );
}
