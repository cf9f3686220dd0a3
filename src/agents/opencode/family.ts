import path from 'node:path';
import type { Tool } from '../../tools/tool.ts';
import type { AgentFamily, Discovery } from '../family.ts';
import { lockContent } from '../ide-protocol.ts';
import { opencodeDialect } from './dialect.ts';

const TOKEN_HEADER = 'x-claude-code-ide-authorization';

/** It reads the lock files of Claude Code, and only in the home folder. */
const discovery: Discovery = {
  folder: ({ home }) => path.join(home, '.claude', 'ide'),
  alsoReadBy: 'claude-code',
  content: (ad, env) => ({ ...lockContent(ad, env) }),
  variables: () => ({}),
};

export function opencode(tools: readonly Tool[]): AgentFamily {
  const dialect = opencodeDialect(tools);
  return {
    id: 'opencode',
    clientNames: ['opencode'],
    discovery,
    launch: {
      program: 'opencode',
      // To a port that it finds here it connects without the token, and never looks elsewhere.
      blank: ['CLAUDE_CODE_SSE_PORT', 'OPENCODE_EDITOR_SSE_PORT'],
    },
    tokenIn: (headers) => headers[TOKEN_HEADER],
    dialectFor: () => dialect,
  };
}
