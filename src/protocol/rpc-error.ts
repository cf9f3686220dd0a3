/** Errors as they go on the wire. */
import { BridgeError } from '../core/errors.ts';

/** A request's id; 0 and '' are ids. */
export type RpcId = string | number;

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** The range that JSON-RPC leaves to servers. */
export const TOO_MANY_CALLS = -32000;

/** Its code and message reach the client as they are: no paths of this machine, no stack. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Whether the work was tried and failed, which is a tool's result and no protocol error. */
export function isFailedWork(thrown: unknown): thrown is BridgeError {
  return thrown instanceof BridgeError && thrown.code !== 'invalid-argument';
}

/** What the client is told of something thrown that is no tool's failure. */
export function toRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown;
  if (thrown instanceof BridgeError) {
    return new RpcError(INVALID_PARAMS, thrown.message, { cause: thrown });
  }
  return new RpcError(INTERNAL_ERROR, 'Internal error; the log of the editor tells more', {
    cause: thrown,
  });
}
