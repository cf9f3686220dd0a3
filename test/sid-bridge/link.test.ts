import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startProcess } from '../../src/platform/agent-process.ts';
import { parseFrame } from '../../src/sid-bridge/frames.ts';
import type { SidBridgeLinkOptions } from '../../src/sid-bridge/link.ts';
import type { LiveSession } from '../support/live-session.ts';
import { PROJECT } from '../support/nvim.ts';
import { SidCode, type SidStage, sidCodeChild, sidStage } from '../support/sid-code-bridge.ts';
import { waitFor } from '../support/wait-for.ts';

/** A turn in the frames of a real sid-code. */
const FRAMES = readFileSync(path.join(PROJECT, 'test/fixtures/sid-bridge.jsonl'), 'utf8')
  .trim()
  .split('\n');

let stage: SidStage;
let live: LiveSession;
let sid: SidCode;

function start(options: Partial<SidBridgeLinkOptions> = {}): LiveSession {
  stage = sidStage(options);
  return stage.live;
}

async function meet(options: Partial<SidBridgeLinkOptions> = {}): Promise<void> {
  live = start(options);
  live.open();
  await waitFor(() => expect(stage.port).not.toBe(0));
  await waitFor(() => expect(live.view.shown.has('it')).toBe(true));
  sid = new SidCode();
  await sid.call(stage.url);
  await live.state('connected');
}

describe('a frame', () => {
  test.each(FRAMES)('%s is understood', (frame) => {
    expect(parseFrame(frame)).toHaveProperty('frame');
  });

  test('that is none, or of another type, is told apart', () => {
    expect(parseFrame('{')).toHaveProperty('problem');
    expect(parseFrame('{"type":"text","data":{}}')).toHaveProperty('problem');
    expect(parseFrame('{"type":"new_thing","data":{}}')).toEqual({ unknown: 'new_thing' });
  });
});

describe('sid-code', () => {
  beforeEach(async () => {
    await meet();
  });
  afterEach(async () => {
    sid.hangUp();
    await live.dispose();
  });

  test('is told how to call, and is let in', () => {
    expect(live.entries).toMatchObject([
      { text: `Start it with: sid-code --bridge '${stage.url}'` },
    ]);
  });

  test('plays a turn as it was recorded', async () => {
    live.send('make it');
    expect(await sid.hears('user_message')).toMatchObject({ data: { text: 'make it' } });
    await live.eventually(() => expect(live.shown.status?.busy).toBe(true));
    for (const frame of FRAMES) sid.raw(frame);
    await live.eventually(() =>
      expect(live.entries.slice(1)).toMatchObject([
        { kind: 'user', text: 'make it', delivery: 'sent' },
        { kind: 'agent', text: 'I will look.', streaming: false },
        { kind: 'tool', title: 'bash: ls', state: 'done', syntax: 'sh' },
        { kind: 'tool', title: 'read_file: a.ts', state: 'failed' },
        { kind: 'notice', level: 'warn', text: 'context is nearly full' },
        { kind: 'agent', text: 'Done.', streaming: false },
      ]),
    );
    expect(live.shown.status).toMatchObject({ busy: false, state: 'connected' });
  });

  test('asks for permission, and is answered with the id of its request', async () => {
    const data = {
      toolName: 'bash',
      toolInput: { command: 'rm a' },
      description: 'removes a file',
      dangerLevel: 'high',
    };
    sid.say('permission_request', data, 'perm-1');
    expect(await live.prompted('permission')).toMatchObject({
      title: 'bash: rm a',
      reason: 'removes a file; danger: high',
    });
    live.answer({ kind: 'chat_decide', option: 'no' });
    expect(await sid.hears('permission_response')).toMatchObject({
      id: 'perm-1',
      data: { allowed: false },
    });
  });

  test('is shown edits for review, which take no changes', async () => {
    const toolInput = { file_path: '/w/a', content: 'new' };
    sid.say('permission_request', { toolName: 'write_file', toolInput }, 'perm-2');
    await live.eventually(() => expect(live.reviews).toHaveLength(1));
    expect(live.reviews[0]?.request.editable).toBe(false);
    live.reviews[0]?.decide({ kind: 'accepted', text: 'new', edited: false });
    expect(await sid.hears('permission_response')).toMatchObject({ data: { allowed: true } });
  });

  test('is stopped by an abort, never with an id twice', async () => {
    live.send('one');
    await sid.hears('user_message');
    sid.say('text', { text: 'work' });
    live.tell({ kind: 'chat_cancel' });
    expect(await sid.hears('control')).toMatchObject({ data: { command: 'abort' } });
    sid.say('status', { status: 'aborted' });
    await live.eventually(() => expect(live.shown.status?.busy).toBe(false));
    expect(new Set(sid.heard.map((frame) => frame.id)).size).toBe(sid.heard.length);
  });

  test('comes back after a lost line, and gets what was said meanwhile', async () => {
    sid.say('permission_request', { toolName: 'x' }, 'perm-3');
    await live.prompted('permission');
    sid.hangUp();
    // It has forgotten its request by then.
    await live.eventually(() => expect(live.shown.prompt).toBeUndefined());
    await live.state('connecting');
    live.send('meanwhile');
    await live.eventually(() => expect(live.shown.status?.queued).toBe(1));
    const again = new SidCode();
    await again.call(stage.url);
    expect(await again.hears('user_message')).toMatchObject({ data: { text: 'meanwhile' } });
    await live.state('connected');
    again.hangUp();
  });

  test('cannot do what its bridge has no frame for, and the user is told', async () => {
    live.tell({ kind: 'chat_set_model', model: 'm' });
    await live.eventually(() =>
      expect(live.view.notices).toEqual([
        "error: it: cannot set the model: sid-code's bridge cannot set the model",
      ]),
    );
  });
});

describe('a permission without an answer', () => {
  test('is taken for a no by sid-code, and leaves the screen', async () => {
    await meet({ permissionMs: 50 });
    sid.say('permission_request', { toolName: 'x' }, 'perm-4');
    await live.prompted('permission');
    await live.eventually(() => expect(live.shown.dismissed).toEqual(['p1 withdrawn']));
    expect(live.entries.at(-1)).toMatchObject({ kind: 'notice', level: 'warn' });
    expect(sid.heard).toEqual([]);
    sid.hangUp();
    await live.dispose();
  });
});

describe('sid-code as a child', () => {
  test('is started with the address, and its end is told', async () => {
    live = start({ launch: sidCodeChild({ at: 'text', fault: 'exits' }) });
    live.open();
    await live.eventually(() => expect(live.view.shown.has('it')).toBe(true));
    await live.state('connected');
    live.send('hello');
    await live.state('failed');
    expect(live.shown.status?.detail).toMatch(/exited with code 4: exits at text$/u);
    await live.dispose();
  });

  test('that is not installed is told of', async () => {
    live = start({
      launch: {
        start: startProcess,
        command: () => ({ command: 'no-such-sid-code', args: [], folder: PROJECT, env: {} }),
      },
    });
    live.open();
    await live.eventually(() => expect(live.view.shown.has('it')).toBe(true));
    await live.state('failed');
    expect(live.shown.status?.detail).toContain('not installed');
    await live.dispose();
  });
});
