import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BridgeError } from '../../src/core/errors.ts';
import type { Review, ReviewOutcome, ReviewRequest } from '../../src/core/reviews.ts';
import { SessionManager } from '../../src/session/manager.ts';
import type { SessionSink } from '../../src/session/ports.ts';
import type { PermissionPrompt } from '../../src/session/prompts.ts';
import { tempDir } from '../support/nvim.ts';
import { MemoryLink, MemoryView, silentLogger } from '../support/session-doubles.ts';
import { waitFor } from '../support/wait-for.ts';

interface TestReview {
  readonly request: ReviewRequest;
  readonly ends: string[];
  typed: string | undefined;
  decide(outcome: ReviewOutcome): void;
}

function setUp(options: { reviewEdits?: boolean } = {}) {
  const view = new MemoryView();
  const links: MemoryLink[] = [];
  const sinks: SessionSink[] = [];
  const reviews: TestReview[] = [];
  const reloaded: string[] = [];
  const buffers = new Map<string, string>();
  const prepare: ((link: MemoryLink) => void)[] = [];
  const manager = new SessionManager({
    view,
    logger: silentLogger,
    config: { attachmentLimit: 1000, reviewEdits: options.reviewEdits ?? true },
    editor: {
      openFile: async () => {},
      openFiles: async () => [],
      reloadFiles: async (paths) => void reloaded.push(...paths),
      mayRead: (path) => !path.endsWith('.env'),
      mayTell: (path) => !path.endsWith('.env'),
    },
    buffers: { read: async (file) => buffers.get(file), write: async () => {} },
    reviews: { open: async (request) => openReview(request, reviews), closeOwnedBy: async () => 0 },
    agents: {
      preferred: 'one',
      names: () => ['one'],
      connector: (agent) =>
        agent === 'one'
          ? ({ sink }) => {
              const link = new MemoryLink();
              for (const change of prepare) change(link);
              links.push(link);
              sinks.push(sink);
              return link;
            }
          : undefined,
    },
  });
  const open = (fields: object = {}) =>
    manager.handle({ kind: 'chat_open', folder: '/w', ...fields });
  return { manager, view, links, sinks, reviews, reloaded, buffers, prepare, open };
}

function openReview(request: ReviewRequest, reviews: TestReview[]): Review {
  let decide = (_: ReviewOutcome): void => {};
  const outcome = new Promise<ReviewOutcome>((resolve) => {
    decide = resolve;
  });
  const review: TestReview = { request, ends: [], typed: undefined, decide };
  reviews.push(review);
  return {
    id: String(reviews.length),
    request,
    openedAt: 0,
    outcome,
    text: async () => review.typed ?? request.proposal,
    close: async (end) => {
      review.ends.push(end);
      decide({ kind: 'closed', end });
    },
  };
}

const permission = (fields: Partial<PermissionPrompt> = {}): PermissionPrompt => ({
  kind: 'permission',
  title: 'Run it',
  body: [{ kind: 'code', text: 'make', syntax: 'sh' }],
  options: [
    { id: 'y', label: 'Yes', kind: 'allow-once' },
    { id: 'n', label: 'No', kind: 'reject-once' },
  ],
  ...fields,
});

const edit = permission({
  title: 'Edit a.ts',
  body: [{ kind: 'diff', path: '/w/a.ts', before: 'old', after: 'new' }],
});

type Scene = ReturnType<typeof setUp>;

let scene: Scene;
beforeEach(() => {
  scene = setUp();
});
afterEach(async () => {
  await scene.manager.dispose();
});

function only<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined) throw new Error('the list is empty');
  return first;
}

const live = (): AbortSignal => new AbortController().signal;

async function shown(at: Scene, session = 'one') {
  await waitFor(() => expect(at.view.shown.has(session)).toBe(true));
  return at.view.get(session);
}

