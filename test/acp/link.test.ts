import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AcpLink } from '../../src/acp/link.ts';
import { utf16Column } from '../../src/core/positions.ts';
import { startProcess } from '../../src/platform/agent-process.ts';
import type { BufferPort } from '../../src/session/ports.ts';
import { LiveSession } from '../support/live-session.ts';
import { PROJECT, tempDir } from '../support/nvim.ts';

interface Scene {
  readonly live: LiveSession;
  readonly folder: string;
  /** Files that the editor has open, with their text. */
  readonly open: Map<string, string>;
  readonly written: string[];
  file(name: string, text?: string): string;
  play(...steps: object[]): void;
  text(): string;
}

interface Traits {
  readonly [trait: string]: unknown;
}

const scenes: LiveSession[] = [];

function scene(traits: Traits = {}, mode?: string, cancelMs?: number): Scene {
  const folder = tempDir();
  const open = new Map<string, string>();
  const written: string[] = [];
  const buffers: BufferPort = {
    read: async (file) => open.get(file),
    write: async (file, text) => {
      written.push(file);
      open.set(file, text);
      writeFileSync(file, text);
    },
  };
  const live = new LiveSession({
    folder,
    buffers,
    connect: (context) =>
      new AcpLink({
        context,
        recipe: {
          command: process.execPath,
          args: [path.join(PROJECT, 'test/support/acp-agent.mjs')],
          env: { TEST_AGENT: JSON.stringify(traits) },
          install: 'nothing to do',
          login: 'Run it once.',
          ...(mode !== undefined && { mode }),
        },
        start: startProcess,
        buffers,
        folders: () => [],
        mayRead: (file) => !file.endsWith('.env'),
        version: '1.2.3',
        ...(cancelMs !== undefined && { cancelMs }),
      }),
  });
  scenes.push(live);
  return {
    live,
    folder,
    open,
    written,
    file: (name, text) => {
      const file = path.join(folder, name);
      if (text !== undefined) writeFileSync(file, text);
      return file;
    },
    play: (...steps) => live.send(JSON.stringify(steps)),
    text: () => live.entries.map((entry) => (entry.kind === 'agent' ? entry.text : '')).join(''),
  };
}

async function started(traits: Traits = {}, mode?: string, cancelMs?: number): Promise<Scene> {
  const made = scene(traits, mode, cancelMs);
  made.live.open();
  await made.live.eventually(() => expect(made.live.view.shown.has('it')).toBe(true));
  await made.live.state('connected');
  return made;
}

async function idle({ live }: Scene): Promise<void> {
  await live.eventually(() => {
    const said = live.entries.findLast((entry) => entry.kind === 'user');
    expect(said).toMatchObject({ delivery: 'sent' });
    expect(live.shown.status).toMatchObject({ busy: false, queued: 0 });
  });
}

afterEach(async () => {
  for (const live of scenes.splice(0)) await live.dispose();
});

const chunk = (sessionUpdate: string, text: string, messageId?: string) => ({
  update: { sessionUpdate, content: { type: 'text', text }, ...(messageId && { messageId }) },
});

const options = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Once', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

