/** The ZeroMQ sockets of one connection to a kernel. */
import { randomUUID } from 'node:crypto';
import type { Dealer, Subscriber } from 'zeromq';
import type { Disposable } from '../core/disposable.ts';
import { type ChannelName, type ConnectionInfo, endpoint } from './connection.ts';
import type { ZeroMqLibrary } from './zeromq.ts';

export type RequestChannel = 'shell' | 'control';

export interface KernelSockets extends Disposable {
  /** Keeps order within a channel. After dispose() it does nothing. */
  send(channel: RequestChannel, frames: readonly Buffer[]): void;
}

export interface SocketListeners {
  message(channel: ChannelName, frames: readonly Buffer[]): void;
  /** The other side of the shell channel is there. */
  connected(): void;
  /** The other side was there and has gone. */
  disconnected(): void;
}

/** How soon a socket tries again while a kernel is not listening yet, ms. */
const RECONNECT_MS = 25;

export function openSockets(
  { Dealer, Subscriber }: ZeroMqLibrary,
  info: ConnectionInfo,
  listeners: SocketListeners,
): KernelSockets {
  // The kernel sends requests for input to the identity that asked for the execution.
  const routingId = randomUUID();
  const options = { linger: 0, ipv6: info.ip.includes(':'), reconnectInterval: RECONNECT_MS };
  const dealer = () => new Dealer({ ...options, routingId });
  const sockets = {
    shell: dealer(),
    control: dealer(),
    stdin: dealer(),
    // Without a limit on what waits here: a message that is dropped may be the one that ends a run.
    iopub: new Subscriber({ ...options, receiveHighWaterMark: 0 }),
  };
  const senders = { shell: sender(sockets.shell), control: sender(sockets.control) };
  sockets.shell.events.on('handshake', listeners.connected);
  sockets.shell.events.on('disconnect', listeners.disconnected);
  sockets.iopub.subscribe();
  for (const channel of ['shell', 'control', 'stdin', 'iopub'] as const) {
    sockets[channel].connect(endpoint(info, channel));
    void receive(sockets[channel], (frames) => listeners.message(channel, frames));
  }
  return {
    send: (channel, frames) => senders[channel](frames),
    dispose: () => {
      for (const socket of Object.values(sockets)) socket.close();
    },
  };
}

/** A socket takes one message after the other. */
function sender(socket: Dealer): (frames: readonly Buffer[]) => void {
  let last: Promise<void> = Promise.resolve();
  return (frames) => {
    last = last
      .then(() => (socket.closed ? undefined : socket.send([...frames])))
      // Closed meanwhile: who waits for the answer is told by the end of the connection.
      .catch(() => {});
  };
}

async function receive(
  socket: Dealer | Subscriber,
  listener: (frames: readonly Buffer[]) => void,
): Promise<void> {
  try {
    for await (const frames of socket) listener(frames);
  } catch {
    // Closed while it waited.
  }
}