describe('the manager', () => {
  test('opens a session with the preferred agent and shows the same one again', async () => {
    scene.open();
    await shown(scene);
    scene.open({ agent: 'one' });
    await waitFor(() => expect(scene.view.opened).toBe(2));
    expect(only(scene.links).calls).toEqual(['start']);
  });

  test('names a second session with the same agent apart', async () => {
    scene.open();
    scene.open({ fresh: true, conversation: 'c7' });
    await shown(scene, 'one-2');
    expect(scene.links.map((link) => link.calls)).toEqual([['start'], ['start c7']]);
  });

  test('tells which agents there are where one is not known', () => {
    scene.open({ agent: 'two' });
    expect(scene.view.notices).toEqual([
      'error: There is no agent two. The configuration knows: one.',
    ]);
  });

  test('ignores what is no chat command', () => {
    scene.manager.handle({ kind: 'chat_unheard_of' });
    scene.manager.handle('nonsense');
    expect(scene.view.notices).toEqual([]);
  });

  test('passes the wishes of the user to the link', async () => {
    scene.open();
    await shown(scene);
    const { calls } = only(scene.links);
    const wishes = ['chat_pause', 'chat_resume', 'chat_reset', 'chat_cancel'];
    for (const kind of wishes) scene.manager.handle({ kind, session: 'one' });
    scene.manager.handle({ kind: 'chat_switch', session: 'one', conversation: 'c1' });
    scene.manager.handle({ kind: 'chat_load', session: 'one', conversation: 'c2' });
    scene.manager.handle({ kind: 'chat_set_model', session: 'one', model: 'm' });
    scene.manager.handle({ kind: 'chat_set_mode', session: 'one', mode: 'plan' });
    const expected = ['pause', 'resume', 'reset', 'cancel', 'switch c1', 'load c2'];
    await waitFor(() => expect(calls).toEqual(['start', ...expected, 'model m', 'mode plan']));
  });

  test('gives up an agent that does not begin, before all that waits for it', async () => {
    let begin = (): void => {};
    scene.prepare.push((link) => {
      link.onStart = () =>
        new Promise((resolve) => {
          begin = resolve;
        });
    });
    scene.open();
    const { calls } = only(scene.links);
    scene.manager.handle({ kind: 'chat_set_model', session: 'one', model: 'm' });
    scene.manager.handle({ kind: 'chat_cancel', session: 'one' });
    await waitFor(() => expect(calls).toEqual(['start', 'cancel']));
    begin();
    await waitFor(() => expect(calls).toEqual(['start', 'cancel', 'model m']));
  });

  test('shows the sessions that the agent remembers', async () => {
    scene.open();
    scene.manager.handle({ kind: 'chat_list', session: 'one' });
    const view = await shown(scene);
    await waitFor(() =>
      expect(view.sessions).toEqual([{ id: 'c1', title: 'First', current: true }]),
    );
  });

  test('closes a session and frees its name', async () => {
    scene.open();
    await shown(scene);
    scene.manager.handle({ kind: 'chat_close', session: 'one' });
    await waitFor(() => expect(scene.view.closed).toEqual(['one']));
    expect(only(scene.links).calls.at(-1)).toBe('dispose');
    scene.open();
    await waitFor(() => expect(scene.links).toHaveLength(2));
  });
});