describe('a session', () => {
  test('begins, with modes, models, commands and abilities', async () => {
    const { live } = await started();
    expect(live.shown.status).toMatchObject({
      detail: 'Scripted',
      model: 'small',
      mode: 'auto',
      conversation: expect.stringMatching(/^s\d+-1$/u),
      abilities: { pause: false, reset: true, list: true, load: true, images: true },
    });
    await live.eventually(() =>
      expect(live.shown.choices).toEqual({
        models: [
          { id: 'small', label: 'Small' },
          { id: 'large', label: 'Large' },
        ],
        modes: [
          { id: 'auto', label: 'Auto' },
          { id: 'default', label: 'Ask', description: 'asks before edits' },
        ],
        commands: [{ name: 'init', description: 'sets up', hint: 'where' }],
      }),
    );
  });

  test('begins in the mode of the recipe', async () => {
    const { live } = await started({}, 'default');
    await live.eventually(() => expect(live.shown.status?.mode).toBe('default'));
  });

  test.each([{}, { models: true }])('sets model and mode: %s', async (traits) => {
    const { live } = await started(traits);
    live.tell({ kind: 'chat_set_model', model: 'large' });
    live.tell({ kind: 'chat_set_mode', mode: 'default' });
    await live.eventually(() =>
      expect(live.shown.status).toMatchObject({ model: 'large', mode: 'default' }),
    );
    expect(live.view.notices).toEqual([]);
  });

  test('asks how to sign in where the agent wants to know', async () => {
    const { live } = scene({ signIn: true });
    live.open();
    await live.eventually(() => expect(live.view.shown.has('it')).toBe(true));
    expect(await live.prompted('question')).toMatchObject({ options: [{ value: 'key' }] });
    live.answer({ kind: 'chat_answer', answers: ['key'] });
    await live.state('connected');
  });

  test('lists, loads, switches and begins anew', async () => {
    const it = await started();
    const { live } = it;
    live.tell({ kind: 'chat_list' });
    await live.eventually(() =>
      expect(live.shown.sessions).toEqual([
        {
          id: 'c1',
          title: 'First',
          folder: it.folder,
          updated: '2026-01-02T03:04:05Z',
          current: false,
        },
        { id: 'c2', title: 'c2', folder: it.folder, current: false },
      ]),
    );
    live.tell({ kind: 'chat_load', conversation: 'c1' });
    await live.eventually(() =>
      expect(live.entries).toMatchObject([
        { kind: 'user', text: 'what I said' },
        { kind: 'agent', text: 'what it answered', streaming: false },
      ]),
    );
    expect(live.shown.status).toMatchObject({ conversation: 'c1', busy: false });
    live.tell({ kind: 'chat_switch', conversation: 'c2' });
    await live.eventually(() => expect(live.shown.status?.conversation).toBe('c2'));
    expect(live.entries).toEqual([]);
    live.send('one');
    await live.eventually(() => expect(it.text()).toBe('heard: one'));
    live.tell({ kind: 'chat_reset' });
    await live.eventually(() => expect(live.entries).toEqual([]));
    expect(live.shown.status?.conversation).toMatch(/-2$/u);
  });

  test('goes on with a conversation that is asked for, or with a new one', async () => {
    const known = scene();
    known.live.open({ conversation: 'c1' });
    await known.live.eventually(() => expect(known.live.view.shown.has('it')).toBe(true));
    await known.live.eventually(() =>
      expect(known.live.entries).toMatchObject([{ text: 'what I said' }, {}]),
    );
    const lost = scene();
    lost.live.open({ conversation: 'lost' });
    await lost.live.eventually(() => expect(lost.live.view.shown.has('it')).toBe(true));
    await lost.live.state('connected');
    await lost.live.eventually(() =>
      expect(lost.live.entries.at(-1)).toMatchObject({ kind: 'notice', level: 'warn' }),
    );
  });

  test('says what an agent cannot do', async () => {
    const { live } = await started({ forgetful: true });
    live.tell({ kind: 'chat_list' });
    live.tell({ kind: 'chat_load', conversation: 'c1' });
    live.tell({ kind: 'chat_pause' });
    await live.eventually(() => expect(live.view.notices).toHaveLength(3));
    expect(live.view.notices).toContain(
      'error: it: cannot list its sessions: it keeps no list of its sessions',
    );
  });
});

