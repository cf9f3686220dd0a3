import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TIMING, type Timing } from '../../src/bus/connection.ts';
import { BusLink } from '../../src/bus/link.ts';
import { utf16Column } from '../../src/core/positions.ts';
import { WsClient } from '../../src/transport/pipe/ws-client.ts';
import { BusAgent } from '../support/bus-agent.ts';
import { LiveSession } from '../support/live-session.ts';

const SOON: Timing = {
  ...TIMING,
  handshakeMs: 200,
  wait: (ms, signal) => TIMING.wait(ms / 50, signal),
};

let agent: BusAgent;
let live: LiveSession;

function connect(url: string, timing: Timing = SOON): LiveSession {
  return new LiveSession({
    folder: '/w',
    connect: (context) =>
      new BusLink({
        context,
        opener: new WsClient({ url }),
        debug: true,
        timing,
        quietMs: 50,
      }),
  });
}

beforeEach(async () => {
  agent = await BusAgent.listen();
  live = connect(agent.url);
  live.open();
  await agent.hears('get_status');
});

afterEach(async () => {
  await live.dispose();
  await agent.dispose();
});

describe('messages of the agent', () => {
  test('stream a conversation', async () => {
    agent.say('message_added', { id: 'm', role: 'assistant', content: 'One' });
    agent.say('message_updated', { id: 'm', content: [{ type: 'text', text: 'One **two**' }] });
    agent.say('message_added', { id: 'x', role: 'assistant', content: 'gone' });
    agent.say('message_removed', { id: 'x' });
    await live.eventually(() =>
      expect(live.entries).toEqual([
        { id: 'message m', kind: 'agent', text: 'One **two**', streaming: false },
      ]),
    );
  });

  test('show tool calls with input, output, result, duration and error', async () => {
    agent.say('tool_use_start', { id: 1, name: 'Bash', input: { command: 'make' }, agent: 'sub' });
    agent.say('tool_use_delta', { id: 1, partial: 'cc ' });
    agent.say('tool_use_delta', { id: 1, partial: 'a.c\n' });
    agent.say('tool_use_result', { id: 1, result: 'cc a.c\nok', durationMs: 12 });
    agent.say('tool_use_start', { id: 2, name: 'Read', input: { file_path: 'a' } });
    agent.say('tool_use_result', { id: 2, result: 'no such file', isError: true });
    await live.eventually(() =>
      expect(live.entries).toEqual([
        {
          id: 'tool 1',
          kind: 'tool',
          title: 'Bash: make',
          name: 'Bash',
          category: 'execute',
          state: 'done',
          input: 'make',
          syntax: 'sh',
          output: 'cc a.c\nok',
          duration: 12,
          agent: 'sub',
        },
        {
          id: 'tool 2',
          kind: 'tool',
          title: 'Read: a',
          name: 'Read',
          category: 'read',
          state: 'failed',
          input: '{\n  "file_path": "a"\n}',
          syntax: 'json',
          output: '',
          error: 'no such file',
        },
      ]),
    );
  });

  test('show the output of commands, binary too, and attachments', async () => {
    agent.say('command_output', { stdout: 'out\n', stderr: 'err\n' });
    agent.say('tool_use_start', { id: 1, name: 'x' });
    agent.say('tool_use_delta', { id: 1, partial: Buffer.from('bytes') });
    agent.say('attachment', { path: 'a.png', type: 'image', size: 10, mime: 'image/png' });
    await live.eventually(() =>
      expect(live.entries).toMatchObject([
        { title: 'Command output', output: 'out\nerr\n' },
        { output: 'bytes' },
        { attachment: { label: 'a.png', path: '/w/a.png', mime: 'image/png', size: 10 } },
      ]),
    );
  });

  test('keep the status up to date', async () => {
    agent.say('cost_update', { cost: 1, tokens: 2, totalCost: 3, totalTokens: 4, model: 'm1' });
    agent.say('progress', { id: 'p', stage: 'index', percent: 5, message: 'files' });
    await live.eventually(() =>
      expect(live.shown.status).toMatchObject({
        state: 'connected',
        cost: { amount: 3, currency: 'USD' },
        tokens: { used: 4 },
        model: 'm1',
        progress: [{ id: 'p', stage: 'index', percent: 5, message: 'files' }],
      }),
    );
    agent.say('status', {
      sessions: [{ id: 's1', title: 'First', current: true }],
      uptime: 1,
      memory: 2,
      model: 'm2',
    });
    agent.say('progress', { id: 'p', stage: 'index', percent: 100 });
    await live.eventually(() =>
      expect(live.shown.status).toMatchObject({ model: 'm2', progress: [] }),
    );
    live.tell({ kind: 'chat_list' });
    await live.eventually(() =>
      expect(live.shown.sessions).toEqual([{ id: 's1', title: 'First', current: true }]),
    );
  });

  test('tell of errors, warnings, news and diagnostics', async () => {
    agent.say('error', { code: 'E1', message: 'bad', stack: 'at x' });
    agent.say('warning', { message: 'careful' });
    agent.say('info', { message: 'by the way' });
    agent.say('diagnostic', { level: 'error', message: 'wrong', source: 'lint' });
    await live.eventually(() =>
      expect(
        live.entries.map((entry) => entry.kind === 'notice' && [entry.level, entry.text]),
      ).toEqual([
        ['error', 'bad (E1)'],
        ['warn', 'careful'],
        ['info', 'by the way'],
        ['error', 'lint: wrong'],
      ]),
    );
    expect(live.view.notices).toEqual(['error: it: bad (E1)', 'warn: it: careful']);
  });

  test('reload files that it has changed', async () => {
    agent.say('file_changed', { path: 'a', kind: 'modified' });
    agent.say('file_created', { path: '/w/b' });
    agent.say('file_deleted', { path: 'c' });
    await live.eventually(() => expect(live.reloaded).toEqual(['/w/a', '/w/b', '/w/c']));
  });

  test('of no use here, unknown or broken change nothing and cost nothing else', async () => {
    agent.say('selection_change', { text: 'x', path: 'a' });
    agent.say('ide_state', { openFiles: [] });
    agent.say('telemetry_event', { event: 'e' });
    agent.say('never_heard_of', { a: 1 });
    agent.say('tool_use_start', { name: 'no id' });
    agent.raw('{"type":');
    agent.raw(
      '[{"type":"info","data":{"message":"first"}},{"type":"info","data":{"message":"second"}}]',
    );
    await live.eventually(() =>
      expect(live.entries).toMatchObject([{ text: 'first' }, { text: 'second' }]),
    );
    expect(live.shown.status?.state).toBe('connected');
  });

  test('ask for a ping to be answered with the same id', async () => {
    agent.say('ping', undefined, 'p9');
    expect(await agent.hears('pong')).toMatchObject({ id: 'p9' });
  });

  test('open files and show diffs, which are answered as edits', async () => {
    agent.say('open_file', { path: 'a.ts', line: 3 });
    await live.eventually(() => expect(live.opened).toEqual(['/w/a.ts:2']));
    agent.say('show_diff', { filePath: 'a.ts', oldContent: 'o', newContent: 'n' });
    await live.eventually(() => expect(live.reviews).toHaveLength(1));
    expect(live.reviews[0]?.request).toMatchObject({ oldPath: '/w/a.ts', proposal: 'n' });
    live.reviews[0]?.decide({ kind: 'accepted', text: 'mine', edited: true });
    expect((await agent.hears('apply_edit')).data).toEqual({
      filePath: 'a.ts',
      newContent: 'mine',
    });
    agent.say('show_diff', { filePath: 'b.ts', newContent: 'n' });
    await live.eventually(() => expect(live.reviews).toHaveLength(2));
    live.reviews[1]?.decide({ kind: 'rejected', reason: 'ugly' });
    expect((await agent.hears('reject_edit')).data).toEqual({ filePath: 'b.ts', reason: 'ugly' });
  });
});