describe('what the user sends', () => {
  test('goes to the agent and is marked as sent', async () => {
    scene.open();
    const view = await shown(scene);
    scene.manager.handle({ kind: 'chat_send', session: 'one', text: 'hello' });
    await waitFor(() =>
      expect([...view.entries.values()]).toMatchObject([
        { kind: 'user', text: 'hello', delivery: 'sent' },
      ]),
    );
    expect(only(scene.links).prompts).toEqual([[{ kind: 'text', text: 'hello' }]]);
  });

  test('comes back to the prompt where the agent cannot be started', async () => {
    scene.prepare.push((link) => {
      link.onStart = () => Promise.reject(new Error('no such program'));
    });
    scene.open();
    const view = await shown(scene);
    scene.manager.handle({ kind: 'chat_send', session: 'one', text: 'hello' });
    await waitFor(() => expect(view.input).toBe('hello'));
    expect([...view.entries.values()]).toMatchObject([
      { kind: 'user', delivery: 'failed' },
      { kind: 'notice', text: 'Not sent: no such program. The text is back in the prompt.' },
    ]);
  });

  test('comes back where the session is closed before the agent has it', async () => {
    scene.prepare.push((link) => {
      link.onPrompt = () => new Promise(() => {});
    });
    scene.open();
    const view = await shown(scene);
    scene.manager.handle({ kind: 'chat_send', session: 'one', text: 'first' });
    scene.manager.handle({ kind: 'chat_send', session: 'one', text: 'second' });
    await waitFor(() => expect(view.status?.queued).toBe(2));
    scene.manager.handle({ kind: 'chat_close', session: 'one' });
    await waitFor(() => expect(scene.view.closed).toEqual(['one']));
    expect(view.input).toContain('first');
    expect(view.input).toContain('second');
  });

  test('carries files with their unsaved text, lines and a limit', async () => {
    const folder = tempDir();
    const open = path.join(folder, 'open.txt');
    const large = path.join(folder, 'large.txt');
    const binary = path.join(folder, 'binary');
    await writeFile(large, 'x'.repeat(2000));
    await writeFile(binary, Buffer.from([1, 0, 2]));
    scene.buffers.set(open, 'a\nb\nc\n');
    scene.open({ folder });
    const view = await shown(scene);
    const attachments = [{ path: open, first: 1, last: 2 }, { path: large }, { path: binary }];
    scene.manager.handle({ kind: 'chat_send', session: 'one', text: 'see', attachments });
    await waitFor(() => expect(only(scene.links).prompts).toHaveLength(1));
    expect(only(only(scene.links).prompts).slice(1)).toEqual([
      { kind: 'file', path: open, lines: { first: 1, last: 2 }, text: 'b\nc' },
      { kind: 'file', path: large },
      { kind: 'file', path: binary },
    ]);
    await waitFor(() =>
      expect([...view.entries.values()]).toMatchObject([
        { attachments: [{ label: 'open.txt:2-3' }, { label: 'large.txt' }, { label: 'binary' }] },
      ]),
    );
  });

  test('does not carry what the user keeps from agents', async () => {
    scene.open();
    const view = await shown(scene);
    const attachments = [{ path: '/w/.env' }];
    scene.manager.handle({ kind: 'chat_send', session: 'one', text: 'see', attachments });
    await waitFor(() => expect(view.input).toBe('see'));
    expect(only(scene.links).prompts).toEqual([]);
    scene.manager.push({ kind: 'file-saved', path: '/w/.env' });
    scene.manager.push({ kind: 'file-saved', path: '/w/a' });
    expect(only(scene.links).contexts).toEqual([{ kind: 'file-saved', path: '/w/a' }]);
  });

  test('starts the agent again after a failure and goes on with the conversation', async () => {
    scene.open();
    await shown(scene);
    const sink = only(scene.sinks);
    sink.update({ kind: 'about', about: { conversation: 'c9' } });
    sink.state('failed', 'it exited');
    scene.manager.handle({ kind: 'chat_send', session: 'one', text: 'again' });
    await waitFor(() => expect(only(scene.links).prompts).toHaveLength(1));
    expect(only(scene.links).calls).toEqual(['start', 'start c9']);
  });
});

