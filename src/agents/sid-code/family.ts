import type { Tool } from '../../tools/tool.ts';
import type { AgentFamily } from '../family.ts';
import { sidCodeDialect } from './dialect.ts';
import { discovery } from './discovery.ts';

const NAME = 'sid-code';

/**
 * sid-code of both generations. Each hears one spelling of the notifications and ignores the other,
 * so it is told both; other clients that come by its token header are told the plain one.
 */
export function sidCode(tools: readonly Tool[]): AgentFamily {
  const own = sidCodeDialect(tools, (method) => [method, `notifications/${method}`]);
  const other = sidCodeDialect(tools, (method) => [method]);
  return {
    id: 'sid-code',
    clientNames: [NAME],
    discovery,
    tokenIn: ({ authorization }) => /^Bearer (.+)$/i.exec(authorization ?? '')?.[1],
    dialectFor: ({ clientName }) => (clientName === NAME ? own : other),
  };
}
