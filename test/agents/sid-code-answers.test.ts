/** A rejected edit is never written by sid-code, and an edited text never replaced. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { sidCode } from '../../src/agents/sid-code/family.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { ideTools } from '../../src/tools/ide-tools.ts';
import type { ToolAnswer } from '../../src/tools/tool.ts';
import { type AgentKind, diffArguments } from '../support/agents.ts';
import { type Generation, read, written } from '../support/sid-code-reader.ts';
import { memoryEditor } from './support.ts';

const GENERATIONS: readonly Generation[] = ['first', 'second'];
const PROPOSAL = 'proposed\n';
const block = (...texts: string[]) => ({ content: texts.map((text) => ({ type: 'text', text })) });

/** The table of answers as they were tried: what each generation makes of them. */
const SAVED = JSON.stringify({ status: 'FILE_SAVED', content: 'edited' });
const LIST = JSON.stringify([{ type: 'text', text: 'FILE_SAVED' }, { text: 'edited' }]);
test.each([
  ['FILE_SAVED and the text', block('FILE_SAVED', 'edited'), 'error', 'error'],
  ['FILE_SAVED', block('FILE_SAVED'), 'error', 'saved'],
  ['DIFF_REJECTED', block('DIFF_REJECTED'), 'error', 'rejected'],
  ['DIFF_REJECTED and a tab name', block('DIFF_REJECTED', 'tab'), 'error', 'error'],
  ['TAB_CLOSED', block('TAB_CLOSED'), 'error', 'closed'],
  ['JSON, saved', block(SAVED), 'saved', 'saved'],
  ['JSON, rejected', block('{"status":"DIFF_REJECTED"}'), 'rejected', 'rejected'],
  ['JSON, a list', block(LIST), 'error', 'saved'],
  ['a failure', { ...block('it went wrong'), isError: true }, 'error', 'error'],
  ['none', undefined, 'unsupported', 'unsupported'],
])('the readers read %s as the clients do', (_name, answer, first, second) => {
  expect(read('first', answer).reading).toBe(first);
  expect(read('second', answer).reading).toBe(second);
});

test('the readers know where the text of an answer is, and where it gets lost', () => {
  expect(read('first', block(SAVED)).content).toBe('edited');
  expect(read('second', block(SAVED)).content).toBe('edited');
  expect(read('second', block(LIST)).content).toBe('edited');
  const documented = read('second', block('FILE_SAVED', 'edited'));
  expect(written(documented, PROPOSAL)).toBe(PROPOSAL);
});

/** One edit, proposed by this generation and ended by the test. */
function propose(generation: Generation, proposal = PROPOSAL) {
  const kind: AgentKind = `sid-code/${generation}`;
  const memory = memoryEditor();
  const dialect = sidCode(ideTools).dialectFor({ headers: {}, clientName: 'sid-code' });
  const openDiff = dialect.tools.find(({ name }) => name === 'openDiff');
  if (!openDiff) throw new Error('no openDiff');
  const controller = new AbortController();
  const call = (requestId = 7, args: unknown = diffArguments(kind, '/x/a.txt', proposal)) =>
    openDiff.call(args, {
      editor: memory.editor,
      sessionId: 'client-1',
      requestId,
      signal: controller.signal,
      answers: dialect.answers,
    });
  const decide = (decision: Parameters<typeof memory.editor.reviews.decide>[1]) => {
    const [id = ''] = memory.openReviews.keys();
    memory.editor.reviews.decide(id, decision);
  };
  const outcome = async (answer: Promise<ToolAnswer>) =>
    written(
      read(generation, { ...(await answer), content: [...(await answer).content] }),
      proposal,
    );
  return { ...memory, call, decide, outcome, controller };
}

describe.each(GENERATIONS)('the %s generation', (generation) => {
  test('writes the proposal that was accepted as it is', async () => {
    const { call, decide, outcome } = propose(generation);
    const answer = call();
    decide({ kind: 'accepted' });
    expect(await outcome(answer)).toBe(PROPOSAL);
  });

  test('writes whatever the user made of the proposal, and never the proposal', async () => {
    const texts = fc.string({ unit: 'binary' });
    const tricky = fc.constantFrom('', ' ', '\n', '{', '[]', '"', 'FILE_SAVED', 'DIFF_REJECTED');
    await fc.assert(
      fc.asyncProperty(fc.oneof(texts, tricky), texts, async (text, proposal) => {
        const { call, decide, outcome } = propose(generation, proposal);
        const answer = call();
        decide({ kind: 'accepted', text });
        expect(await outcome(answer)).toBe(text);
      }),
    );
  });

  test.each([undefined, 'not so'])(
    'writes nothing that was rejected, reason %j',
    async (reason) => {
      const { call, decide, outcome } = propose(generation);
      const answer = call();
      decide({ kind: 'rejected', reason });
      expect(await outcome(answer)).toBeUndefined();
    },
  );

  test.each(['decided-elsewhere', 'withdrawn', 'stopped'] as const)(
    'writes nothing where the review ends without the word of the user: %s',
    async (end) => {
      const { call, editor, outcome } = propose(generation);
      const answer = call();
      await editor.reviews.closeOwnedBy('client-1', end);
      expect(await outcome(answer)).toBeUndefined();
    },
  );

  test('writes nothing where its call was cancelled', async () => {
    const { call, controller, outcome } = propose(generation);
    const answer = call();
    controller.abort();
    expect(await outcome(answer)).toBeUndefined();
  });

  test.each([
    new BridgeError('editor-busy', 'Neovim waits at a prompt'),
    new Error('something nobody foresaw'),
  ])('writes nothing that could not be shown, and the user is told: %s', async (error) => {
    const { call, editorPort, outcome } = propose(generation);
    editorPort.openReview = () => Promise.reject(error);
    const notify = vi.spyOn(editorPort, 'notify');
    expect(await outcome(call())).toBeUndefined();
    expect(notify).toHaveBeenCalledWith(
      'warn',
      expect.stringContaining(`rejected unseen: ${error.message}`),
    );
  });

  test('gets one review for a request that it sends again, before and after the answer', async () => {
    const { call, decide, outcome, openReviews } = propose(generation);
    const answers = [call(), call()];
    expect(openReviews.size).toBe(1);
    decide({ kind: 'accepted', text: 'edited\n' });
    answers.push(call());
    for (const answer of answers) expect(await outcome(answer)).toBe('edited\n');
    expect(openReviews.size).toBe(1);
    void call(8);
    expect(openReviews.size).toBe(2);
  });

  test('is told what is wrong with its arguments', async () => {
    const { call, openReviews } = propose(generation);
    await expect(call(7, { filePath: 1 })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('openDiff: old_file_path'),
    });
    expect(openReviews.size).toBe(0);
  });
});

test('the answers, letter by letter', async () => {
  const { answers } = sidCode([]).dialectFor({ headers: {}, clientName: 'sid-code' });
  expect(answers.accepted('same', false)).toEqual(block('FILE_SAVED'));
  expect(answers.accepted('other\n', true)).toEqual(
    block('{"status":"FILE_SAVED","content":"other\\n"}'),
  );
  expect(answers.rejected('tab', 'why')).toEqual(block('DIFF_REJECTED'));
  expect(answers.closed('tab', 'stopped')).toEqual(block('DIFF_REJECTED'));
});
