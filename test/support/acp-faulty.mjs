/**
 * An agent on the Agent Client Protocol, without its library, that fails in a given way (`fault`)
 * once it has come to a given state (`at`). It fails once: the next one started does as it should.
 */
import { appendFileSync, existsSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { hang } from './leave-with-parent.mjs';

const { at, fault, counter, banner } = JSON.parse(process.env.TEST_FAULT ?? '{}');
const first = !existsSync(counter);
appendFileSync(counter, 'x');

const write = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (sessionUpdate, fields) =>
  write({
    method: 'session/update',
    params: { sessionId: 's1', update: { sessionUpdate, ...fields } },
  });
const say = (text) => update('agent_message_chunk', { content: { type: 'text', text } });

function flood() {
  for (let line = 0; line < 10; line += 1) {
    say('flood ');
    process.stdout.write('no protocol at all\n');
    update('no_such_update', { x: line });
  }
  setTimeout(flood, 10);
}

function reached(state) {
  if (!first || state !== at) return false;
  process.stderr.write(`${fault} at ${state}\n`);
  if (fault === 'killed') process.kill(process.pid, 'SIGKILL');
  if (fault === 'exits') process.exit(3);
  if (fault === 'hangs up') process.stdout.end();
  if (fault === 'hung') hang();
  if (fault === 'floods') flood();
  // Says no more than that.
  return true;
}

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
let asked = 0;
let prompted;
const ask = (method, params) => {
  asked += 1;
  write({ id: `ask ${asked}`, method, params: { sessionId: 's1', ...params } });
};

const states = {
  silent: () => {},
  streaming: () => say('I am at it'),
  permission: () =>
    ask('session/request_permission', { options, toolCall: { toolCallId: 't', title: 'make' } }),
  question: () =>
    ask('elicitation/create', {
      mode: 'form',
      message: 'Which?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    }),
  review: () =>
    ask('session/request_permission', {
      options,
      toolCall: {
        toolCallId: 't',
        title: 'edit',
        content: [{ type: 'diff', path: `${process.cwd()}/new.txt`, newText: 'new' }],
      },
    }),
  cancelled: () => say('I am at it'),
};

function prompt({ id, params }) {
  const text = params.prompt.map((block) => block.text).join('');
  const state = text.slice('go to '.length);
  if (!text.startsWith('go to ')) {
    say(`heard: ${text}`);
    write({ id, result: { stopReason: 'end_turn' } });
    return;
  }
  prompted = id;
  states[state]();
  if (state !== 'cancelled') setTimeout(() => reached(state), 100);
}

if (banner) process.stdout.write('Loading…\n\nWelcome to the agent!\n');
if (!reached('start')) {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.method === 'initialize' && !reached('initialize')) {
      write({
        id: message.id,
        result: { protocolVersion: 1, agentCapabilities: { loadSession: true }, authMethods: [] },
      });
    } else if (message.method === 'session/new' && !reached('session/new')) {
      write({ id: message.id, result: { sessionId: 's1' } });
    } else if (message.method === 'session/load') write({ id: message.id, result: {} });
    else if (message.method === 'session/prompt') prompt(message);
    else if (message.method === 'session/cancel' && !reached('cancelled')) {
      write({ id: prompted, result: { stopReason: 'cancelled' } });
    }
  });
}
