/** What an agent of the bus only tells, as it is on the screen. */
import { expect } from 'vitest';
import type { AgentMessageType } from '../../../src/bus/agent-messages.ts';
import type { Scene } from '../../support/bus-stage.ts';

const message = (id: string, content: string) => ({ id, role: 'assistant', content });

const silent =
  (type: AgentMessageType, data: unknown, ...texts: string[]): Scene =>
  async (stage) => {
    stage.say(type, data);
    await stage.neverShows(...texts);
  };

const notice =
  (type: AgentMessageType, data: object, shown: string): Scene =>
  async (stage) => {
    stage.say(type, data);
    await stage.shows(shown);
  };

export const toldScenes = {
  async message_added(stage) {
    stage.say('message_added', message('m', '# Heading\n\nIt is **strong**.'));
    await stage.shows('# Heading', 'It is **strong**.');
    stage.say('message_added', { id: 'u', role: 'user', content: 'an echo of the user' });
    await stage.neverShows('an echo of the user');
  },
  async message_updated(stage) {
    stage.say('message_added', message('m', 'It grows'));
    await stage.shows('It grows');
    stage.say('message_updated', message('m', 'It grows long.\nAnd longer.'));
    await stage.shows('It grows long.', 'And longer.');
    stage.say('message_updated', message('m', 'All is changed.'));
    await stage.shows('All is changed.');
    await stage.hides('It grows');
  },
  async message_removed(stage) {
    stage.say('message_added', message('m1', 'It stays'));
    stage.say('message_added', message('m2', 'A slip of the tongue'));
    await stage.shows('It stays', 'A slip of the tongue');
    stage.say('message_removed', { id: 'm2' });
    await stage.hides('A slip of the tongue');
    await stage.shows('It stays');
  },
  async tool_use_start(stage) {
    const edit = { file_path: 'c.txt', old_string: 'was so', new_string: 'is so' };
    stage.say('tool_use_start', { id: 't1', name: 'Bash', input: { command: 'make all' } });
    stage.say('tool_use_start', { id: 't2', name: 'Edit', input: edit, agent: 'helper' });
    await stage.shows('Bash: make all', /Edit: c\.txt.*helper/u);
    await stage.unfold();
    await stage.type('zR');
    await stage.shows('-was so', '+is so');
  },
  async tool_use_delta(stage) {
    stage.say('tool_use_start', { id: 't', name: 'Bash', input: { command: 'make all' } });
    stage.say('tool_use_delta', { id: 't', partial: 'compiling\n' });
    await stage.shows('Bash: make all');
    await stage.unfold('compiling');
    stage.say('tool_use_delta', { id: 't', partial: 'linking\n' });
    await stage.shows('compiling', 'linking');
  },
  async tool_use_result(stage) {
    stage.say('tool_use_start', { id: 't1', name: 'Bash', input: { command: 'make all' } });
    stage.say('tool_use_result', { id: 't1', result: 'built\n', durationMs: 1200 });
    await stage.shows(/✓.*make all.*1\.2 s/u);
    await stage.unfold();
    await stage.shows('built');
    stage.say('tool_use_start', { id: 't2', name: 'Read', input: { file_path: 'none.txt' } });
    stage.say('tool_use_result', { id: 't2', result: 'no such file', isError: true });
    await stage.shows(/✗.*none\.txt/u);
    await stage.unfold();
    await stage.shows('no such file');
  },
  async command_output(stage) {
    stage.say('command_output', { stdout: 'out of the command\n', stderr: 'and its error\n' });
    await stage.shows('Command output');
    await stage.unfold();
    await stage.shows('out of the command', 'and its error');
  },
  async cost_update(stage) {
    const totalTokens = { input: 4000, output: 1000 };
    stage.say('cost_update', { cost: 0.1, totalCost: 1.25, totalTokens, model: 'haiku' });
    await stage.shows('haiku', '5k $1.25');
  },
  async status(stage) {
    const sessions = [{ id: 's1', title: 'First talk' }];
    stage.say('status', { sessions, uptime: 1, memory: 2, model: 'opus' });
    await stage.shows('opus');
    await stage.type(':ClaudeSessionList<CR>');
    await stage.shows('First talk');
    await stage.type(':ClaudeSessionAnswer<CR>q');
    await stage.hides('First talk');
  },
  async progress(stage) {
    stage.say('progress', { stage: 'indexing', percent: 40 });
    await stage.shows('indexing 40%');
    stage.say('progress', { stage: 'indexing', percent: 100 });
    await stage.hides('indexing');
  },
  async error(stage) {
    stage.say('error', { code: 'E42', message: 'the model is away', stack: 'at secret.js:1' });
    await stage.shows('the model is away (E42)');
    await stage.neverShows('secret.js');
  },
  warning: notice('warning', { message: 'the quota is near' }, 'the quota is near'),
  info: notice('info', { message: 'a word of interest' }, 'a word of interest'),
  diagnostic: notice(
    'diagnostic',
    { level: 'info', message: 'unused name', source: 'linter' },
    'linter: unused name',
  ),
  async attachment(stage) {
    stage.say('attachment', { path: 'picture.png', type: 'image/png', size: 2_500 });
    await stage.shows(/picture\.png.*3 kB/u);
  },
  async file_changed(stage) {
    stage.bridge.write({ 'a.txt': 'first\nchanged outside\n' });
    stage.say('file_changed', { path: stage.file('a.txt'), kind: 'modified' });
    await stage.shows('changed outside');
  },
  async file_created(stage) {
    await stage.type(':edit made.txt<CR>');
    await stage.shows('made.txt');
    stage.bridge.write({ 'made.txt': 'made by the agent\n' });
    stage.say('file_created', { path: 'made.txt' });
    await stage.shows('made by the agent');
  },
  async file_deleted(stage) {
    stage.say('file_deleted', { path: stage.file('never.txt') });
    // What is open stays: it may be all that is left of the text.
    await stage.neverShows('never.txt');
    await stage.shows('first');
  },
  selection_change: silent('selection_change', { text: 'an echo', path: 'a.txt' }, 'an echo'),
  ide_state: silent('ide_state', { openFiles: ['echo.txt'] }, 'echo.txt'),
  telemetry_event: silent('telemetry_event', { event: 'counted', properties: {} }, 'counted'),
  async ping(stage) {
    await stage.causes('pong', async () => stage.say('ping', undefined, 'p77'));
    expect(stage.agent.of('pong').at(-1)?.id).toBe('p77');
    await stage.shows('demo · ready');
  },
  async pong(stage) {
    stage.say('pong');
    await stage.neverShows('pong');
    await stage.shows('demo · ready');
  },
} satisfies Partial<Record<AgentMessageType, Scene>>;
