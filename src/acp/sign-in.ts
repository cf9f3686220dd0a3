/** Agents that want to know who is there: the user picks one of the ways that they offer. */
import { methods, RequestError } from '@agentclientprotocol/sdk';
import { BridgeError } from '../core/errors.ts';
import type { SessionSink } from '../session/ports.ts';
import type { AcpConnection } from './connection.ts';

/** Of the protocol: no session without a sign-in. */
const AUTH_REQUIRED = -32000;

/** Does the step, signing in first where the agent insists. */
export async function signIn<T>(
  step: () => Promise<T>,
  connection: AcpConnection,
  sink: SessionSink,
  login: string,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== AUTH_REQUIRED) throw error;
    const methodId = await choose(connection, sink);
    if (methodId === undefined) {
      throw new BridgeError('refused', `it wants a sign-in. ${login}`, { cause: error });
    }
    await connection.agent.request(methods.agent.authenticate, { methodId });
    return step();
  }
}

async function choose(
  { about, over }: AcpConnection,
  sink: SessionSink,
): Promise<string | undefined> {
  // Those that want a terminal are for a terminal.
  const ways = (about.authMethods ?? []).filter((way) => !('type' in way));
  if (ways.length === 0) return undefined;
  const answer = await sink.ask(
    {
      kind: 'question',
      title: 'The agent wants to know who you are. How do you sign in?',
      mode: 'single',
      options: ways.map(({ id, name, description }) => ({
        value: id,
        label: name,
        ...(description && { description }),
      })),
    },
    over,
  );
  return answer.kind === 'answered' ? answer.values[0] : undefined;
}
