/**
 * Sorts what a client sends before the protocol library sees it. The library drops what it cannot
 * take without an answer, and has no answer to text that is not JSON at all.
 */
import { z } from 'zod';
import { INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, type RpcId } from './rpc-error.ts';

export type Params = Readonly<Record<string, unknown>>;

export interface InboundRequest {
  readonly kind: 'request';
  readonly id: RpcId;
  readonly method: string;
  readonly params: Params | undefined;
}

export interface InboundNotification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: Params | undefined;
}

/** Never answered: two sides that answer each other's errors would never stop. */
export interface InboundResponse {
  readonly kind: 'response';
  /** Unchecked beyond being an object. */
  readonly message: Params;
}

/** To be answered with an error; id null where the message tells none. */
export interface InvalidMessage {
  readonly kind: 'invalid';
  readonly id: RpcId | null;
  readonly code: number;
  readonly message: string;
}

export type Inbound = InboundRequest | InboundNotification | InvalidMessage | InboundResponse;

const Id = z.union([z.string(), z.int()]);
const Envelope = z.record(z.string(), z.unknown());
const ObjectParams = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((params) => params ?? undefined);

/** Reads one message of a client. Never throws. */
export function readMessage(text: string): Inbound {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The reason would quote the message.
    return invalid(null, PARSE_ERROR, 'Parse error: the message is not JSON');
  }
  if (Array.isArray(value)) {
    return invalid(null, INVALID_REQUEST, 'Batches are not supported: send one message at a time');
  }
  const envelope = Envelope.safeParse(value);
  if (!envelope.success) {
    return invalid(null, INVALID_REQUEST, 'A message must be a JSON object');
  }
  return sort(envelope.data);
}

function sort(message: Params): Inbound {
  const hasId = Object.hasOwn(message, 'id');
  const { jsonrpc, method, result, error, id: givenId, params: givenParams } = message;
  if (method === undefined && (result !== undefined || error !== undefined)) {
    return { kind: 'response', message };
  }
  const id = Id.safeParse(givenId);
  const errorId = id.success ? id.data : null;
  if (jsonrpc !== '2.0') return invalid(errorId, INVALID_REQUEST, 'jsonrpc must be "2.0"');
  if (typeof method !== 'string') {
    return invalid(errorId, INVALID_REQUEST, 'method must be a string');
  }
  const params = ObjectParams.safeParse(givenParams);
  if (!hasId) {
    return { kind: 'notification', method, params: params.success ? params.data : undefined };
  }
  if (!id.success) {
    return invalid(null, INVALID_REQUEST, 'id must be a string or an integer');
  }
  if (!params.success) return invalid(id.data, INVALID_PARAMS, 'params must be an object');
  return { kind: 'request', id: id.data, method, params: params.data };
}

function invalid(id: RpcId | null, code: number, message: string): InvalidMessage {
  return { kind: 'invalid', id, code, message };
}
