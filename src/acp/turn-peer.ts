/** One agent that runs, as far as a turn needs it. */
import { methods } from '@agentclientprotocol/sdk';
import type { SessionSink } from '../session/ports.ts';
import type { AcpConnection } from './connection.ts';
import { signIn } from './sign-in.ts';
import type { TurnPeer } from './turns.ts';

export function turnPeer(
  connection: AcpConnection,
  sessionId: string,
  sink: SessionSink,
  /** What to do where the agent offers no way to sign in here. */
  login: string,
): TurnPeer {
  const { agent, about } = connection;
  const can = about.agentCapabilities?.promptCapabilities;
  return {
    takes: { images: can?.image === true, resources: can?.embeddedContext === true },
    prompt: async (prompt) => {
      const step = () => agent.request(methods.agent.session.prompt, { sessionId, prompt });
      try {
        return await signIn(step, connection, sink, login);
      } catch (error) {
        await connection.settle();
        throw error;
      }
    },
    cancel: () => agent.notify(methods.agent.session.cancel, { sessionId }),
  };
}
