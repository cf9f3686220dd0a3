import path from 'node:path';
import type { Discovery, Environment } from '../family.ts';
import { configFolder, lockContent } from '../ide-protocol.ts';

const home = (env: Environment): string => configFolder(env, 'SID_CONFIG_DIR', '.sid-code');

/** Where sid-code looks for editors, and what it must read there. */
export const discovery: Discovery = {
  folder: (env) => path.join(home(env), 'ide'),

  trace: home,

  // A lock that names no transport means SSE to it.
  content: (ad, env) => ({ ...lockContent(ad, env), transport: env.transport ?? 'ws' }),

  // The port alone starts the search; that it is wished for must be the word "true".
  variables: ({ port }) => ({
    SID_CODE_SSE_PORT: String(port),
    SID_CODE_AUTO_CONNECT_IDE: 'true',
  }),
};
