/**
 * A scripted agent on the Agent Client Protocol. A prompt is its script: a list of steps in JSON.
 * What the editor answers comes back as text, one line of JSON for each step that has an answer.
 */
import process from 'node:process';
import { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import './leave-with-parent.mjs';

/** How the agent as a whole behaves. */
const traits = JSON.parse(process.env.TEST_AGENT ?? '{}');

if (traits.exitAtOnce) {
  process.stderr.write('no key is set\n');
  process.exit(7);
}

let sessions = 0;
let cancelled = false;
let signedIn = false;
const kept = { model: 'small', mode: 'auto' };

const modes = () => ({
  currentModeId: kept.mode,
  availableModes: [
    { id: 'auto', name: 'Auto' },
    { id: 'default', name: 'Ask', description: 'asks before edits' },
  ],
});

const configOptions = () => [
  {
    id: 'the-model',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: kept.model,
    options: [
      { value: 'small', name: 'Small' },
      { value: 'large', name: 'Large' },
    ],
  },
];

const settings = () => ({
  modes: modes(),
  ...(traits.models
    ? { models: { currentModelId: kept.model, availableModels: [{ modelId: 'large', name: 'L' }] } }
    : { configOptions: configOptions() }),
});

async function play(step, sessionId, client) {
  const [kind] = Object.keys(step);
  const params = step[kind];
  switch (kind) {
    case 'update':
      await client.notify(methods.client.session.update, { sessionId, update: params });
      return undefined;
    case 'permission':
      return client.request(methods.client.session.requestPermission, { sessionId, ...params });
    case 'read':
      return client.request(methods.client.fs.readTextFile, { sessionId, ...params });
    case 'write':
      return client.request(methods.client.fs.writeTextFile, { sessionId, ...params });
    case 'elicit':
      return client.request(methods.client.elicitation.create, { sessionId, ...params });
    case 'stderr':
      process.stderr.write(`${params}\n`);
      return undefined;
    case 'stdout':
      process.stdout.write(`${params}\n`);
      return undefined;
    case 'file': {
      const { writeFileSync } = await import('node:fs');
      writeFileSync(params.path, params.content);
      return undefined;
    }
    case 'flood':
      for (let at = 0; at < params; at += 1) {
        await say(`${at} `, sessionId, client);
      }
      return undefined;
    case 'untilCancelled':
      while (!cancelled || params === 'never') await setTimeout(5);
      return undefined;
    case 'exit':
      process.stderr.write('out of memory\n');
      process.exit(params);
      return undefined;
    default:
      throw new Error(`no step ${kind}`);
  }
}

function say(text, sessionId, client) {
  return client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  });
}

async function prompt({ params, client }) {
  cancelled = false;
  const { sessionId } = params;
  const text = params.prompt.map((block) => block.text ?? JSON.stringify(block));
  const script = text.find((one) => one.startsWith('['));
  if (!script) {
    await say(`heard: ${text.join(' | ')}`, sessionId, client);
    return { stopReason: 'end_turn' };
  }
  for (const step of JSON.parse(script)) {
    if (step.stop) return { stopReason: step.stop, usage: { totalTokens: 42 } };
    const answer = await play(step, sessionId, client).catch((error) => ({ error: error.message }));
    if (answer !== undefined) await say(`${JSON.stringify(answer)}\n`, sessionId, client);
    if (cancelled) return { stopReason: 'cancelled' };
  }
  return { stopReason: 'end_turn' };
}

const { session } = methods.agent;
const app = agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, ({ params }) => ({
    protocolVersion: traits.version ?? params.protocolVersion,
    agentInfo: { name: 'scripted', title: 'Scripted', version: '1' },
    agentCapabilities: {
      loadSession: !traits.forgetful,
      promptCapabilities: { image: true, embeddedContext: !traits.plain },
      sessionCapabilities: traits.forgetful ? {} : { list: {}, resume: {}, close: {} },
    },
    authMethods: traits.signIn ? [{ id: 'key', name: 'Key' }] : [],
  }))
  .onRequest(methods.agent.authenticate, () => {
    signedIn = true;
    return {};
  })
  .onRequest(session.new, async ({ client }) => {
    if (traits.signIn && !signedIn) throw RequestError.authRequired();
    sessions += 1;
    const sessionId = `s${process.pid}-${sessions}`;
    // As some agents do, before the id of the session is known.
    await client.notify(methods.client.session.update, {
      sessionId,
      update: {
        sessionUpdate: 'available_commands_update',
        availableCommands: [{ name: 'init', description: 'sets up', input: { hint: 'where' } }],
      },
    });
    return { sessionId, ...settings() };
  })
  .onRequest(session.load, async ({ params, client }) => {
    const { sessionId } = params;
    if (sessionId === 'lost') throw RequestError.sessionNotFound(sessionId);
    const chunk = (sessionUpdate, text) =>
      client.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate, content: { type: 'text', text } },
      });
    await chunk('user_message_chunk', 'what I said');
    await chunk('agent_message_chunk', 'what it answered');
    return settings();
  })
  .onRequest(session.resume, () => settings())
  .onRequest(session.close, () => ({}))
  .onRequest(session.list, ({ params }) => ({
    sessions: params.cursor
      ? [{ sessionId: 'c2', cwd: params.cwd }]
      : [{ sessionId: 'c1', cwd: params.cwd, title: 'First', updatedAt: '2026-01-02T03:04:05Z' }],
    nextCursor: params.cursor ? null : 'more',
  }))
  .onRequest(session.setMode, ({ params }) => {
    kept.mode = params.modeId;
    return {};
  })
  .onRequest(session.setConfigOption, ({ params }) => {
    kept.model = params.value;
    return { configOptions: configOptions() };
  })
  .onRequest(
    'session/set_model',
    (params) => params,
    ({ params }) => {
      kept.model = params.modelId;
      return {};
    },
  )
  .onRequest(session.prompt, prompt)
  .onNotification(session.cancel, () => {
    cancelled = true;
  });

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
