/** The ZeroMQ library, loaded when the first code is run: the plugin works without it. */
import { createRequire } from 'node:module';
import path from 'node:path';
import type * as ZeroMq from 'zeromq';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { AbsolutePath } from '../core/ports.ts';

export type ZeroMqLibrary = Pick<typeof ZeroMq, 'Dealer' | 'Subscriber'>;

/**
 * @param root the plugin's folder, beside whose `node_modules` the package lies; a bundle cannot
 * hold it, since it has a native part
 * @throws BridgeError `unavailable` with the command that installs it
 */
export function loadZeroMq(root: AbsolutePath): ZeroMqLibrary {
  let library: unknown;
  try {
    library = createRequire(path.join(root, 'package.json'))('zeromq');
  } catch (error) {
    throw missing(root, messageOf(error).split('\n', 1)[0] ?? '');
  }
  if (!isZeroMq(library)) throw missing(root, 'it is not version 6');
  return library;
}

function isZeroMq(library: unknown): library is ZeroMqLibrary {
  const parts: { Dealer?: unknown; Subscriber?: unknown } = Object(library);
  return typeof parts.Dealer === 'function' && typeof parts.Subscriber === 'function';
}

function missing(root: AbsolutePath, why: string): BridgeError {
  return new BridgeError(
    'unavailable',
    `Running code needs the npm package zeromq, which cannot be loaded (${why}). Run "npm install --include=optional" in ${root}, then :ClaudeBridgeRestart.`,
  );
}
