/** A WebSocket as a pipe of messages; the same for both ends. */
import type { WebSocket } from 'ws';
import type { MessagePipe, PipeEnd, PipeListener } from '../../core/pipe.ts';

const NORMAL = 1000;
/** Close codes after which another try would end the same way. */
const REFUSALS: ReadonlySet<number> = new Set([1002, 1003, 1007, 1008, 1009, 1010]);
/** How long the peer has to answer a close before the socket is cut. */
const CLOSE_MS = 1_000;

export function pipeOf(socket: WebSocket, listener: PipeListener): MessagePipe {
  let closed = false;
  let failure: string | undefined;
  // A binary frame holds text all the same; the protocols know no other kind.
  socket.on('message', (data) => {
    if (!closed) listener.onMessage(String(data));
  });
  socket.on('error', (error) => {
    failure = error.message;
  });
  socket.on('close', (code, reason) => {
    if (!closed) listener.onEnd(endOf(code, failure ?? String(reason)));
    closed = true;
  });
  return {
    send: (text) =>
      new Promise((resolve, reject) => {
        socket.send(text, (error) => (error ? reject(error) : resolve()));
      }),
    close: () => {
      closed = true;
      socket.close(NORMAL);
      setTimeout(() => socket.terminate(), CLOSE_MS).unref();
    },
    cut: () => {
      closed = true;
      socket.terminate();
    },
  };
}

function endOf(code: number, reason: string): PipeEnd {
  const why = reason === '' ? `the connection was closed (${code})` : `${reason} (${code})`;
  if (code === NORMAL) return { kind: 'closed', reason: why };
  return { kind: REFUSALS.has(code) ? 'refused' : 'lost', reason: why };
}
