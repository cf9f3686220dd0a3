/** Whole sessions with real agents over ACP, offline: the model is a script. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { AcpScene, claude, gemini, install, qwen, type RealAgent } from './support/acp-agents.ts';
import { ScriptedModel, type Step } from './support/acp-model.ts';

const PATIENT = 60_000;

let scene: AcpScene | undefined;
afterEach(async () => {
  await scene?.dispose();
  scene = undefined;
});

const cases = [
  { name: 'Gemini CLI', agent: gemini },
  { name: 'Qwen Code', agent: qwen },
  { name: 'Claude Code by its adapter', agent: claude },
];

type Script = (file: (name: string) => string) => readonly Step[];

async function start(agent: RealAgent, script: Script): Promise<AcpScene> {
  scene = await AcpScene.start(agent, script);
  return scene;
}

/** Most agents change no file that they have not read. */
const writes =
  (agent: RealAgent, ...then: readonly Step[]): Script =>
  (file) => [agent.read(file('a.txt')), agent.write(file('a.txt'), 'new\n'), ...then];

async function review(it: AcpScene) {
  await it.live.eventually(() => expect(it.live.reviews).toHaveLength(1), PATIENT);
  const [opened] = it.live.reviews;
  if (!opened) throw new Error('no review');
  return opened;
}

describe.each(cases)('$name', ({ agent }) => {
  beforeAll(() => {
    install(agent);
  }, 300_000);

  test('begins, answers, and tells of its modes', async () => {
    const it = await start(agent, () => [{ say: 'Hello from the model.' }]);
    expect(it.live.shown.status).toMatchObject({ mode: 'default' });
    expect(it.live.shown.choices?.modes.map((mode) => mode.id)).toContain('plan');
    it.live.send('hello');
    await it.idle();
    expect(it.said()).toBe('Hello from the model.');
    expect(it.model.told()).toContain('hello');
  });

  test('has an edit reviewed and accepted', async () => {
    const it = await start(agent, writes(agent, { say: 'I have written it.' }));
    const file = it.file('a.txt', 'saved\n');
    // What is not saved reaches the agents that ask the editor.
    if (agent.asksEditor) it.unsaved.set(file, 'not saved\n');
    it.live.send('write it');
    const { request, decide } = await review(it);
    expect(request).toMatchObject({ oldPath: file, proposal: 'new\n' });
    const before = agent.asksEditor ? 'not saved\n' : 'saved\n';
    expect(await it.live.prompted('permission', PATIENT)).toMatchObject({
      review: true,
      body: expect.arrayContaining([
        expect.objectContaining({ kind: 'diff', before, after: 'new\n' }),
      ]),
    });
    decide({ kind: 'accepted', text: 'new\n', edited: false });
    await it.idle();
    expect(it.read('a.txt')).toBe('new\n');
    expect(it.written).toEqual(agent.asksEditor ? ['a.txt'] : []);
    if (!agent.asksEditor) expect(it.live.reloaded).toContain(file);
    expect(it.said()).toBe('I have written it.');
    expect(it.live.entries).toContainEqual(
      expect.objectContaining({ kind: 'tool', state: 'done', category: 'edit' }),
    );
  });

  test('has a new file reviewed and accepted', async () => {
    const it = await start(agent, (file) => [
      agent.write(file('sub/new.txt'), 'new\n'),
      { say: 'I have made it.' },
    ]);
    it.live.send('make it');
    const { request, decide } = await review(it);
    expect(request).toMatchObject({ oldPath: it.file('sub/new.txt'), proposal: 'new\n' });
    decide({ kind: 'accepted', text: 'new\n', edited: false });
    await it.idle();
    expect(it.read('sub/new.txt')).toBe('new\n');
    expect(it.said()).toBe('I have made it.');
  });

  test('has an edit of a part reviewed as the whole file', async () => {
    const it = await start(agent, (file) => [
      agent.read(file('a.txt')),
      agent.edit(file('a.txt'), 'two', 'TWO'),
      { say: 'Changed.' },
    ]);
    it.file('a.txt', 'one\ntwo\nthree\n');
    it.live.send('change it');
    const { request, decide } = await review(it);
    expect(request.proposal).toBe('one\nTWO\nthree\n');
    decide({ kind: 'accepted', text: 'one\nTWO!\nthree\n', edited: true });
    await it.idle();
    await it.live.eventually(() => expect(it.read('a.txt')).toBe('one\nTWO!\nthree\n'), PATIENT);
  });

  test('has an edit changed by the user, and is told of it', async () => {
    const it = await start(agent, writes(agent, { say: 'Written.' }, { say: 'I see.' }));
    it.file('a.txt', 'old\n');
    it.live.send('write it');
    (await review(it)).decide({ kind: 'accepted', text: 'mine\n', edited: true });
    await it.idle();
    await it.live.eventually(() => expect(it.read('a.txt')).toBe('mine\n'), PATIENT);
    it.live.send('what now?');
    await it.live.eventually(() => expect(it.said()).toContain('I see.'), PATIENT);
    expect(it.model.told()).toContain('I changed your edit of');
  });

  test('has an edit rejected with a reason, and hears it', async () => {
    const it = await start(agent, writes(agent, { say: 'As you wish.' }, { say: 'I see.' }));
    it.file('a.txt', 'old\n');
    it.live.send('write it');
    (await review(it)).decide({ kind: 'rejected', reason: 'keep the old text' });
    await it.idle();
    expect(it.read('a.txt')).toBe('old\n');
    // Where the rejection has ended the turn as a cancel, the words go with the next prompt.
    if (!it.model.told().includes('keep the old text')) it.live.send('go on');
    const told = (): void => expect(it.model.told()).toContain('keep the old text');
    await it.live.eventually(told, PATIENT);
  });

  test('asks before it runs a command, and is allowed to', async () => {
    const it = await start(agent, (file) => [
      agent.run(`echo ran > ${file('ran')}`),
      { say: 'It ran.' },
    ]);
    it.live.send('run it');
    const prompt = await it.live.prompted('permission', PATIENT);
    expect(JSON.stringify(prompt)).toContain('echo ran >');
    const options = prompt.kind === 'permission' ? prompt.options : [];
    const option = options.find((one) => one.kind === 'allow-once')?.id;
    it.live.answer({ kind: 'chat_decide', option });
    await it.idle();
    expect(it.read('ran')).toBe('ran\n');
    expect(it.said()).toBe('It ran.');
  });

  test('takes its question back when it is cancelled, and goes on', async () => {
    const it = await start(agent, (file) => [agent.run(`echo ran > ${file('ran')}`)]);
    it.live.send('run it');
    await it.live.prompted('permission', PATIENT);
    it.live.tell({ kind: 'chat_cancel' });
    await it.idle();
    expect(it.live.shown.prompt).toBeUndefined();
    expect(it.live.shown.status?.state).toBe('connected');
    it.live.send('something else');
    await it.live.eventually(() => expect(it.model.told()).toContain('something else'), PATIENT);
  });
});

describe.each(cases.slice(0, 2))('$name', ({ agent }) => {
  test('stops when it is cancelled while the model thinks', async () => {
    const it = await start(agent, () => [{ hang: true }]);
    it.live.send('think for ever');
    const { model } = it;
    const hangs = (): number => (model instanceof ScriptedModel ? model.hangs : 0);
    await it.live.eventually(() => expect(hangs()).toBeGreaterThan(0), PATIENT);
    it.live.tell({ kind: 'chat_cancel' });
    await it.idle();
    expect(it.live.shown.status?.state).toBe('connected');
  });
});
