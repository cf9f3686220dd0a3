import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OutputCollector } from '../../src/kernel/output.ts';
import type { Incoming } from '../../src/kernel/wire.ts';

const PNG = 'iVBORw0KGgo=';
const LIMITS = { maxOutputBytes: 1_000, maxImageBytes: 100 };

const message = (type: string, content: object): Incoming => ({ type, content, parentId: 'x' });
const stream = (text: string, name = 'stdout') => message('stream', { name, text });
const display = (data: object, display_id?: string) =>
  message('display_data', { data, metadata: {}, transient: display_id ? { display_id } : {} });
const update = (data: object, display_id: string) =>
  message('update_display_data', { data, metadata: {}, transient: { display_id } });
const text = (value: string) => ({ kind: 'text', text: value });
const image = { kind: 'image', mimeType: 'image/png', data: PNG };

const printable = (value: string) => [...value].filter((character) => character >= ' ').join('');

function outputsOf(...messages: Incoming[]) {
  const collector = new OutputCollector(LIMITS);
  for (const one of messages) collector.handle(one);
  return collector.outputs();
}

test('stdout and stderr make one text in order, results and images stand for themselves', () => {
  expect(
    outputsOf(
      stream('a\n'),
      stream('b\n', 'stderr'),
      stream('c\n'),
      display({ 'image/png': `${PNG}\n`, 'text/plain': '<Figure>' }),
      stream('d\n'),
      message('execute_result', { data: { 'text/plain': '42' }, execution_count: 1 }),
    ),
  ).toEqual([text('a\nb\nc\n'), image, text('d\n'), text('42')]);
});

test('a progress bar leaves its last state only, escape codes leave nothing', () => {
  expect(
    outputsOf(
      stream('  0%|   |\r', 'stderr'),
      stream(' 50%|=  |\r 90%|== |', 'stderr'),
      stream('\r100%|===|\n\x1b[31mred\x1b[0m abc\b\bX\r\n', 'stderr'),
    ),
  ).toEqual([text('100%|===|\nred aX\n')]);
});

test('an escape code cut in two by the kernel is still taken out', () => {
  expect(outputsOf(stream('a\x1b[3'), stream('1mb\n'))).toEqual([text('ab\n')]);
});

test('a line without an end is kept', () => {
  expect(outputsOf(stream('no end'))).toEqual([text('no end')]);
  expect(outputsOf(stream('x'.repeat(900)))).toEqual([text('x'.repeat(900))]);
});

test('an update takes the place of what it updates; an unknown one stands at the end', () => {
  expect(
    outputsOf(
      display({ 'text/plain': 'one' }, 'p'),
      stream('mid\n'),
      update({ 'text/plain': 'two' }, 'p'),
      update({ 'text/plain': 'three' }, 'p'),
      update({ 'text/plain': 'other' }, 'q'),
    ),
  ).toEqual([text('three'), text('mid\n'), text('other')]);
});

test('clear_output takes away what was there, with wait only when more comes', () => {
  const clear = (wait: boolean) => message('clear_output', { wait });
  expect(outputsOf(stream('a'), clear(false), stream('b'))).toEqual([text('b')]);
  expect(outputsOf(stream('a'), clear(true), stream('b'))).toEqual([text('b')]);
  expect(outputsOf(stream('a'), clear(true))).toEqual([text('a')]);
});

test('an error gives its traceback without colours, and its name', () => {
  const collector = new OutputCollector(LIMITS);
  collector.handle(stream('before\n'));
  collector.handle(
    message('error', {
      ename: 'ValueError',
      evalue: 'no',
      traceback: ['\x1b[0;31mTB\x1b[0m', 'ValueError: no'],
    }),
  );
  expect(collector.failure).toBe('ValueError');
  expect(collector.outputs()).toEqual([text('before\n'), text('TB\nValueError: no')]);
});

test('an error without a traceback is told in a line', () => {
  expect(outputsOf(message('error', { ename: 'E', evalue: 'why', traceback: [] }))).toEqual([
    text('E: why'),
  ]);
});