describe('a turn', () => {
  let it: Scene;
  beforeEach(async () => {
    it = await started();
  });

  test('streams messages, thoughts, plans and tool calls', async () => {
    it.play(
      chunk('agent_thought_chunk', 'hm', 'a'),
      chunk('agent_thought_chunk', '…', 'a'),
      chunk('agent_message_chunk', 'I ', 'b'),
      chunk('agent_message_chunk', 'see', 'b'),
      {
        update: {
          sessionUpdate: 'plan',
          entries: [{ content: 'look', priority: 'high', status: 'in_progress' }],
        },
      },
      {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: 't',
          title: 'make',
          kind: 'execute',
          status: 'in_progress',
          rawInput: { command: 'make' },
          locations: [{ path: '/w/Makefile', line: 3 }],
        },
      },
      {
        update: {
          sessionUpdate: 'tool_call_update',
          toolCallId: 't',
          content: [{ type: 'content', content: { type: 'text', text: 'cc' } }],
        },
      },
      {
        update: {
          sessionUpdate: 'tool_call_update',
          toolCallId: 't',
          status: 'completed',
          content: [
            { type: 'content', content: { type: 'text', text: 'cc a.c' } },
            { type: 'diff', path: '/w/a.c', oldText: 'a', newText: 'b' },
          ],
        },
      },
      {
        update: {
          sessionUpdate: 'plan',
          entries: [{ content: 'look', priority: 'high', status: 'completed' }],
        },
      },
      { stop: 'end_turn' },
    );
    await it.live.eventually(() =>
      expect(it.live.entries.slice(1)).toEqual([
        { id: 'thought a', kind: 'thought', text: 'hm…', streaming: false },
        { id: 'agent b', kind: 'agent', text: 'I see', streaming: false },
        {
          id: expect.any(String),
          kind: 'plan',
          items: [{ text: 'look', state: 'done', priority: 'high' }],
        },
        {
          id: 'tool t',
          kind: 'tool',
          title: 'make',
          category: 'execute',
          state: 'done',
          input: 'make',
          syntax: 'sh',
          output: 'cc a.c',
          diffs: [{ path: '/w/a.c', before: 'a', after: 'b' }],
          locations: [{ path: '/w/Makefile', line: 2 }],
        },
      ]),
    );
    expect(it.live.shown.status).toMatchObject({ busy: false, tokens: { used: 42 } });
    expect(it.live.reloaded).toEqual(['/w/a.c']);
  });

  test('tells of usage, titles, modes, notices and compaction', async () => {
    it.play(
      {
        update: {
          sessionUpdate: 'usage_update',
          used: 10,
          size: 100,
          cost: { amount: 0.5, currency: 'EUR' },
        },
      },
      { update: { sessionUpdate: 'session_info_update', title: 'A title' } },
      { update: { sessionUpdate: 'current_mode_update', currentModeId: 'default' } },
      { update: { sessionUpdate: 'notice', severity: 'warning', title: 'Slow' } },
      { update: { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed' } },
      { update: { sessionUpdate: 'never_heard_of', x: 1 } },
      { stop: 'refusal' },
    );
    await it.live.eventually(() =>
      expect(it.live.entries.slice(1)).toMatchObject([
        { kind: 'notice', level: 'warn', text: 'Slow' },
        { kind: 'tool', title: 'Compact the conversation', state: 'done' },
        { kind: 'notice', text: 'The agent refuses to go on.' },
      ]),
    );
    expect(it.live.shown.status).toMatchObject({
      tokens: { used: 42 },
      cost: { amount: 0.5, currency: 'EUR' },
      title: 'A title',
      mode: 'default',
    });
  });

  test('is one at a time, and what is typed meanwhile waits', async () => {
    it.play({ untilCancelled: true });
    it.live.send('second');
    await it.live.eventually(() =>
      expect(it.live.shown.status).toMatchObject({ busy: true, queued: 1 }),
    );
    it.live.tell({ kind: 'chat_cancel' });
    await it.live.eventually(() => expect(it.text()).toBe('heard: second'));
  });

  test('carries images to an agent that takes them, with the first prompt too', async () => {
    const fresh = scene();
    const image = fresh.file('a.png', 'picture');
    fresh.live.open();
    fresh.live.send('look', [{ path: image }]);
    await fresh.live.eventually(() => expect(fresh.text()).toContain('heard: look'));
    const data = Buffer.from('picture').toString('base64');
    expect(fresh.text()).toContain(`"data":"${data}"`);
    expect(fresh.text()).toContain('"mimeType":"image/png"');
  });

  test('carries files and the selection as the agent takes them', async () => {
    const file = it.file('a.ts', 'one\ntwo\n');
    const at = (line: number) => ({ line, character: utf16Column(0) });
    const range = { start: at(0), end: at(1) };
    it.live.manager.push({ kind: 'selection', selection: { path: file, text: 'one\n', range } });
    const wrong = { message: 'no such name', severity: 'error', range, source: 'tsc' } as const;
    it.live.manager.push({ kind: 'diagnostics', path: file, diagnostics: [wrong] });
    it.live.send('see', [{ path: file }]);
    await it.live.eventually(() => expect(it.text()).toContain('heard: see'));
    const uri = `file://${file}`;
    expect(it.text()).toContain(
      JSON.stringify({ resource: { text: 'one\ntwo\n', uri }, type: 'resource' }),
    );
    expect(it.text()).toContain(
      JSON.stringify({ resource: { text: 'one\n', uri: `${uri}#L1-1` }, type: 'resource' }),
    );
    expect(it.text()).toContain(`Diagnostics in ${file}:\n- line 1, error: no such name (tsc)`);
    expect(it.live.entries[1]).toMatchObject({
      kind: 'attachment',
      attachment: { label: `${file}:1-1` },
    });
  });

  test('10,000 chunks reach the view whole', async () => {
    it.play({ flood: 10_000 });
    const whole = Array.from({ length: 10_000 }, (_, at) => `${at} `).join('');
    await it.live.eventually(() => expect(it.text()).toBe(whole), 25_000);
    expect(it.live.view.batches.length).toBeLessThan(2_000);
  });
});

describe('permission', () => {
  let it: Scene;
  beforeEach(async () => {
    it = await started();
  });

  const command = {
    permission: {
      toolCall: {
        toolCallId: 't',
        title: 'rm a',
        kind: 'execute',
        rawInput: { command: 'rm a' },
      },
      options,
    },
  };

  test('is asked with the command in full and answered with the option', async () => {
    it.play(command);
    expect(await it.live.prompted('permission')).toMatchObject({
      title: 'rm a',
      body: [{ kind: 'code', text: 'rm a', syntax: 'sh' }],
      options: [
        { id: 'always', label: 'Always', kind: 'allow-always' },
        { id: 'once', label: 'Once', kind: 'allow-once' },
        { id: 'no', label: 'No', kind: 'reject-once' },
      ],
    });
    it.live.answer({ kind: 'chat_decide', option: 'always' });
    await it.live.eventually(() =>
      expect(it.text()).toBe('{"outcome":{"outcome":"selected","optionId":"always"}}\n'),
    );
  });

  const toolNow = () => it.live.entries.find((entry) => entry.kind === 'tool');
  const completed = {
    update: { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' },
  };

  test('once given, its tool runs; an agent need not say so', async () => {
    it.play(command, { untilCancelled: true });
    await it.live.prompted('permission');
    expect(toolNow()).toMatchObject({ state: 'pending' });
    it.live.answer({ kind: 'chat_decide', option: 'once' });
    await it.live.eventually(() => expect(toolNow()).toMatchObject({ state: 'running' }));
  });

  test('a tool whose output is all in a fence shows it without', async () => {
    const content = [
      { type: 'content', content: { type: 'text', text: '```console\nrow 1\nrow 2\n```' } },
    ];
    const toolCallId = 'f';
    it.play(
      { update: { sessionUpdate: 'tool_call', toolCallId, title: 'run' } },
      {
        update: { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content },
      },
    );
    await idle(it);
    expect(toolNow()).toMatchObject({ state: 'done', output: 'row 1\nrow 2' });
  });

  test('once refused, its tool is not done, whatever the agent says', async () => {
    it.play(command, completed);
    await it.live.prompted('permission');
    it.live.answer({ kind: 'chat_decide', option: 'no' });
    await idle(it);
    expect(toolNow()).toMatchObject({ state: 'failed', error: 'you said no' });
  });

  test('is refused with a reason, which the agent is told after the turn', async () => {
    it.play(command);
    await it.live.prompted('permission');
    it.live.answer({ kind: 'chat_decide', option: 'no', reason: 'keep it' });
    await it.live.eventually(() =>
      expect(it.text()).toBe(
        '{"outcome":{"outcome":"selected","optionId":"no"}}\nheard: I rejected “rm a”: keep it',
      ),
    );
    expect(it.live.entries).toMatchObject([
      { kind: 'user' },
      { kind: 'tool' },
      { kind: 'agent' },
      { kind: 'user', text: 'I rejected “rm a”: keep it', delivery: 'sent' },
      { kind: 'agent' },
    ]);
  });

  test('goes away with a cancelled turn', async () => {
    it.play(command, { untilCancelled: true });
    await it.live.prompted('permission');
    it.live.tell({ kind: 'chat_cancel' });
    await it.live.eventually(() => expect(it.live.shown.prompt).toBeUndefined());
    await it.live.eventually(() => expect(it.text()).toBe('{"outcome":{"outcome":"cancelled"}}\n'));
    await idle(it);
    expect(it.live.entries).toContainEqual(expect.objectContaining({ state: 'cancelled' }));
  });

  test('for a plan shows the plan', async () => {
    it.play({
      permission: {
        toolCall: {
          toolCallId: 'p',
          title: 'Ready to code?',
          kind: 'switch_mode',
          content: [{ type: 'content', content: { type: 'text', text: '# Plan' } }],
        },
        options,
      },
    });
    expect(await it.live.prompted('plan')).toMatchObject({ text: '# Plan' });
    it.live.answer({ kind: 'chat_decide', option: 'once' });
    await it.live.eventually(() => expect(it.text()).toContain('"optionId":"once"'));
  });
});

describe('an edit', () => {
  let it: Scene;
  beforeEach(async () => {
    it = await started();
  });

  const ask = (file: string, oldText: string | null, newText: string) => ({
    permission: {
      toolCall: {
        toolCallId: 'e',
        title: 'Edit',
        kind: 'edit',
        content: [{ type: 'diff', path: file, oldText, newText }],
      },
      options,
    },
  });
  const done = {
    update: { sessionUpdate: 'tool_call_update', toolCallId: 'e', status: 'completed' },
  };

  async function review(at = 0) {
    await it.live.eventually(() => expect(it.live.reviews.length).toBeGreaterThan(at));
    const opened = it.live.reviews[at];
    if (!opened) throw new Error('no review');
    return opened;
  }

  test('is reviewed as a whole, accepted, and written through the editor', async () => {
    const file = it.file('a.ts', 'old');
    it.play(ask(file, 'old', 'new'), { write: { path: file, content: 'new' } });
    const { request, decide } = await review();
    expect(request).toMatchObject({ oldPath: file, proposal: 'new', editable: true });
    decide({ kind: 'accepted', text: 'new', edited: false });
    await idle(it);
    expect(it.written).toEqual([file]);
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(it.text()).toBe('{"outcome":{"outcome":"selected","optionId":"once"}}\n{}\n');
  });

  test('that shows a part of a file is reviewed as the whole file', async () => {
    const file = it.file('a.ts', 'one\nold\nthree\n');
    it.open.set(file, 'one\nold\nunsaved\n');
    it.play(ask(file, 'old', 'new'));
    expect((await review()).request.proposal).toBe('one\nnew\nunsaved\n');
  });

  test('of a part that cannot be told apart is asked for in the prompt alone', async () => {
    const file = it.file('a.ts', 'x x');
    it.play(ask(file, 'x', 'y'));
    expect(await it.live.prompted('permission')).toMatchObject({
      body: [{ kind: 'diff', path: file, before: 'x', after: 'y', part: true }],
    });
    expect(it.live.reviews).toEqual([]);
  });

  test('that the user has changed is written so, and the agent is told', async () => {
    const file = it.file('a.ts', 'old');
    it.play(ask(file, 'old', 'new'), { write: { path: file, content: 'new' } });
    (await review()).decide({ kind: 'accepted', text: 'mine', edited: true });
    await idle(it);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    it.live.send('next');
    await it.live.eventually(() =>
      expect(it.text()).toContain(`(I changed your edit of ${file} before I accepted it`),
    );
  });

  test('that the user has changed replaces what the agent wrote by itself', async () => {
    const file = it.file('a.ts', 'old');
    it.play(ask(file, 'old', 'new'), { file: { path: file, content: 'new' } }, done);
    (await review()).decide({ kind: 'accepted', text: 'mine', edited: true });
    await it.live.eventually(() => expect(readFileSync(file, 'utf8')).toBe('mine'));
  });

  test('that the user has changed is offered again where the agent wrote something else', async () => {
    const file = it.file('a.ts', 'old');
    it.play(ask(file, 'old', 'new'), { file: { path: file, content: 'other' } }, done);
    (await review()).decide({ kind: 'accepted', text: 'mine', edited: true });
    const again = await review(1);
    expect(again.request.proposal).toBe('mine');
    again.decide({ kind: 'accepted', text: 'mine', edited: false });
    await it.live.eventually(() => expect(readFileSync(file, 'utf8')).toBe('mine'));
  });

  test('is rejected, and the file is left alone', async () => {
    const file = it.file('a.ts', 'old');
    it.play(ask(file, 'old', 'new'));
    (await review()).decide({ kind: 'rejected' });
    await it.live.eventually(() => expect(it.text()).toContain('"optionId":"no"'));
    expect(readFileSync(file, 'utf8')).toBe('old');
  });
});

describe('files', () => {
  let it: Scene;
  beforeEach(async () => {
    it = await started();
  });

  test('are read as the editor has them, whole or by lines', async () => {
    const file = it.file('a.ts', 'saved');
    it.open.set(file, 'one\ntwo\nthree');
    const other = it.file('b.ts', 'on disk');
    it.play(
      { read: { path: file } },
      { read: { path: file, line: 2, limit: 1 } },
      { read: { path: other } },
    );
    await it.live.eventually(() =>
      expect(it.text()).toBe(
        '{"content":"one\\ntwo\\nthree"}\n{"content":"two"}\n{"content":"on disk"}\n',
      ),
    );
  });

  test('that do not exist are told of as such, and may be written', async () => {
    const file = it.file('new/a.ts');
    mkdirSync(path.dirname(file));
    it.play({ read: { path: file } }, { write: { path: file, content: 'made' } });
    await idle(it);
    expect(it.text()).toMatch(/Resource not found/u);
    expect(readFileSync(file, 'utf8')).toBe('made');
  });

  test('outside of the workspace are neither read nor written, also by way of a link', async () => {
    const outside = tempDir();
    const secret = path.join(outside, 'secret');
    writeFileSync(secret, 'secret');
    symlinkSync(outside, it.file('link'));
    const through = path.join(it.folder, 'link', 'secret');
    const made = path.join(it.folder, 'link', 'made');
    const kept = it.file('.env', 'secret');
    it.play(
      { read: { path: secret } },
      { read: { path: through } },
      { read: { path: `${it.folder}/../${path.basename(outside)}/secret` } },
      { read: { path: 'relative' } },
      { write: { path: through, content: 'x' } },
      { write: { path: made, content: 'x' } },
      { read: { path: kept } },
    );
    await idle(it);
    const answers = it.text().trim().split('\n');
    expect(answers).toHaveLength(7);
    for (const answer of answers) expect(answer).toMatch(/^\{"error":/u);
    expect(it.written).toEqual([]);
    expect(readFileSync(secret, 'utf8')).toBe('secret');
    expect(existsSync(made)).toBe(false);
  });
});

describe('questions of an agent', () => {
  test('are forms', async () => {
    const it = await started();
    const requestedSchema = {
      type: 'object',
      properties: { name: { type: 'string' }, size: { type: 'string', enum: ['s', 'l'] } },
      required: ['name'],
    };
    const elicit = { mode: 'form', message: 'Who?', requestedSchema };
    it.play(
      { elicit },
      { elicit },
      { elicit: { mode: 'url', message: 'Go', url: 'https://x', elicitationId: 'u' } },
    );
    expect(await it.live.prompted('form')).toMatchObject({
      title: 'Who?',
      fields: [
        { name: 'name', type: 'text' },
        { name: 'size', type: 'choice' },
      ],
    });
    it.live.answer({ kind: 'chat_answer', values: { name: 'me', size: 'l' } });
    await it.live.prompted('form');
    it.live.answer({ kind: 'chat_answer' });
    expect(await it.live.prompted('form')).toMatchObject({ url: 'https://x' });
    it.live.answer({ kind: 'chat_answer', values: {} });
    await it.live.eventually(() =>
      expect(it.text().trim().split('\n')).toEqual([
        '{"action":"accept","content":{"name":"me","size":"l"}}',
        '{"action":"decline"}',
        '{"action":"accept","content":{}}',
      ]),
    );
  });
});

describe('an agent that fails', () => {
  test('at its start says why', async () => {
    const { live } = scene({ exitAtOnce: true });
    live.open();
    await live.eventually(() => expect(live.view.shown.has('it')).toBe(true));
    await live.state('failed');
    expect(live.shown.status?.detail).toMatch(/exited with code 7: no key is set$/u);
    live.send('hello');
    await live.eventually(() => expect(live.shown.input).toBe('hello'));
  });

  test('speaks another version and is told so', async () => {
    const { live } = scene({ version: 9 });
    live.open();
    await live.eventually(() => expect(live.view.shown.has('it')).toBe(true));
    await live.state('failed');
    expect(live.shown.status?.detail).toContain('version 9');
  });

  test('in a turn says why, and goes on with the conversation when it is spoken to', async () => {
    const it = await started();
    const before = it.live.shown.status?.conversation;
    it.play(chunk('agent_message_chunk', 'so far'), { exit: 3 });
    await it.live.state('failed');
    expect(it.live.shown.status).toMatchObject({ busy: false });
    expect(it.live.shown.status?.detail).toMatch(/exited with code 3: out of memory$/u);
    expect(it.text()).toBe('so far');
    it.live.send('again');
    await it.live.state('connected');
    await it.live.eventually(() => expect(it.text()).toBe('so farheard: again'));
    expect(it.live.shown.status?.conversation).toBe(before);
    expect(it.live.entries.filter((entry) => entry.kind === 'notice')).toEqual([
      expect.objectContaining({ level: 'error', text: expect.stringMatching(/out of memory$/u) }),
    ]);
  });

  test('a session that the user closes in a turn tells of no error', async () => {
    const it = await started();
    it.play({ untilCancelled: 'never' });
    await it.live.eventually(() => expect(it.live.shown.status?.busy).toBe(true));
    it.live.tell({ kind: 'chat_close' });
    await it.live.manager.dispose();
    expect(it.live.view.closed).toEqual(['it']);
    expect(it.live.entries.filter((entry) => entry.kind === 'notice')).toEqual([]);
    expect(it.live.view.notices).toEqual([]);
  });

  test('while it asks takes its questions along', async () => {
    const it = await started();
    const file = it.file('a.ts', 'old');
    const content = [{ type: 'diff', path: file, oldText: 'old', newText: 'new' }];
    const toolCall = { toolCallId: 'e', title: 'Edit', kind: 'edit', content };
    it.play({ permission: { toolCall, options } });
    await it.live.prompted('permission');
    process.kill(
      Number(/^s(\d+)-/u.exec(it.live.shown.status?.conversation ?? '')?.[1]),
      'SIGKILL',
    );
    await it.live.state('failed');
    expect(it.live.shown.status?.detail).toContain('SIGKILL');
    await it.live.eventually(() => expect(it.live.shown.prompt).toBeUndefined());
    expect(it.live.entries).toContainEqual(
      expect.objectContaining({ kind: 'tool', state: 'cancelled' }),
    );
  });

  test('while texts wait gives them back', async () => {
    const it = await started();
    it.play(chunk('agent_message_chunk', 'I am at it'), { untilCancelled: true });
    it.live.send('second');
    it.live.send('third');
    await it.live.eventually(() => expect(it.text()).toBe('I am at it'));
    await it.live.eventually(() => expect(it.live.shown.status?.queued).toBe(2));
    process.kill(
      Number(/^s(\d+)-/u.exec(it.live.shown.status?.conversation ?? '')?.[1]),
      'SIGKILL',
    );
    await it.live.eventually(() => expect(it.live.shown.input).toBe('second\nthird'));
    expect(it.text()).toBe('I am at it');
  });

  test('to stop when it is cancelled is ended', async () => {
    const it = await started({}, undefined, 50);
    it.play({ untilCancelled: 'never' });
    await it.live.eventually(() => expect(it.live.shown.status?.busy).toBe(true));
    it.live.tell({ kind: 'chat_cancel' });
    await it.live.state('failed');
    expect(it.live.shown.status?.detail).toBe('it did not stop when it was cancelled');
    it.live.send('back');
    await it.live.eventually(() => expect(it.text()).toBe('heard: back'));
  });

  test('to speak the protocol for a line costs that line only', async () => {
    const it = await started();
    it.play(
      { stdout: 'Debugger attached.' },
      { stdout: '{"x":' },
      chunk('agent_message_chunk', 'fine'),
    );
    await it.live.eventually(() => expect(it.text()).toBe('fine'));
  });
});