describe('prompts', () => {
  test('are shown one at a time, and every one is answered', async () => {
    scene.open();
    const view = await shown(scene);
    const answers = Array.from({ length: 50 }, (_, at) =>
      only(scene.sinks).ask(permission({ title: `Run ${at}` }), live()),
    );
    for (let at = 0; at < 50; at += 1) {
      await waitFor(() => expect(view.prompt?.title).toBe(`Run ${at}`));
      await waitFor(() => expect(view.status?.waiting).toBe(50 - at));
      const option = at % 2 ? 'y' : 'n';
      scene.manager.handle({ kind: 'chat_decide', session: 'one', id: view.prompt?.id, option });
    }
    const kinds = (await Promise.all(answers)).map((answer) =>
      answer.kind === 'decided' ? answer.option.id : answer.kind,
    );
    expect(kinds).toEqual(Array.from({ length: 50 }, (_, at) => (at % 2 ? 'y' : 'n')));
  });

  test('are taken away when the agent withdraws them or another place decides', async () => {
    scene.open();
    const view = await shown(scene);
    const withdrawn = new AbortController();
    const elsewhere = new AbortController();
    const first = only(scene.sinks).ask(permission(), withdrawn.signal);
    const second = only(scene.sinks).ask(permission(), elsewhere.signal);
    await waitFor(() => expect(view.prompt?.id).toBe('p1'));
    withdrawn.abort();
    await waitFor(() => expect(view.prompt?.id).toBe('p2'));
    elsewhere.abort('elsewhere');
    expect(await first).toEqual({ kind: 'cancelled' });
    expect(await second).toEqual({ kind: 'cancelled' });
    await waitFor(() => expect(view.dismissed).toEqual(['p1 withdrawn', 'p2 elsewhere']));
  });

  test('take an answer once, and one of the options only', async () => {
    scene.open();
    const view = await shown(scene);
    const asked = only(scene.sinks).ask(permission(), live());
    await waitFor(() => expect(view.prompt).toBeDefined());
    const decide = (option: string, reason?: string) =>
      scene.manager.handle({ kind: 'chat_decide', session: 'one', id: 'p1', option, reason });
    decide('maybe');
    decide('n', 'not now');
    decide('y');
    expect(await asked).toMatchObject({ kind: 'decided', option: { id: 'n' }, reason: 'not now' });
  });

  test('end as cancelled when the session closes', async () => {
    scene.open();
    await shown(scene);
    const asked = only(scene.sinks).ask(permission(), live());
    scene.manager.handle({ kind: 'chat_close', session: 'one' });
    expect(await asked).toEqual({ kind: 'cancelled' });
  });

  test('of a form are asked again where an answer does not fit', async () => {
    scene.open();
    const view = await shown(scene);
    const asked = only(scene.sinks).ask(
      {
        kind: 'form',
        title: 'Server',
        fields: [
          { name: 'host', label: 'Host', type: 'text', required: true },
          { name: 'port', label: 'Port', type: 'integer', required: false },
        ],
      },
      live(),
    );
    await waitFor(() => expect(view.prompt).toBeDefined());
    const answer = (values: object) =>
      scene.manager.handle({ kind: 'chat_answer', session: 'one', id: 'p1', values });
    answer({ port: 'x' });
    await waitFor(() =>
      expect(view.prompt).toMatchObject({
        errors: { host: 'is needed', port: 'must be a number' },
        values: { port: 'x' },
      }),
    );
    answer({ host: 'h', port: '80' });
    expect(await asked).toEqual({ kind: 'filled', values: { host: 'h', port: 80 } });
  });

  test('of a question take values, and an empty answer declines', async () => {
    scene.open();
    await shown(scene);
    const question = { kind: 'question', title: '?', mode: 'free', options: [] } as const;
    const first = only(scene.sinks).ask(question, live());
    const second = only(scene.sinks).ask(question, live());
    scene.manager.handle({ kind: 'chat_answer', session: 'one', id: 'p1', answers: ['42'] });
    scene.manager.handle({ kind: 'chat_answer', session: 'one', id: 'p2' });
    expect(await first).toEqual({ kind: 'answered', values: ['42'] });
    expect(await second).toEqual({ kind: 'declined' });
  });
});

describe('an edit that needs a permission', () => {
  test('is decided in the review view, with what the user typed there', async () => {
    scene.open();
    const view = await shown(scene);
    const asked = only(scene.sinks).ask(edit, live());
    await waitFor(() => expect(scene.reviews).toHaveLength(1));
    expect(only(scene.reviews).request).toMatchObject({ owner: 'session one', proposal: 'new' });
    await waitFor(() => expect(view.prompt).toMatchObject({ review: true }));
    only(scene.reviews).decide({ kind: 'accepted', text: 'mine', edited: true });
    expect(await asked).toMatchObject({ option: { id: 'y' }, edited: 'mine' });
    await waitFor(() => expect(view.dismissed).toEqual(['p1 elsewhere']));
  });

  test('is rejected in the review view with a reason', async () => {
    scene.open();
    const asked = only(scene.sinks).ask(edit, live());
    await waitFor(() => expect(scene.reviews).toHaveLength(1));
    only(scene.reviews).decide({ kind: 'rejected', reason: 'no' });
    expect(await asked).toMatchObject({ option: { id: 'n' }, reason: 'no' });
  });

  test('is decided by the prompt, which closes the review and keeps what was typed', async () => {
    scene.open();
    const view = await shown(scene);
    const asked = only(scene.sinks).ask(edit, live());
    await waitFor(() => expect(scene.reviews).toHaveLength(1));
    only(scene.reviews).typed = 'mine';
    await waitFor(() => expect(view.prompt).toBeDefined());
    scene.manager.handle({ kind: 'chat_decide', session: 'one', id: 'p1', option: 'y' });
    expect(await asked).toMatchObject({ option: { id: 'y' }, edited: 'mine' });
    expect(only(scene.reviews).ends).toEqual(['decided-elsewhere']);
  });

  test('opens its review only when it is its turn', async () => {
    scene.open();
    await shown(scene);
    void only(scene.sinks).ask(permission(), live());
    void only(scene.sinks).ask(edit, live());
    scene.manager.handle({ kind: 'chat_decide', session: 'one', id: 'nothing', option: 'y' });
    await waitFor(() => expect(scene.view.get('one').status?.waiting).toBe(2));
    expect(scene.reviews).toHaveLength(0);
    scene.manager.handle({ kind: 'chat_decide', session: 'one', id: 'p1', option: 'y' });
    await waitFor(() => expect(scene.reviews).toHaveLength(1));
  });

  test('is asked by the prompt alone where the configuration says so', async () => {
    const plain = setUp({ reviewEdits: false });
    plain.open();
    const view = await shown(plain);
    const asked = only(plain.sinks).ask(edit, live());
    await waitFor(() => expect(view.prompt).toBeDefined());
    plain.manager.handle({ kind: 'chat_decide', session: 'one', id: 'p1', option: 'y' });
    expect(await asked).toMatchObject({ kind: 'decided' });
    expect(plain.reviews).toHaveLength(0);
    await plain.manager.dispose();
  });

  test('reloads the files of a finished edit', async () => {
    scene.open();
    const sink = only(scene.sinks);
    const diffs = [{ path: '/w/a.ts', before: 'old', after: 'new' }];
    sink.update({ kind: 'tool', id: 't', fields: { title: 'Edit', category: 'edit', diffs } });
    expect(scene.reloaded).toEqual([]);
    sink.update({ kind: 'tool', id: 't', fields: { state: 'done' } });
    expect(scene.reloaded).toEqual(['/w/a.ts']);
  });
});

