/** A sid-code that hangs, at each state of a session. */
import process from 'node:process';
import { afterEach, describe, expect, test } from 'vitest';
import { startProcess } from '../../src/platform/agent-process.ts';
import type { SidBridgeLinkOptions } from '../../src/sid-bridge/link.ts';
import type { LiveSession } from '../support/live-session.ts';
import { SidCode, type SidStage, sidCodeChild, sidStage } from '../support/sid-code-bridge.ts';
import { waitFor } from '../support/wait-for.ts';

const owned: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const dispose of owned.splice(0).reverse()) await dispose();
});

async function opened(options: Partial<SidBridgeLinkOptions> = {}): Promise<SidStage> {
  const stage = sidStage({ pingMs: 150, slowMs: 300, ...options });
  owned.push(() => stage.live.dispose());
  stage.live.open();
  await waitFor(() => expect(stage.url).not.toBe(''));
  await stage.live.eventually(() => expect(stage.live.view.shown.has('it')).toBe(true));
  return stage;
}

async function meeting(): Promise<{ stage: SidStage; live: LiveSession; sid: SidCode }> {
  const stage = await opened();
  const sid = new SidCode();
  await sid.call(stage.url);
  await stage.live.state('connected');
  return { stage, live: stage.live, sid };
}

const notices = (live: LiveSession) =>
  live.entries.flatMap((entry) => (entry.kind === 'notice' ? [entry.text] : []));

/** The session says that it is away, and nothing hangs on it any more. */
async function missed(live: LiveSession): Promise<void> {
  await live.eventually(() =>
    expect(notices(live).at(-1)).toMatch(/^sid-code has not answered for a while\./u),
  );
  await live.state('connecting');
  await live.eventually(() => {
    expect(live.shown.status).toMatchObject({ busy: false, waiting: 0 });
    expect(live.shown.prompt).toBeUndefined();
  });
}

/** It goes on, sees that its line was cut, and calls again. */
async function returns({ stage, live, sid }: Awaited<ReturnType<typeof meeting>>): Promise<void> {
  await sid.wakes();
  sid.answers = true;
  await sid.call(stage.url);
  await live.state('connected');
}

const delivery = (live: LiveSession) =>
  live.entries.flatMap((entry) => (entry.kind === 'user' ? [entry.delivery] : []));

describe('a sid-code that hangs', () => {
  test('before its first word is waited for, and gets what was said', async () => {
    const stage = await opened();
    const { live } = stage;
    const sid = new SidCode();
    sid.answers = false;
    await sid.call(stage.url);
    await live.state('handshaking');
    live.send('are you there?');
    await missed(live);
    await returns({ stage, live, sid });
    await live.eventually(() => expect(delivery(live)).toEqual(['sent']));
    expect(sid.texts).toEqual(['are you there?']);
  });

  test('before it reads a text gets it once, and what was said after it', async () => {
    const scene = await meeting();
    const { live, sid } = scene;
    sid.hang();
    live.send('one');
    live.send('two');
    await missed(live);
    expect(delivery(live)).toEqual(['queued', 'queued']);
    expect(live.shown.status?.queued).toBe(2);
    await returns(scene);
    await live.eventually(() => expect(delivery(live)).toEqual(['sent', 'sent']));
    expect(sid.texts).toEqual(['one', 'two']);
  });

  test('after it has read a text takes it once', async () => {
    const scene = await meeting();
    const { live, sid } = scene;
    sid.answers = false;
    live.send('one');
    await sid.hears('user_message');
    await missed(live);
    await returns(scene);
    await live.eventually(() => expect(delivery(live)).toEqual(['sent']));
    expect(sid.texts).toEqual(['one']);
    expect(sid.repeated).toBe(1);
    // It is done with it, or not: it will say so.
    expect(live.shown.status?.busy).toBe(false);
  });

  test('in a turn is at work again when it says more', async () => {
    const scene = await meeting();
    const { live, sid } = scene;
    live.send('work');
    await live.eventually(() => expect(delivery(live)).toEqual(['sent']));
    sid.say('tool_use', { toolName: 'bash', input: { command: 'make' } });
    sid.say('permission_request', { toolName: 'bash' }, 'p');
    await live.prompted('permission');
    sid.hang();
    await missed(live);
    const tool = live.entries.find(({ kind }) => kind === 'tool');
    expect(tool).toMatchObject({ state: 'cancelled' });
    await returns(scene);
    sid.say('text', { text: 'Where was I?' });
    await live.eventually(() => expect(live.shown.status?.busy).toBe(true));
    sid.say('status', { status: 'turn_complete' });
    await live.eventually(() => expect(live.shown.status?.busy).toBe(false));
    expect(sid.texts).toEqual(['work']);
  });

  test('with an answer and an abort on their way gets both', async () => {
    const scene = await meeting();
    const { live, sid } = scene;
    sid.say('permission_request', { toolName: 'bash' }, 'p');
    await live.prompted('permission');
    sid.hang();
    live.answer({ kind: 'chat_decide', option: 'yes' });
    live.tell({ kind: 'chat_cancel' });
    await missed(live);
    await returns(scene);
    await sid.hears('control');
    expect(sid.heard.map(({ type }) => type)).toEqual(['permission_response', 'control']);
  });

  test('gets what it has not read when the session is closed: nothing, and the user has it', async () => {
    const { live, sid } = await meeting();
    sid.hang();
    live.send('keep this');
    await live.eventually(() => expect(live.shown.status?.queued).toBe(1));
    await live.dispose();
    expect(live.shown.input).toBe('keep this');
  });
});

