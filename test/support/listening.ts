import net from 'node:net';
import { waitFor } from './wait-for.ts';

/** Waits until somebody takes connections there: a file or a process may be there before. */
export function untilListening(target: net.NetConnectOpts): Promise<void> {
  return waitFor(
    () =>
      new Promise<void>((resolve, reject) => {
        const socket = net.connect(target);
        socket.once('error', reject);
        socket.once('connect', () => {
          socket.destroy();
          resolve();
        });
      }),
    { interval: 20 },
  );
}