describe('the feed of a view', () => {
  test('10,000 deltas reach it in few batches and whole', async () => {
    scene.open();
    const view = await shown(scene);
    const sink = only(scene.sinks);
    const whole = Array.from({ length: 10_000 }, (_, at) => `${at} `).join('');
    for (let at = 0; at < 10_000; at += 1) {
      sink.update({ kind: 'text', role: 'agent', text: `${at} ` });
    }
    await waitFor(() =>
      expect([...view.entries.values()]).toMatchObject([{ kind: 'agent', text: whole }]),
    );
    expect(scene.view.batches.length).toBeLessThan(20);
  });

  test('a batch that came through although the call ran out of time counts once', async () => {
    scene.open();
    const view = await shown(scene);
    let failed = 0;
    const apply = scene.view.apply.bind(scene.view);
    scene.view.apply = async (...args) => {
      await apply(...args);
      if (failed === 0) {
        failed += 1;
        throw new BridgeError('editor-busy', 'busy');
      }
    };
    only(scene.sinks).update({ kind: 'text', role: 'agent', text: 'once' });
    await waitFor(() => expect(scene.view.batches.length).toBeGreaterThan(1));
    await waitFor(() => expect([...view.entries.values()]).toMatchObject([{ text: 'once' }]));
  });

  test('a closed view gets nothing until it is shown, and then all of it', async () => {
    scene.open();
    const view = await shown(scene);
    const sink = only(scene.sinks);
    scene.view.onApply = () => {
      throw new BridgeError('not-found', 'wiped out');
    };
    sink.update({ kind: 'text', role: 'agent', text: 'unseen' });
    const asked = sink.ask(permission(), live());
    await new Promise((resolve) => setTimeout(resolve, 50));
    scene.view.onApply = () => {};
    scene.manager.handle({ kind: 'chat_show', session: 'one' });
    await waitFor(() => expect(view.prompt).toMatchObject({ id: 'p1' }));
    expect([...view.entries.values()]).toMatchObject([{ text: 'unseen' }]);
    scene.manager.handle({ kind: 'chat_decide', session: 'one', id: 'p1', option: 'y' });
    expect(await asked).toMatchObject({ kind: 'decided' });
  });

  test('a view that fails is sent all of it anew', async () => {
    scene.open();
    const view = await shown(scene);
    let fails = 1;
    scene.view.onApply = () => {
      fails -= 1;
      if (fails === 0) throw new BridgeError('editor-failed', 'a mistake');
    };
    only(scene.sinks).update({ kind: 'text', role: 'agent', text: 'again' });
    await waitFor(() => expect([...view.entries.values()]).toMatchObject([{ text: 'again' }]));
    expect(scene.view.opened).toBe(2);
  });
});
