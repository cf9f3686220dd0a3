import type { Tool } from '../../tools/tool.ts';
import type { AgentFamily } from '../family.ts';
import { claudeCodeDialect } from './dialect.ts';
import { discovery } from './discovery.ts';

const TOKEN_HEADER = 'x-claude-code-ide-authorization';

/**
 * Claude Code, and whatever else speaks its protocol under its token header: claude-code-best gives
 * the same name and needs nothing that Claude Code does not take.
 */
export function claudeCode(tools: readonly Tool[]): AgentFamily {
  const dialect = claudeCodeDialect(tools);
  return {
    id: 'claude-code',
    clientNames: ['claude-code'],
    discovery,
    tokenIn: (headers) => headers[TOKEN_HEADER],
    dialectFor: () => dialect,
  };
}