describe('requests of the agent', () => {
  test('for permission are answered once, always, or with no and a reason', async () => {
    const input = { command: 'rm -r /' };
    for (const id of ['a', 'b', 'c']) {
      agent.say('permission_request', { id, tool: 'Bash', input, reason: 'to clean up' });
      await agent.hears('get_status');
      expect(await live.prompted('permission')).toMatchObject({
        title: 'Bash: rm -r /',
        reason: 'to clean up',
        body: [{ kind: 'code', text: 'rm -r /', syntax: 'sh' }],
      });
      const option = { a: 'once', b: 'always', c: 'no' }[id];
      live.answer({ kind: 'chat_decide', option, ...(id === 'c' && { reason: 'too much' }) });
    }
    await agent.hears('permission_decision', 3);
    expect(agent.of('permission_decision').map((message) => message.data)).toEqual([
      { id: 'a', allow: true },
      { id: 'b', allow: true, remember: true },
      { id: 'c', allow: false, reason: 'too much' },
    ]);
  });

  test('without an id of their own are answered by that of the envelope', async () => {
    agent.say('permission_request', { tool: 'x' }, 'e1');
    await live.prompted('permission');
    live.answer({ kind: 'chat_decide', option: 'once' });
    expect((await agent.hears('permission_decision')).data).toEqual({ id: 'e1', allow: true });
  });

  test('for an edit open the review view', async () => {
    const input = { file_path: '/w/a.ts', content: 'new' };
    agent.say('permission_request', { id: 'a', tool: 'Write', input });
    await live.eventually(() => expect(live.reviews).toHaveLength(1));
    live.reviews[0]?.decide({ kind: 'accepted', text: 'mine', edited: true });
    expect((await agent.hears('permission_decision')).data).toEqual({ id: 'a', allow: true });
    const applied = await agent.hears('apply_edit');
    expect(applied.data).toEqual({ filePath: '/w/a.ts', newContent: 'mine' });
  });

  test('for a plan and with questions are answered', async () => {
    agent.say('plan_approval_request', { id: 'p', plan: '# Plan', agent: 'planner' });
    expect(await live.prompted('plan')).toMatchObject({ title: 'Plan of planner', text: '# Plan' });
    live.answer({ kind: 'chat_decide', option: 'reject', reason: 'shorter' });
    const plan = await agent.hears('plan_decision');
    expect(plan.data).toEqual({ id: 'p', approved: false, reason: 'shorter' });

    agent.say('question_request', { id: 'q1', question: 'Which?', options: ['a', 'b'] });
    expect(await live.prompted('question')).toMatchObject({ mode: 'single' });
    live.answer({ kind: 'chat_answer', answers: ['b'] });
    expect((await agent.hears('question_answer')).data).toEqual({ id: 'q1', answer: 'b' });

    const options = [{ label: 'A', value: 'a' }, { label: 'B' }];
    agent.say('question_request', { id: 'q2', question: 'Some?', options, multiSelect: true });
    expect(await live.prompted('question')).toMatchObject({ mode: 'multi' });
    live.answer({ kind: 'chat_answer', answers: ['a', 'B'] });
    const multi = await agent.hears('question_answer', 2);
    expect(multi.data).toEqual({ id: 'q2', answer: ['a', 'B'] });

    agent.say('question_request', { id: 'q3', question: 'Name?' });
    expect(await live.prompted('question')).toMatchObject({ mode: 'free' });
    live.answer({ kind: 'chat_answer' });
    expect((await agent.hears('question_answer', 3)).data).toEqual({ id: 'q3', answer: null });
  });

  test('for details are answered with the values of a form', async () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' }, ok: { type: 'boolean' } },
      required: ['n'],
    };
    agent.say('elicitation', { id: 'e', schema, message: 'More, please' });
    expect(await live.prompted('form')).toMatchObject({
      title: 'More, please',
      fields: [
        { name: 'n', type: 'integer', required: true },
        { name: 'ok', type: 'boolean', required: false },
      ],
    });
    live.answer({ kind: 'chat_answer', values: { n: '3', ok: true } });
    const sent = await agent.hears('elicitation_response');
    expect(sent.data).toEqual({ id: 'e', answer: { n: 3, ok: true } });
  });

  test('go away when they were decided in another place', async () => {
    const responses = [
      ['permission_request', { id: 'a', tool: 'x' }, 'permission_response', { decision: 'allow' }],
      [
        'plan_approval_request',
        { id: 'b', plan: 'p' },
        'plan_approval_response',
        { approved: true },
      ],
      ['question_request', { id: 'c', question: 'q' }, 'question_response', { answer: 'x' }],
      ['elicitation', { id: 'd', schema: {} }, 'elicitation_response', { answer: {} }],
    ] as const;
    for (const [request, data, response, answer] of responses) {
      agent.say(request, data);
      await live.eventually(() => expect(live.shown.prompt).toBeDefined());
      agent.say(response, answer);
      await live.eventually(() => expect(live.shown.prompt).toBeUndefined());
    }
    expect(live.shown.dismissed).toHaveLength(4);
    const answers = ['permission_decision', 'plan_decision', 'question_answer'];
    expect(answers.flatMap((type) => agent.of(type))).toEqual([]);
  });
});