describe('a sid-code that is there', () => {
  test('and silent is no trouble as long as it answers pings', async () => {
    const { live, sid } = await meeting();
    sid.say('text', { text: 'thinking' });
    await sid.pinged(10);
    expect(live.shown.status?.state).toBe('connected');
    expect(notices(live).join()).not.toContain('not answered');
  });

  test('and answers no pings is heard by its own beat', async () => {
    const { live, sid } = await meeting();
    sid.answers = false;
    live.send('one');
    live.send('two');
    await live.eventually(() => {
      sid.beat();
      expect(delivery(live)).toEqual(['sent', 'sent']);
    });
    expect(sid.texts).toEqual(['one', 'two']);
    expect(sid.repeated).toBe(0);
    expect(live.shown.status?.state).toBe('connected');
  });
});

describe('a sid-code that this editor has started', () => {
  test.each([
    ['start', 'sid-code was started and has not called yet. To give it up, cancel.'],
    ['call', 'sid-code has not answered for a while.'],
    ['text', 'sid-code has not answered for a while.'],
  ] as const)('and hangs at its %s is given up by cancel', async (at, told) => {
    const launch = sidCodeChild({ at, fault: 'hangs' });
    const { live } = await opened({ launch, pingMs: 700 });
    live.send('first');
    await live.eventually(() => expect(launch.told).toContain(`hangs at ${at}`), 20_000);
    await live.eventually(() => expect(notices(live).join()).toContain(told), 20_000);
    live.tell({ kind: 'chat_cancel' });
    await live.state('failed');
    await live.eventually(() => expect(live.shown.input).toBe('first'));
    expect(live.shown.status?.detail).toBe('sid-code could not be reached and was ended');
    await live.eventually(() => expect(delivery(live)).toEqual(['failed']));
    live.send('second');
    await live.eventually(() =>
      expect(live.entries).toContainEqual(
        expect.objectContaining({ kind: 'agent', text: 'heard: second' }),
      ),
    );
    await live.eventually(() => expect(delivery(live)).toEqual(['failed', 'sent']));
    const said = live.entries.flatMap((entry) => (entry.kind === 'agent' ? [entry.text] : []));
    expect(said).toEqual(['heard: second']);
  });

  test('and is killed before it has read a text gives it back', async () => {
    const launch = sidCodeChild({ at: 'text', fault: 'hangs' });
    const pids: number[] = [];
    const start: typeof startProcess = async (...args) => {
      const started = await startProcess(...args);
      pids.push(started.pid);
      return started;
    };
    const { live } = await opened({ launch: { ...launch, start }, pingMs: 60_000 });
    await live.state('connected');
    live.send('first');
    await live.eventually(() => expect(live.shown.status?.busy).toBe(true));
    process.kill(pids[0] ?? 0, 'SIGKILL');
    await live.state('failed');
    await live.eventually(() => expect(live.shown.input).toBe('first'));
    expect(delivery(live)).toEqual(['failed']);
  });
});
