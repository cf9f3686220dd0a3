/** What a user does at the keyboard: what an agent of the bus hears of it, and the screen then. */
import { expect } from 'vitest';
import type { EditorMessageType } from '../../../src/bus/editor-messages.ts';
import type { BusStage, Scene } from '../../support/bus-stage.ts';
import { askedScenes } from './asked-scenes.ts';

const command = (stage: BusStage, message: EditorMessageType, line: string) =>
  stage.causes(message, () => stage.type(`:${line}<CR>`));

async function pause(stage: BusStage): Promise<void> {
  await command(stage, 'pause_session', 'ClaudeSessionPause');
  await stage.shows('demo · paused');
  await command(stage, 'resume_session', 'ClaudeSessionResume');
  await stage.shows('demo · ready');
}

/** The line breaks, and is there again. */
async function reconnect(stage: BusStage): Promise<void> {
  await stage.causes('ping', async () => {
    stage.agent.hangUp();
    await stage.hides('demo · ready');
  });
  await stage.shows('demo · ready');
}

/** A session that has ended is begun anew. */
async function reopen(stage: BusStage): Promise<void> {
  await stage.type(':ClaudeSessionClose<CR>');
  await stage.shows('demo · over');
  await command(stage, 'get_status', 'ClaudeSession');
  stage.say('status', { model: 'sonnet', uptime: 1, memory: 2 });
  await stage.shows('demo · ready · sonnet');
}

export const userScenes = {
  async user_input(stage) {
    const said = await stage.causes('user_input', () =>
      stage.type(':ClaudeSession<CR>isee @b.txt please<Esc><CR>'),
    );
    expect(said).toEqual({ text: expect.stringMatching(/^see @b\.txt please\n.*other\n/su) });
    await stage.shows('see @b.txt please');
  },
  async file_selected(stage) {
    const selected = await command(stage, 'file_selected', 'edit b.txt');
    expect(selected).toEqual({ path: stage.file('b.txt') });
    await stage.shows('other');
    await stage.type(':edit .env<CR>');
    await stage.shows('KEY=1');
    await command(stage, 'file_selected', 'edit a.txt');
    // The user keeps it from agents.
    expect(JSON.stringify(stage.agent.heard)).not.toContain('.env');
  },
  async file_saved(stage) {
    const saved = await command(stage, 'file_saved', 'write');
    expect(saved).toEqual({ path: stage.file('a.txt') });
    await stage.shows(/a\.txt.*written/u);
  },
  async selection_changed(stage) {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 5 } };
    const selected = await stage.causes('selection_changed', () => stage.type('ggv4l'));
    expect(selected).toEqual({ text: 'first', path: stage.file('a.txt'), range });
    await stage.shows('-- VISUAL --');
  },
  permission_decision: askedScenes.permission_request,
  plan_decision: askedScenes.plan_approval_request,
  question_answer: askedScenes.question_request,
  elicitation_response: askedScenes.elicitation,
  async apply_edit(stage) {
    const input = { file_path: stage.file('b.txt'), content: 'proposed\n' };
    stage.say('permission_request', { id: 'e1', tool: 'Write', input });
    await stage.shows('The edit is on show', 'proposed', ':w accepts');
    await stage.toProposal();
    const edit = await stage.causes('apply_edit', () => stage.type('ccmine<Esc>:w<CR>'));
    expect(edit).toEqual({ filePath: stage.file('b.txt'), newContent: 'mine\n' });
    expect(stage.agent.of('permission_decision').at(-1)?.data).toEqual({ id: 'e1', allow: true });
    await stage.hides('The edit is on show');
  },
  async reject_edit(stage) {
    stage.say('show_diff', { filePath: stage.file('b.txt'), newContent: 'shown again\n' });
    await stage.shows('shown again', ':w accepts');
    await stage.toProposal();
    const rejected = await command(stage, 'reject_edit', 'ClaudeDiffReject keep it');
    expect(rejected).toEqual({ filePath: stage.file('b.txt'), reason: 'keep it' });
    await stage.hides('shown again');
  },
  async cancel_request(stage) {
    stage.say('permission_request', { id: 'c1', tool: 'Bash', input: { command: 'make never' } });
    await stage.shows('make never');
    await stage.toPrompt();
    // One that comes while Neovim is at work ends that, and reaches no map.
    const heard = () => stage.agent.of('cancel_request').length;
    const before = heard();
    const press = async () => {
      await stage.type('<C-c>');
      return heard();
    };
    await expect.poll(press, { interval: 500 }).toBeGreaterThan(before);
    await stage.hides('make never');
  },
  async reset_session(stage) {
    stage.say('message_added', { id: 'old', role: 'assistant', content: 'an old word' });
    await stage.shows('an old word');
    await command(stage, 'reset_session', 'ClaudeSessionReset');
    await stage.hides('an old word');
  },
  async switch_session(stage) {
    stage.say('status', { sessions: [{ id: 's1', title: 'First talk' }], uptime: 1, memory: 2 });
    stage.say('message_added', { id: 'old', role: 'assistant', content: 'an old word' });
    await stage.shows('an old word');
    await stage.type(':ClaudeSessionList<CR>');
    const switched = stage.answer('switch_session', '1', 'First talk');
    expect(await switched).toEqual({ sessionId: 's1' });
    await stage.hides('an old word');
  },
  pause_session: pause,
  resume_session: pause,
  async set_model(stage) {
    expect(await command(stage, 'set_model', 'ClaudeSessionModel sonnet')).toEqual({
      model: 'sonnet',
    });
    await stage.shows('sonnet');
  },
  async set_permission_mode(stage) {
    expect(await command(stage, 'set_permission_mode', 'ClaudeSessionMode plan')).toEqual({
      mode: 'plan',
    });
    await stage.shows('· plan');
  },
  async set_ide_theme(stage) {
    const light = await command(stage, 'set_ide_theme', 'set background=light');
    expect(light).toEqual({ theme: 'light' });
    const dark = await command(stage, 'set_ide_theme', 'set background=dark');
    expect(dark).toEqual({ theme: 'dark' });
    await stage.shows('set background=dark');
  },
  ping: reconnect,
  get_status: reopen,
  async pong(stage) {
    await stage.causes('pong', async () => stage.say('ping'));
    await stage.shows('demo · ready');
  },
} satisfies Partial<Record<EditorMessageType, Scene>>;
