import type { AbsolutePath } from '../core/ports.ts';
import type { Tool } from '../tools/tool.ts';
import { claudeCode } from './claude-code/family.ts';
import type { AgentFamily, Environment } from './family.ts';
import { opencode } from './opencode/family.ts';
import { sidCode } from './sid-code/family.ts';

/** A new family is its folder and a line here. Earlier ones are asked first. */
const FAMILIES = [claudeCode, sidCode, opencode] as const;

export function agentFamilies(tools: readonly Tool[]): readonly AgentFamily[] {
  return FAMILIES.map((create) => create(tools));
}

/**
 * Those that are told of this editor: the ones that the user named, or, where he named none, each
 * whose client is used on this machine.
 */
export function servedFamilies(
  families: readonly AgentFamily[],
  names: readonly string[] | undefined,
  environment: Environment,
  isFolder: (path: AbsolutePath) => boolean,
): readonly AgentFamily[] {
  if (names !== undefined) return families.filter(({ id }) => names.includes(id));
  return families.filter(({ discovery }) => {
    const trace = discovery.trace?.(environment);
    return trace === undefined || isFolder(trace);
  });
}
