/** What an agent of the bus asks, as it is on the screen, and where it goes. */
import { expect } from 'vitest';
import type { AgentMessageType } from '../../../src/bus/agent-messages.ts';
import type { BusStage, Scene } from '../../support/bus-stage.ts';

/** Decided in another place: what was on the screen goes, unanswered. */
const elsewhere =
  (request: AgentMessageType, data: object, response: AgentMessageType, shown: string): Scene =>
  async (stage) => {
    stage.say(request, { id: 'e', ...data });
    await stage.shows(shown, '1 to answer');
    stage.say(response, { id: 'e' });
    await stage.hides(shown);
    await stage.hides('to answer');
  };

function permission(stage: BusStage, id: string): void {
  const reason = `reason of ${id}`;
  stage.say('permission_request', { id, tool: 'Bash', input: { command: `rm ${id}` }, reason });
}

const COLOURS = ['Red', { label: 'Green', value: 'g', description: 'like grass' }];

export const askedScenes = {
  async permission_request(stage) {
    for (const id of ['p1', 'p2', 'p3', 'p4']) permission(stage, id);
    await stage.shows('reason of p1', 'rm p1', '3 more', '4 to answer');
    const decide = (id: string, keys: string) =>
      stage.answer('permission_decision', keys, `reason of ${id}`, `rm ${id}`);
    expect(await decide('p1', 'y')).toEqual({ id: 'p1', allow: true });
    expect(await decide('p2', 'a')).toEqual({ id: 'p2', allow: true, remember: true });
    expect(await decide('p3', 'n')).toEqual({ id: 'p3', allow: false });
    const no = { id: 'p4', allow: false, reason: 'too dear' };
    expect(await decide('p4', 'rtoo dear<CR>')).toEqual(no);
    await stage.hides('reason of');
  },
  async plan_approval_request(stage) {
    const plan = '# First\n\nthe **tests**';
    stage.say('plan_approval_request', { id: 'l1', plan, agent: 'planner' });
    const yes = await stage.answer('plan_decision', 'y', 'Plan of planner', 'the **tests**');
    expect(yes).toEqual({ id: 'l1', approved: true });
    stage.say('plan_approval_request', { id: 'l2', plan: 'delete all' });
    const no = await stage.answer('plan_decision', 'rnot all<CR>', 'delete all');
    expect(no).toEqual({ id: 'l2', approved: false, reason: 'not all' });
    await stage.hides('to answer');
  },
  async question_request(stage) {
    const ask = (id: string, question: string, more: object) =>
      stage.say('question_request', { id, question, options: COLOURS, ...more });
    ask('q1', 'Which colour?', {});
    const one = await stage.answer('question_answer', '2', 'Which colour?', 'like grass');
    expect(one).toEqual({ id: 'q1', answer: 'g' });
    ask('q2', 'Which ones?', { multiSelect: true });
    const both = await stage.answer('question_answer', '12<CR>', 'Which ones?', '[ ] Red');
    expect(both).toEqual({ id: 'q2', answer: ['Red', 'g'] });
    ask('q3', 'Why?', { options: [] });
    const text = await stage.answer('question_answer', 'ibecause<C-s>', 'Why?');
    expect(text).toEqual({ id: 'q3', answer: 'because' });
    await stage.hides('Why?');
  },
  async elicitation(stage) {
    const properties = { name: { type: 'string', title: 'Your name' } };
    const schema = { type: 'object', properties, required: ['name'] };
    stage.say('elicitation', { id: 'f1', schema, message: 'Who are you?' });
    await stage.shows('Who are you?', 'Your name');
    await stage.type(':ClaudeSessionAnswer<CR>/Your name<CR><CR>');
    await stage.shows('<CR> sends');
    await stage.type('Ada<CR>');
    const filled = await stage.answer('elicitation_response', 's', 'Ada');
    expect(filled).toEqual({ id: 'f1', answer: { name: 'Ada' } });
    await stage.hides('Who are you?');
  },
  permission_response: elsewhere(
    'permission_request',
    { tool: 'Bash', input: { command: 'make x' } },
    'permission_response',
    'make x',
  ),
  plan_approval_response: elsewhere(
    'plan_approval_request',
    { plan: 'two steps' },
    'plan_approval_response',
    'two steps',
  ),
  question_response: elsewhere(
    'question_request',
    { question: 'What for?', options: ['a'] },
    'question_response',
    'What for?',
  ),
  elicitation_response: elsewhere(
    'elicitation',
    { schema: { type: 'object' }, message: 'Fill in!' },
    'elicitation_response',
    'Fill in!',
  ),
  async show_diff(stage) {
    const diff = { filePath: stage.file('b.txt'), oldContent: 'other\n', newContent: 'shown\n' };
    stage.say('show_diff', diff);
    await stage.shows('other', 'shown', ':w accepts');
    await stage.toProposal();
    await stage.causes('apply_edit', () => stage.type(':w<CR>'));
    await stage.hides(':w accepts');
  },
  async open_file(stage) {
    const rows = Array.from({ length: 200 }, (_, at) => `row ${at + 1}`);
    stage.bridge.write({ 'long.txt': rows.join('\n') });
    stage.say('open_file', { path: stage.file('long.txt'), line: 150 });
    await stage.shows('row 150');
  },
} satisfies Partial<Record<AgentMessageType, Scene>>;
