import type { AgentFamily, ClientHello, Dialect } from './family.ts';

/** The families that this editor serves. Earlier ones are asked first. */
export class AgentRegistry {
  constructor(readonly families: readonly AgentFamily[]) {}

  /** The token that a client sent, in the place of whichever family it belongs to. */
  tokenIn(headers: ClientHello['headers']): string | undefined {
    return firstAnswer(this.families, (family) => family.tokenIn(headers));
  }

  dialectFor(hello: ClientHello): Dialect | undefined {
    return firstAnswer(this.families, (family) => family.dialectFor(hello));
  }
}

function firstAnswer<T>(
  families: readonly AgentFamily[],
  ask: (family: AgentFamily) => T | undefined,
): T | undefined {
  for (const family of families) {
    const answer = ask(family);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
