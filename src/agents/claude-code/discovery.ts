import path from 'node:path';
import type { Discovery } from '../family.ts';
import { configFolder, lockContent } from '../ide-protocol.ts';

/** Where Claude Code looks for editors, and what it must read there. */
export const discovery: Discovery = {
  folder: (env) =>
    env.lockFolder ?? path.join(configFolder(env, 'CLAUDE_CONFIG_DIR', '.claude'), 'ide'),

  content: (ad, env) => ({ ...lockContent(ad, env) }),

  variables: ({ port }) => ({
    CLAUDE_CODE_SSE_PORT: String(port),
    ENABLE_IDE_INTEGRATION: 'true',
  }),
};
