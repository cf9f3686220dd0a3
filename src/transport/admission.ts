/** Who may open a WebSocket, decided before a single message is read. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

export type Headers = Readonly<Record<string, string | undefined>>;

export interface AdmissionRules {
  readonly port: number;
  /** Names beside the loopback ones by which clients may call this server. */
  readonly extraHosts: readonly string[];
  /** The server listens to other machines, which call it by whatever address they reach it at. */
  readonly isPublic: boolean;
  readonly token: string;
  tokenIn(headers: Headers): string | undefined;
}

export interface Refusal {
  readonly status: 400 | 401 | 403 | 503;
  /** For the log; holds nothing that the client sent as a secret. */
  readonly reason: string;
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Browsers send an origin and cannot leave it out, agents send none: with an origin, or under a
 * foreign name (DNS rebinding), a web page is calling.
 */
export function refusal(request: IncomingMessage, rules: AdmissionRules): Refusal | undefined {
  const { host: hosts = [] } = request.headersDistinct;
  if (hosts.length !== 1 || !isOwnHost(hosts[0] ?? '', rules)) {
    return { status: 403, reason: 'foreign or missing Host' };
  }
  if (request.headers.origin !== undefined) return { status: 403, reason: 'Origin is set' };
  const token = rules.tokenIn(flatHeaders(request));
  if (token === undefined) return { status: 401, reason: 'no token' };
  if (!isSame(token, rules.token)) return { status: 401, reason: 'wrong token' };
  return undefined;
}

/** The headers by lower-case name; of repeated ones all values in one string. */
export function flatHeaders(request: IncomingMessage): Headers {
  const entries = Object.entries(request.headersDistinct);
  return Object.fromEntries(entries.map(([name, values]) => [name, values?.join(', ')]));
}

function isOwnHost(host: string, { port, extraHosts, isPublic }: AdmissionRules): boolean {
  const asked = host.toLowerCase();
  const name = asked.replace(/:\d+$/, '');
  if (asked !== `${name}:${port}`) return false;
  // Only a name can be made to lead elsewhere; an address is what it says.
  if (isPublic && isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  return [...LOOPBACK_HOSTS, ...extraHosts].some((own) => name === own.toLowerCase());
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
