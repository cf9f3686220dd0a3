/** The agents with which a session can be held, and the link to each, from the configuration. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AcpLink } from './acp/link.ts';
import { ACP_RECIPES, type AcpRecipe } from './acp/recipes.ts';
import { BusLink } from './bus/link.ts';
import { BridgeError } from './core/errors.ts';
import type { AgentCommand, PipeOpener, StartProcess } from './core/pipe.ts';
import type { AbsolutePath } from './core/ports.ts';
import type { AgentDirectory } from './session/manager.ts';
import type { AgentLink, BufferPort, LinkContext } from './session/ports.ts';
import type { AgentSettings } from './session-settings.ts';
import { SidBridgeLink } from './sid-bridge/link.ts';
import { ChildPipe } from './transport/pipe/child.ts';
import { isLoopback } from './transport/pipe/hosts.ts';
import { HttpClient } from './transport/pipe/http-client.ts';
import { issueToken, verifyToken } from './transport/pipe/session-token.ts';
import { WsClient } from './transport/pipe/ws-client.ts';
import { sameToken, WsServer } from './transport/pipe/ws-server.ts';

export interface DirectoryOptions {
  readonly preferred: string;
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly start: StartProcess;
  readonly buffers: BufferPort;
  folders(): readonly AbsolutePath[];
  mayRead(path: AbsolutePath): boolean;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly version: string;
}

const SID_CODE: AgentSettings = {
  dialect: 'sid-bridge',
  command: ['sid-code', '--bridge', '{url}'],
};
const LOOPBACK = '127.0.0.1';
const TOKEN_BYTES = 32;

export class ConfiguredAgents implements AgentDirectory {
  readonly #agents = new Map<string, AgentSettings>();

  constructor(private readonly options: DirectoryOptions) {
    for (const name of Object.keys(ACP_RECIPES)) this.#agents.set(name, { dialect: 'acp' });
    this.#agents.set('sid-code', SID_CODE);
    for (const [name, settings] of Object.entries(options.agents)) {
      this.#agents.set(name, { ...this.#agents.get(name), ...settings });
    }
  }

  get preferred(): string {
    return this.options.preferred;
  }

  names(): readonly string[] {
    return [...this.#agents.keys()].sort();
  }

  connector(agent: string): ((context: LinkContext) => AgentLink) | undefined {
    const settings = this.#agents.get(agent);
    if (!settings) return undefined;
    return (context) => {
      switch (settings.dialect ?? 'acp') {
        case 'acp':
          return this.#acp(agent, settings, context);
        case 'bus':
          return this.#bus(agent, settings, context);
        case 'sid-bridge':
          return this.#sidBridge(settings, context);
      }
    };
  }

  #acp(agent: string, settings: AgentSettings, context: LinkContext): AgentLink {
    const { start, buffers, folders, mayRead, version } = this.options;
    const recipe = recipeOf(agent, settings);
    return new AcpLink({ context, recipe, start, buffers, folders, mayRead, version });
  }

  #bus(agent: string, settings: AgentSettings, context: LinkContext): AgentLink {
    const { variables } = this.options;
    const debug = ['1', 'true'].includes(variables['CLAUDE_CODE_BRIDGE_DEBUG'] ?? '');
    return new BusLink({ context, debug, opener: this.#opener(agent, settings, context) });
  }

  #opener(agent: string, settings: AgentSettings, context: LinkContext): PipeOpener {
    const { logger, session } = context;
    const onTooLong = (): void =>
      logger.warn('a message is too long and was left out', { session });
    const { url, listen, command } = settings;
    if (url !== undefined) {
      const secret = this.#secret(settings);
      const token = secret === undefined ? {} : { token: () => issueToken(session, secret) };
      return url.startsWith('http')
        ? new HttpClient({ url, onTooLong, ...token })
        : new WsClient({ url, ...token });
    }
    if (listen) return this.#server(settings, context).opener;
    if (command) {
      const onErrorLine = (line: string): void => logger.info('the agent writes', { line });
      const { start } = this.options;
      return new ChildPipe({
        command: commandOf(command, settings, context),
        start,
        onErrorLine,
        onTooLong,
      });
    }
    throw new BridgeError('invalid-argument', `${agent} needs a url, listen, or a command`);
  }

  #sidBridge(settings: AgentSettings, context: LinkContext): AgentLink {
    const { opener, url } = this.#server(settings, context);
    const { command } = settings;
    const { start } = this.options;
    const address = Object.assign(opener, { url });
    if (!command) return new SidBridgeLink({ context, address });
    const launch = {
      start,
      command: (to: string) =>
        commandOf(
          command.map((word) => word.replaceAll('{url}', to)),
          settings,
          context,
        ),
    };
    return new SidBridgeLink({ context, address, launch });
  }

  /** Where the agent is to call, and with what token. */
  #server(settings: AgentSettings, context: LinkContext) {
    const { logger, session, sink } = context;
    const { host = LOOPBACK, port = 0, cert, key } = settings.listen ?? {};
    const secret = this.#secret(settings);
    if (secret === undefined && !isLoopback(host)) {
      throw new BridgeError(
        'refused',
        `Listening on ${host} lets other machines call: name the variable of the secret, secret_env.`,
      );
    }
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const server = new WsServer({
      host,
      port,
      ...(cert !== undefined && key !== undefined && { tls: { cert: pem(cert), key: pem(key) } }),
      authorize:
        secret === undefined ? sameToken(token) : (given) => verifyToken(given, session, secret),
      onRefused: (reason) => logger.warn('an agent was refused', { session, reason }),
    });
    const url = async (): Promise<string> => {
      await server.listen();
      const proof = secret === undefined ? token : await issueToken(session, secret);
      return `${server.target}/?token=${encodeURIComponent(proof)}`;
    };
    const announced = new AnnouncedServer(server, async () => {
      const text = `The agent is to call ${await url()}`;
      sink.update({ kind: 'notice', level: 'info', text });
    });
    return { opener: settings.dialect === 'bus' ? announced : server, url };
  }

  #secret({ secret_env: name }: AgentSettings): string | undefined {
    if (name === undefined) return undefined;
    const secret = this.options.variables[name];
    if (secret !== undefined && secret !== '') return secret;
    throw new BridgeError('invalid-argument', `the variable ${name} holds no secret`);
  }
}

