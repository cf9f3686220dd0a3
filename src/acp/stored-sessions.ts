/** The sessions that an agent remembers. */
import { methods } from '@agentclientprotocol/sdk';
import { BridgeError } from '../core/errors.ts';
import type { AbsolutePath } from '../core/ports.ts';
import type { StoredSession } from '../session/model.ts';
import type { AcpConnection } from './connection.ts';

/** Pages that are asked for. */
const PAGES = 5;

/** @throws BridgeError `unavailable` where the agent keeps no list. */
export async function storedSessions(
  { agent, about }: AcpConnection,
  folder: AbsolutePath,
  current: string | undefined,
): Promise<readonly StoredSession[]> {
  if (!about.agentCapabilities?.sessionCapabilities?.list) {
    throw new BridgeError('unavailable', 'it keeps no list of its sessions');
  }
  const sessions: StoredSession[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < PAGES && (page === 0 || cursor); page += 1) {
    const answer = await agent.request(methods.agent.session.list, {
      cwd: folder,
      ...(cursor && { cursor }),
    });
    cursor = answer.nextCursor;
    for (const { sessionId, title, cwd, updatedAt } of answer.sessions) {
      sessions.push({
        id: sessionId,
        title: title ?? sessionId,
        folder: cwd,
        ...(updatedAt && { updated: updatedAt }),
        current: sessionId === current,
      });
    }
  }
  return sessions;
}
