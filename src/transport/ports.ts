/** Finds a port to listen on. */
import { randomInt } from 'node:crypto';
import type { Server } from 'node:http';
import { BridgeError, messageOf } from '../core/errors.ts';

export interface PortWish {
  /** The only port that will do. */
  readonly fixed?: number | undefined;
  /** Taken if it is free, as after a restart. */
  readonly preferred?: number | undefined;
}

export interface ListenRequest extends PortWish {
  readonly host: string;
  /** A port was not to be had; another one is tried. */
  onTaken(port: number, reason: string): void;
}

const FIRST_PORT = 10_000;
const LAST_PORT = 65_535;
const ATTEMPTS = 50;
/** Held by another program, or reserved by the system. */
const TAKEN = new Set(['EADDRINUSE', 'EACCES']);

/**
 * Listens on the wished port or a random one.
 * @throws BridgeError `startup-failed`
 */
export async function listen(server: Server, request: ListenRequest): Promise<number> {
  for (const port of candidates(request)) {
    try {
      await listenOn(server, port, request.host);
      return port;
    } catch (error) {
      if (!isTaken(error)) throw failed(`cannot listen on ${request.host}:${port}`, error);
      if (request.fixed !== undefined) {
        throw failed(`port ${port} is taken; choose another, or let the port be chosen`, error);
      }
      request.onTaken(port, messageOf(error));
    }
  }
  throw failed(`found no free port among ${ATTEMPTS} tried on ${request.host}`);
}

function* candidates({ fixed, preferred }: PortWish): Generator<number> {
  if (fixed !== undefined) return yield fixed;
  if (preferred !== undefined) yield preferred;
  for (let i = 0; i < ATTEMPTS; i += 1) yield randomInt(FIRST_PORT, LAST_PORT + 1);
}

function listenOn(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && TAKEN.has(String(error.code));
}

function failed(what: string, cause?: unknown): BridgeError {
  const why = cause === undefined ? '' : ` (${messageOf(cause)})`;
  return new BridgeError('startup-failed', `The server did not start: ${what}${why}`, { cause });
}
