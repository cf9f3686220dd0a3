/** Whole sessions with real agents over ACP, offline: the model is a script. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { AcpScene, gemini, install, qwen } from './support/acp-agents.ts';
import type { Step } from './support/acp-model.ts';

let scene: AcpScene | undefined;
afterEach(async () => {
  await scene?.dispose();
  scene = undefined;
});

const cases = [
  { name: 'Gemini CLI', agent: gemini },
  { name: 'Qwen Code', agent: qwen },
];

describe.each(cases)('$name', ({ agent }) => {
  beforeAll(() => {
    install(agent);
  }, 300_000);

  const start = async (script: (file: (name: string) => string) => readonly Step[]) => {
    scene = await AcpScene.start(agent, script);
    return scene;
  };
  const readThenWrite = (file: (name: string) => string): readonly Step[] => [
    // Qwen Code changes no file that it has not read.
    { call: 'read_file', args: { file_path: file('a.txt'), absolute_path: file('a.txt') } },
    { call: 'write_file', args: { file_path: file('a.txt'), content: 'new\n' } },
    { say: 'I have written it.' },
  ];
  const review = async (it: AcpScene) => {
    await it.live.eventually(() => expect(it.live.reviews).toHaveLength(1), 60_000);
    const [opened] = it.live.reviews;
    if (!opened) throw new Error('no review');
    return opened;
  };

  test('begins, answers, and tells of its modes', async () => {
    const it = await start(() => [{ say: 'Hello from the model.' }]);
    expect(it.live.shown.status).toMatchObject({ mode: 'default' });
    expect(it.live.shown.choices?.modes.map((mode) => mode.id)).toContain('plan');
    it.live.send('hello');
    await it.idle();
    expect(it.said()).toBe('Hello from the model.');
    expect(it.model.told()).toContain('hello');
  });

  test('writes an accepted edit through the editor, from what was not saved', async () => {
    const it = await start(readThenWrite);
    const file = it.file('a.txt', 'saved\n');
    it.unsaved.set(file, 'not saved\n');
    it.live.send('write it');
    const { request, decide } = await review(it);
    expect(request).toMatchObject({ oldPath: file, proposal: 'new\n' });
    expect(await it.live.prompted('permission', 60_000)).toMatchObject({
      review: true,
      body: [expect.objectContaining({ kind: 'diff', before: 'not saved\n', after: 'new\n' })],
    });
    decide({ kind: 'accepted', text: 'new\n', edited: false });
    await it.idle();
    expect(it.read('a.txt')).toBe('new\n');
    expect(it.written).toEqual(['a.txt']);
    expect(it.said()).toBe('I have written it.');
    expect(it.live.entries).toContainEqual(
      expect.objectContaining({ kind: 'tool', state: 'done', category: 'edit' }),
    );
  });

  test('has an edit changed by the user, and is told of it', async () => {
    const it = await start((file) => [...readThenWrite(file), { say: 'I see.' }]);
    it.file('a.txt', 'old\n');
    it.live.send('write it');
    (await review(it)).decide({ kind: 'accepted', text: 'mine\n', edited: true });
    await it.idle();
    expect(it.read('a.txt')).toBe('mine\n');
    it.live.send('what now?');
    await it.live.eventually(() => expect(it.said()).toContain('I see.'), 60_000);
    expect(it.model.told()).toContain('I changed your edit of');
  });

  test('has an edit rejected with a reason, and hears it', async () => {
    const it = await start((file) => [
      ...readThenWrite(file).slice(0, 2),
      { say: 'As you wish.' },
      { say: 'I see.' },
    ]);
    it.file('a.txt', 'old\n');
    it.live.send('write it');
    (await review(it)).decide({ kind: 'rejected', reason: 'keep the old text' });
    await it.idle();
    expect(it.read('a.txt')).toBe('old\n');
    await it.live.eventually(() => {
      const told = it.live.entries.some(
        (entry) => entry.kind === 'user' && entry.text.includes('keep the old text'),
      );
      if (!told) it.live.send('go on');
      expect(it.model.told()).toContain('keep the old text');
    }, 60_000);
  });

  test('asks before it runs a command, and is allowed to', async () => {
    const it = await start((file) => [
      {
        call: 'run_shell_command',
        args: { command: `echo ran > ${file('ran')}`, is_background: false },
      },
      { say: 'It ran.' },
    ]);
    it.live.send('run it');
    const prompt = await it.live.prompted('permission', 60_000);
    expect(JSON.stringify(prompt)).toContain('echo ran >');
    const once = 'options' in prompt && prompt.kind === 'permission' ? prompt.options : [];
    const option = once.find((one) => one.kind === 'allow-once')?.id;
    it.live.answer({ kind: 'chat_decide', option });
    await it.idle();
    expect(it.read('ran')).toBe('ran\n');
    expect(it.said()).toBe('It ran.');
  });

  test('stops when it is cancelled, and goes on with the next prompt', async () => {
    const it = await start(() => [{ hang: true }]);
    it.live.send('think for ever');
    await it.live.eventually(() => expect(it.model.hangs).toBeGreaterThan(0), 60_000);
    it.live.tell({ kind: 'chat_cancel' });
    await it.idle();
    expect(it.live.shown.status?.state).toBe('connected');
  });
});
