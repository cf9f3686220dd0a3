import type { AgentFamily, ClientHello, Dialect } from './family.ts';

/** The families that this editor serves. */
export class AgentRegistry {
  readonly #known: readonly AgentFamily[];

  /**
   * @param families those that are told of this editor; earlier ones are asked first
   * @param known all of them: a client that came by the lock file of another family is still spoken
   *   to in its own way
   */
  constructor(
    readonly families: readonly AgentFamily[],
    known: readonly AgentFamily[] = families,
  ) {
    this.#known = known;
  }

  /** The token that a client sent, in the place of whichever family it belongs to. */
  tokenIn(headers: ClientHello['headers']): string | undefined {
    for (const family of this.families) {
      const token = family.tokenIn(headers);
      if (token !== undefined) return token;
    }
    return undefined;
  }

  /** By executable: the variables that such an agent, started by the editor, gets empty. */
  get blank(): Readonly<Record<string, readonly string[]>> {
    const launches = this.#known.flatMap(({ launch }) => launch ?? []);
    return Object.fromEntries(launches.map(({ program, blank }) => [program, blank]));
  }

  /** By the name of the client, else by where it puts its token; undefined for a stranger. */
  dialectFor(hello: ClientHello): Dialect | undefined {
    const family = this.#byName(hello) ?? this.#byHeaders(hello);
    return family?.dialectFor(hello);
  }

  #byName({ clientName }: ClientHello): AgentFamily | undefined {
    if (clientName === undefined) return undefined;
    return this.#known.find(({ clientNames }) => clientNames.includes(clientName));
  }

  #byHeaders({ headers }: ClientHello): AgentFamily | undefined {
    return this.families.find((family) => family.tokenIn(headers) !== undefined);
  }
}
