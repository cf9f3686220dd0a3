// What the demo agent shows for each word that it knows.
import { execFile } from 'node:child_process';
import { textBlock } from './turn.mjs';

export const FILE = 'session.md';

const STEPS = ['Look at the file', 'Count its words', 'Propose a better line', 'Ask what else'];
const DEEDS = {
  all: { tells: 'shows everything, one after the other', run: all },
  edit: { tells: `proposes an edit of ${FILE}`, run: edit },
  run: { tells: 'asks to run a command', run },
  plan: { tells: 'shows a plan and asks whether it is good', run: propose },
  ask: { tells: 'asks you something', run: ask },
  long: { tells: 'goes on until you cancel: CTRL-C', run: long },
};

export const COMMANDS = Object.entries(DEEDS).map(([name, { tells }]) => ({
  name,
  description: tells,
}));

const HELP = `Hello! I am the **demo agent**. I ask no model; what I say is the same each time.

Send one of these words:

${COMMANDS.map(({ name, description }) => `- \`${name}\` ${description}`).join('\n')}
`;

/** @param {import('./turn.mjs').Turn} turn @param {string} said */
export async function play(turn, said) {
  const words = new Set(said.toLowerCase().match(/[a-z]+/g));
  const known = Object.keys(DEEDS).find((word) => words.has(word));
  await (known ? DEEDS[known].run(turn) : turn.stream(HELP));
}

async function all(turn) {
  const step = (at) =>
    turn.plan(
      STEPS,
      STEPS.map((_, index) =>
        index < at ? 'completed' : index === at ? 'in_progress' : 'pending',
      ),
    );
  await turn.think('The user wants to see everything. I begin with a plan.');
  await turn.stream('## The tour\n\nFirst a *plan*, then each of its steps.\n');
  if (!(await propose(turn))) return;
  await step(0);
  const before = await read(turn);
  await step(1);
  await run(turn);
  await step(2);
  await change(turn, before);
  await step(3);
  await ask(turn);
  await step(STEPS.length);
  await turn.stream('\nThat was the tour.\n');
}

async function read(turn) {
  const locations = [{ path: turn.session.file }];
  const id = await turn.tool({ title: `Read ${FILE}`, kind: 'read', locations });
  const content = await turn.readFile();
  await turn.tell(id, 'completed', content);
  return content;
}

async function edit(turn) {
  await change(turn, await read(turn));
}

async function change(turn, before) {
  if (turn.isOver) return;
  const after = `${before.trimEnd()}\na line by the demo agent\n`;
  const title = `Edit ${FILE}`;
  const content = [{ type: 'diff', path: turn.session.file, oldText: before, newText: after }];
  const id = await turn.tool({ title, kind: 'edit', content });
  await turn.stream(
    '\nI propose one more line. In the diff `:w` accepts it and `:q` rejects it.\n',
  );
  const allowed = await turn.may({ toolCallId: id, title, kind: 'edit', content });
  if (allowed) await turn.writeFile(after);
  await turn.tell(id, allowed ? 'completed' : 'failed');
  await turn.stream(allowed ? '\nThe line is **written**.\n' : '\nThe file stays as it was.\n');
}

async function run(turn) {
  if (turn.isOver) return;
  const command = `wc -w ${FILE}`;
  const call = { title: command, kind: 'execute', rawInput: { command } };
  const id = await turn.tool(call);
  if (!(await turn.may({ toolCallId: id, ...call }))) {
    await turn.tell(id, 'failed', 'You said no.');
    await turn.stream('\nThen I do not run it.\n');
    return;
  }
  await turn.tell(id, 'in_progress');
  let output = '';
  for (const line of ['opening the file', 'counting', await outputOf('wc', ['-w', FILE], turn)]) {
    output += `${line}\n`;
    await turn.tell(id, 'in_progress', output);
    await turn.pause(20);
  }
  await turn.tell(id, 'completed', output);
  await turn.stream('\nThe command ran; its output is in the fold: `<Tab>` opens it.\n');
}

async function propose(turn) {
  const text = `${STEPS.map((step, at) => `${at + 1}. ${step}`).join('\n')}\n`;
  const call = { title: 'Is this plan good?', kind: 'switch_mode', content: [textBlock(text)] };
  const id = await turn.tool(call);
  const approved = await turn.may({ toolCallId: id, ...call }, [
    { optionId: 'yes', name: 'Yes, go on', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ]);
  await turn.tell(id, approved ? 'completed' : 'failed');
  await turn.stream(approved ? '\nThe plan stands.\n' : '\nThen without a plan.\n');
  return approved;
}

async function ask(turn) {
  if (turn.isOver) return;
  const answer = await turn.form('What shall I bring?', {
    type: 'object',
    properties: {
      fruit: { type: 'string', title: 'Fruit', enum: ['apples', 'pears', 'plums'] },
      many: { type: 'integer', title: 'How many', minimum: 1, default: 3 },
    },
    required: ['fruit'],
  });
  const wish = answer ? `${answer.many ?? 'some'} ${answer.fruit}` : 'nothing';
  await turn.stream(`\nYou want **${wish}**.\n`);
}

async function long(turn) {
  for (let line = 1; !turn.isOver; line += 1) await turn.stream(`\nThis is line ${line}.`);
}

function outputOf(program, args, turn) {
  const { folder: cwd } = turn.session;
  return new Promise((resolve) => {
    execFile(program, args, { cwd }, (error, stdout) => resolve(error?.message ?? stdout.trim()));
  });
}
