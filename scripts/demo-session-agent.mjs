// A small agent on the Agent Client Protocol, for those who have none at hand: it asks no model, and
// shows what a live session is made of. It changes a file only if that was accepted.
import path from 'node:path';
import process from 'node:process';
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { COMMANDS, FILE, play } from './demo-session/tour.mjs';
import { Turn } from './demo-session/turn.mjs';

const MODES = [
  { id: 'ask', name: 'Ask first', description: 'asks before commands and edits' },
  { id: 'plan', name: 'Plan', description: 'shows a plan before all else' },
];

const sessions = new Map();

agent({ name: 'demo' })
  .onRequest(methods.agent.initialize, ({ params }) => ({
    protocolVersion: params.protocolVersion,
    agentInfo: { name: 'demo', title: 'Demo agent', version: '1' },
    agentCapabilities: { promptCapabilities: { embeddedContext: true } },
    authMethods: [],
  }))
  .onRequest(methods.agent.session.new, ({ params, client }) => {
    const id = `demo-${sessions.size + 1}`;
    const folder = params.cwd;
    const turn = new AbortController();
    sessions.set(id, { id, folder, file: path.join(folder, FILE), turn, used: 0 });
    void client.notify(methods.client.session.update, {
      sessionId: id,
      update: { sessionUpdate: 'available_commands_update', availableCommands: COMMANDS },
    });
    return { sessionId: id, modes: { currentModeId: 'ask', availableModes: MODES } };
  })
  .onRequest(methods.agent.session.setMode, () => ({}))
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const session = sessions.get(params.sessionId);
    session.turn = new AbortController();
    const { signal } = session.turn;
    // What comes after the user's own words are files and selections.
    await play(new Turn(client, session, signal), params.prompt[0]?.text ?? '');
    return { stopReason: signal.aborted ? 'cancelled' : 'end_turn' };
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    sessions.get(params.sessionId)?.turn.abort();
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