describe('what the editor sends', () => {
  test('is the user’s input, with files as text', async () => {
    live.send('hello');
    expect(await agent.hears('user_input')).toMatchObject({
      type: 'user_input',
      data: { text: 'hello' },
      id: expect.any(String),
      timestamp: expect.any(Number),
    });
    await live.eventually(() => expect(live.entries).toMatchObject([{ delivery: 'sent' }]));
  });

  test('are wishes for the session', async () => {
    live.tell({ kind: 'chat_pause' });
    await agent.hears('pause_session');
    await live.state('paused');
    live.tell({ kind: 'chat_resume' });
    await agent.hears('resume_session');
    await live.state('connected');
    live.tell({ kind: 'chat_set_model', model: 'm' });
    live.tell({ kind: 'chat_set_mode', mode: 'plan' });
    live.tell({ kind: 'chat_switch', conversation: 's2' });
    live.tell({ kind: 'chat_reset' });
    live.tell({ kind: 'chat_cancel' });
    expect((await agent.hears('set_model')).data).toEqual({ model: 'm' });
    expect((await agent.hears('set_permission_mode')).data).toEqual({ mode: 'plan' });
    expect((await agent.hears('switch_session')).data).toEqual({ sessionId: 's2' });
    expect((await agent.hears('reset_session')).data).toEqual({});
    expect((await agent.hears('cancel_request')).data).toEqual({});
    await live.eventually(() =>
      expect(live.shown.status).toMatchObject({ model: 'm', mode: 'plan', conversation: 's2' }),
    );
  });

  test('is context of the editor', async () => {
    const at = (line: number, column: number) => ({ line, character: utf16Column(column) });
    const range = { start: at(1, 2), end: at(1, 5) };
    live.manager.push({ kind: 'selection', selection: { path: '/w/a', text: 'abc', range } });
    live.tell({ kind: 'chat_context', context: { what: 'file-selected', path: '/w/a' } });
    live.tell({ kind: 'chat_context', context: { what: 'file-saved', path: '/w/a' } });
    live.tell({ kind: 'chat_context', context: { what: 'theme', theme: 'dark' } });
    expect((await agent.hears('selection_changed')).data).toEqual({
      text: 'abc',
      path: '/w/a',
      range: { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } },
    });
    expect((await agent.hears('file_selected')).data).toEqual({ path: '/w/a' });
    expect((await agent.hears('file_saved')).data).toEqual({ path: '/w/a' });
    expect((await agent.hears('set_ide_theme')).data).toEqual({ theme: 'dark' });
  });

  test('never has one id twice', async () => {
    for (let at = 0; at < 5; at += 1) live.send(String(at));
    await agent.hears('user_input', 5);
    const ids = agent.heard.map((message) => message.id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the connection', () => {
  test('comes back after a loss, and nothing that was said is lost', async () => {
    agent.say('permission_request', { id: 'p', tool: 'x' });
    await live.prompted('permission');
    const port = Number(new URL(agent.url).port);
    await agent.dispose();
    await live.eventually(() => expect(live.shown.status?.state).not.toBe('connected'));
    live.answer({ kind: 'chat_decide', option: 'once' });
    for (let at = 0; at < 120; at += 1) live.send(`text ${at}`);
    const again = await BusAgent.listen(port);
    await again.hears('user_input', 120);
    expect(again.of('permission_decision').map((message) => message.data)).toEqual([
      { id: 'p', allow: true },
    ]);
    const texts = again.of('user_input').map((message) => (message.data as { text: string }).text);
    expect(texts).toEqual(Array.from({ length: 120 }, (_, at) => `text ${at}`));
    await live.dispose();
    await again.dispose();
  });

  test('says why it waits, and tries at once when the user wants something', async () => {
    const slow = connect('ws://127.0.0.1:1', {
      ...SOON,
      wait: (_, signal) => TIMING.wait(60_000, signal),
    });
    slow.open();
    await slow.eventually(() => expect(slow.view.shown.has('it')).toBe(true));
    await slow.state('failed');
    expect(slow.shown.status?.detail).toMatch(/ECONNREFUSED.*trying again in \d+ s/u);
    await slow.dispose();
  });

  test('does not try again with a peer that speaks another protocol', async () => {
    const other = await BusAgent.listen();
    other.say = () => {};
    other.onConnect = () => other.raw('SSH-2.0-OpenSSH');
    const talk = connect(other.url);
    talk.open();
    await talk.eventually(() => expect(talk.view.shown.has('it')).toBe(true));
    await talk.state('failed');
    expect(talk.shown.status?.detail).toMatch(/^the agent speaks another protocol/u);
    expect(other.headers).toHaveLength(1);
    await talk.dispose();
    await other.dispose();
  });

  test('ends for good when the agent closes it in good order', async () => {
    agent.hangUp(1000);
    await live.state('disconnected');
    expect(agent.headers).toHaveLength(1);
    live.send('are you there?');
    await agent.hears('user_input');
    expect(agent.headers).toHaveLength(2);
  });

  test('comes back after a loss while paused', async () => {
    live.tell({ kind: 'chat_pause' });
    await live.state('paused');
    agent.hangUp();
    await live.state('connected');
    expect(agent.headers).toHaveLength(2);
  });

  test('that is lost before the greeting is tried again', async () => {
    const shy = await BusAgent.listen();
    shy.onConnect = () => {
      if (shy.headers.length < 3) shy.hangUp();
    };
    const talk = connect(shy.url);
    talk.open();
    await talk.eventually(() => expect(talk.view.shown.has('it')).toBe(true));
    await talk.state('connected');
    expect(shy.headers).toHaveLength(3);
    await talk.dispose();
    await shy.dispose();
  });

  test('takes a flood of messages, and keeps the newest', async () => {
    for (let at = 0; at < 6_000; at += 1) {
      const data = { id: `${at}`, role: 'assistant', content: `news ${at}` };
      agent.raw(JSON.stringify({ type: 'message_added', data }));
    }
    await live.eventually(() => expect(live.entries.at(-1)).toMatchObject({ text: 'news 5999' }));
    expect(live.entries).toHaveLength(5_000);
    expect(live.shown.status?.state).toBe('connected');
  });

  test('is taken as lost when the agent is silent for long', async () => {
    const mute = await BusAgent.listen();
    mute.say = () => {};
    const waiting = connect(mute.url, { ...SOON, handshakeMs: 1, pingMs: 20 });
    waiting.open();
    await waiting.eventually(() => expect(mute.headers.length).toBeGreaterThan(1));
    await waiting.dispose();
    await mute.dispose();
  });

  test('says why the session failed where the agent refuses', async () => {
    agent.hangUp(1008);
    await live.state('failed');
    expect(live.shown.status?.detail).toContain('1008');
  });
});
