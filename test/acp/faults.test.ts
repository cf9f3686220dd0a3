/** An agent that fails, in each way and at each state of a session. */
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AcpLink } from '../../src/acp/link.ts';
import { startProcess } from '../../src/platform/agent-process.ts';
import { LiveSession } from '../support/live-session.ts';
import { PROJECT, tempDir } from '../support/nvim.ts';

class Faulty extends LiveSession {
  /** What the agent writes to its standard error. */
  readonly told: string[] = [];
}

// The library tells of each broken message on the console; thousands of them are in a flood.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

const scenes: Faulty[] = [];
afterEach(async () => {
  for (const live of scenes.splice(0)) await live.dispose();
});

async function scene(fault: object): Promise<Faulty> {
  const folder = tempDir();
  const live: Faulty = new Faulty({
    folder,
    connect: (context) =>
      new AcpLink({
        context,
        recipe: {
          command: process.execPath,
          args: [path.join(PROJECT, 'test/support/acp-faulty.mjs')],
          env: { TEST_FAULT: JSON.stringify({ ...fault, counter: path.join(folder, '.count') }) },
          install: '',
          login: '',
        },
        start: (command, onError) =>
          startProcess(command, (line) => {
            live.told.push(line);
            onError(line);
          }),
        buffers: { read: async () => undefined, write: async () => {} },
        folders: () => [],
        mayRead: () => true,
        version: '0',
        cancelMs: 200,
        slowMs: 300,
      }),
  });
  scenes.push(live);
  live.open();
  await live.eventually(() => expect(live.view.shown.has('it')).toBe(true));
  return live;
}

const notices = (live: Faulty) =>
  live.entries.flatMap((entry) => (entry.kind === 'notice' ? [entry.text] : []));
const said = (live: Faulty) =>
  live.entries.flatMap((entry) => (entry.kind === 'agent' ? [entry.text] : [])).join('');

/** The session stands again, and takes what it is told. */
async function recovers(live: Faulty): Promise<void> {
  live.send('are you back?');
  await live.eventually(() => expect(said(live)).toContain('heard: are you back?'));
  await live.state('connected');
  await live.eventually(() =>
    expect(live.shown.status).toMatchObject({ busy: false, queued: 0, waiting: 0 }),
  );
  expect(live.shown.prompt).toBeUndefined();
  // What was on its way when the agent failed is either known to it or in the prompt again.
  for (const entry of live.entries) {
    if (entry.kind === 'user') expect(entry.delivery).not.toBe('queued');
    if (entry.kind === 'tool') expect(['cancelled', 'done', 'failed']).toContain(entry.state);
  }
}

const ENDS = ['killed', 'exits', 'hangs up'] as const;
const REASON = {
  killed: /SIGKILL: killed at/u,
  exits: /code 3: exits at/u,
  'hangs up': /: hangs up at/u,
} as const;

describe.each(ENDS)('an agent that %s', (fault) => {
  test.each(['start', 'initialize', 'session/new'])('at %s', async (at) => {
    const live = await scene({ fault, at });
    live.send('first');
    await live.state('failed');
    expect(live.shown.status?.detail).toMatch(REASON[fault]);
    await live.eventually(() => expect(live.shown.input).toBe('first'));
    await recovers(live);
  });

  test.each(['streaming', 'permission', 'question', 'review'])('at %s', async (at) => {
    const live = await scene({ fault, at });
    live.send(`go to ${at}`);
    live.send('and then this');
    await live.state('failed');
    expect(live.shown.status?.detail).toMatch(REASON[fault]);
    await live.eventually(() => expect(live.shown.input).toBe('and then this'));
    await recovers(live);
  });

  test('before a word on the prompt', async () => {
    const live = await scene({ fault, at: 'silent' });
    live.send('go to silent');
    live.send('and then this');
    await live.state('failed');
    await live.eventually(() => expect(live.shown.input).toBe('go to silent\nand then this'));
    expect(live.entries.filter(({ kind }) => kind === 'user')).toMatchObject([
      { delivery: 'failed' },
      { delivery: 'failed' },
    ]);
    expect(notices(live)).toContain('Not sent: the agent is gone. The text is back in the prompt.');
    await recovers(live);
  });

  test('when it is cancelled', async () => {
    const live = await scene({ fault, at: 'cancelled' });
    live.send('go to cancelled');
    await live.eventually(() => expect(said(live)).toBe('I am at it'));
    live.tell({ kind: 'chat_cancel' });
    await live.state('failed');
    await recovers(live);
  });
});

describe.each(['hung', 'floods'] as const)('an agent that is %s', (fault) => {
  test.each(['start', 'initialize', 'session/new'])('at %s is given up by cancel', async (at) => {
    const live = await scene({ fault, at });
    live.send('first');
    await live.eventually(() =>
      expect(notices(live)).toContain('The agent takes long to begin. To give it up, cancel.'),
    );
    await live.eventually(() => expect(live.told).toContain(`${fault} at ${at}`));
    live.tell({ kind: 'chat_cancel' });
    await live.state('failed');
    expect(live.shown.status?.detail).toBe('cancelled before the agent was ready');
    await live.eventually(() => expect(live.shown.input).toBe('first'));
    await recovers(live);
  });

  test.each(['silent', 'streaming', 'permission', 'question', 'review', 'cancelled'])(
    'at %s is ended by cancel',
    async (at) => {
      const live = await scene({ fault, at });
      live.send(`go to ${at}`);
      live.send('and then this');
      if (['permission', 'review'].includes(at)) await live.prompted('permission');
      else if (at === 'question') await live.prompted('form');
      else await live.eventually(() => expect(live.shown.status?.busy).toBe(true));
      await live.eventually(() => expect(live.shown.status?.queued).toBe(1));
      // The agent says it before it fails.
      if (at !== 'cancelled') {
        await live.eventually(() => expect(live.told).toContain(`${fault} at ${at}`));
      }
      live.tell({ kind: 'chat_cancel' });
      await live.eventually(() => expect(live.shown.prompt).toBeUndefined());
      // It ends the turn in time, or is ended; what waited is then with it, or in the prompt again.
      await live.eventually(() =>
        expect(live.shown.status).toMatchObject({ busy: false, queued: 0 }),
      );
      await recovers(live);
    },
  );

  test('is ended with its session', async () => {
    const live = await scene({ fault, at: 'streaming' });
    live.send('go to streaming');
    await live.eventually(() => expect(said(live)).toContain('I am at it'));
    await live.dispose();
    expect(live.view.closed).toEqual(['it']);
  });
});

test('an agent that greets people on its standard output is understood', async () => {
  const live = await scene({ banner: true });
  await recovers(live);
});