test.each<[string, object, unknown[]]>([
  ['png before all', { 'text/plain': 'p', 'image/svg+xml': '<svg/>', 'image/png': PNG }, [image]],
  ['svg before plain', { 'text/plain': '<Figure>', 'image/svg+xml': '<svg/>' }, [text('<svg/>')]],
  ['plain before html', { 'text/plain': ' a\n0 1', 'text/html': '<table/>' }, [text(' a\n0 1')]],
  [
    'markdown before the name of its class',
    { 'text/plain': '<IPython.core.display.Markdown object>', 'text/markdown': '# hi' },
    [text('# hi')],
  ],
  [
    'an object of an unknown kind by its name',
    { 'text/plain': '<m.C object at 0x7f>' },
    [text('<m.C object at 0x7f>')],
  ],
  ['html where the plain text is empty', { 'text/plain': '', 'text/html': '<b>' }, [text('<b>')]],
  ['no empty block', { 'text/plain': '' }, []],
  ['lists of lines', { 'text/plain': ['a\n', 'b'] }, [text('a\nb')]],
  ['json', { 'application/json': { a: 1 } }, [text('{"a":1}')]],
  ['an image that is none, by its text', { 'image/png': '<no>', 'text/plain': 'p' }, [text('p')]],
  ['nothing', {}, []],
])('of several forms: %s', (_, data, expected) => {
  expect(outputsOf(display(data))).toEqual(expected);
});

test('an image over the limit is a note, with what is there as text', () => {
  const [output] = outputsOf(display({ 'image/png': 'A'.repeat(104), 'text/plain': '<Figure>' }));
  expect(output).toEqual(
    text('<Figure>\n[image/png of 104 bytes left out: the limit is 100; draw it smaller]'),
  );
});

test('of very many images the first twenty are kept', () => {
  const outputs = outputsOf(...Array.from({ length: 22 }, () => display({ 'image/png': PNG })));
  expect(outputs.filter(({ kind }) => kind === 'image')).toHaveLength(20);
  expect(outputs.at(-1)).toEqual(text('[image left out: more than 20 in one run]'));
});

test('long output keeps its beginning and its end, and says how much is missing', () => {
  const lines = Array.from({ length: 1_000 }, (_, n) => `line ${n}\n`);
  const [output, ...others] = outputsOf(...lines.map((line) => stream(line)));
  expect(others).toEqual([]);
  if (output?.kind !== 'text') throw new Error('no text');
  const [, head = '', count, tail = ''] =
    /^([^[]*)\n\[\.\.\. output truncated: (\d+) bytes left out \.\.\.\]\n(.*)$/s.exec(
      output.text,
    ) ?? [];
  const whole = lines.join('');
  expect(whole.startsWith(head)).toBe(true);
  expect(whole.endsWith(tail)).toBe(true);
  expect(head.length).toBe(750);
  expect(head.length + tail.length + Number(count)).toBe(whole.length);
  expect(head.length + tail.length).toBeLessThanOrEqual(1_000);
});

test('very many small results fill the limit as well, by what each adds to the answer', () => {
  const outputs = outputsOf(...Array.from({ length: 5_000 }, () => display({ 'text/plain': '1' })));
  expect(outputs.length).toBeLessThan(100);
  expect(outputs.at(-1)).toEqual(text('1'));
  expect(outputs.map((one) => (one.kind === 'text' ? one.text : ''))).toContainEqual(
    expect.stringContaining('output truncated'),
  );
});

test('the traceback is there, however much was printed before', () => {
  const noise = Array.from({ length: 500 }, () => stream('noise noise noise\n'));
  const outputs = outputsOf(
    ...noise,
    message('error', { ename: 'E', evalue: '', traceback: ['TB', 'E: end'] }),
  );
  expect(outputs.at(-1)).toEqual(text('TB\nE: end'));
});

/** Without U+FFFD, which stands for a broken character below. */
const anyText = (maxLength: number) =>
  fc.string({ unit: 'grapheme', maxLength }).map((value) => value.replaceAll('\uFFFD', '?'));

test('whatever comes, the text stays within the limit and characters stay whole', () => {
  const part = fc.oneof(
    anyText(300).map((value) => stream(printable(value))),
    anyText(1_500).map((value) => display({ 'text/plain': value })),
    fc.constant(display({ 'image/png': PNG })),
    fc
      .tuple(fc.constantFrom('a', 'b'), anyText(1_500))
      .map(([id, value]) => display({ 'text/plain': value }, id)),
    fc
      .tuple(fc.constantFrom('a', 'b'), anyText(1_500))
      .map(([id, value]) => update({ 'text/plain': value }, id)),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (messages) => {
      const outputs = outputsOf(...messages);
      const texts = outputs.map((one) => (one.kind === 'text' ? one.text : ''));
      const kept = texts
        .join('')
        .replace(/\n\[\.\.\. output truncated: \d+ bytes left out \.\.\.\]\n/, '');
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(1_000);
      expect(kept).not.toContain('\uFFFD');
    }),
  );
});

test('messages of other kinds and broken ones change nothing', () => {
  expect(
    outputsOf(
      message('status', { execution_state: 'busy' }),
      message('stream', { name: 'stdout' }),
      message('display_data', { data: 3 }),
      message('error', { traceback: 'x' }),
      message('comm_open', {}),
    ),
  ).toEqual([]);
});