/** Tells the user once where the agent is to call. */
class AnnouncedServer implements PipeOpener {
  #told = false;

  constructor(
    private readonly server: WsServer,
    private readonly tell: () => Promise<void>,
  ) {}

  get target(): string {
    return this.server.target;
  }

  async open(...args: Parameters<PipeOpener['open']>) {
    await this.server.listen();
    if (!this.#told) await this.tell();
    this.#told = true;
    return this.server.open(...args);
  }

  dispose(): Promise<void> {
    return this.server.dispose();
  }
}

function recipeOf(agent: string, settings: AgentSettings): AcpRecipe {
  const known: AcpRecipe | undefined = Object.entries(ACP_RECIPES).find(
    ([name]) => name === agent,
  )?.[1];
  const [command, ...args] = settings.command ?? (known ? [known.command, ...known.args] : []);
  if (command === undefined) {
    throw new BridgeError('invalid-argument', `${agent} needs a command`);
  }
  const mode = settings.mode ?? known?.mode;
  return {
    command,
    args,
    env: { ...known?.env, ...variablesOf(settings) },
    install: known?.install ?? `Install ${command}.`,
    login: known?.login ?? `Run ${command} once in a terminal and sign in.`,
    ...(mode !== undefined && { mode }),
  };
}

function commandOf(
  words: readonly string[],
  settings: AgentSettings,
  { folder }: LinkContext,
): AgentCommand {
  const [command = '', ...args] = words;
  return { command, args, folder, env: variablesOf(settings) };
}

function variablesOf({ env = {} }: AgentSettings): Record<string, string | undefined> {
  const entries = Object.entries(env).map(([name, value]) => [name, value || undefined]);
  return Object.fromEntries(entries);
}

function pem(file: AbsolutePath): string {
  return readFileSync(file, 'utf8');
}
