/** Diagnostics as they are read from Neovim, and the news of them. */
import fs from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Context } from '../support/context.ts';
import { waitFor } from '../support/wait-for.ts';

let context: Context;
beforeEach(async () => {
  context = await Context.start();
});
afterEach(() => context.dispose());

const set = (file: string, diagnostics: object[], namespace = 'test') =>
  context.nvim.lua(
    `local file, diagnostics, namespace = ...
     vim.diagnostic.set(vim.api.nvim_create_namespace(namespace), vim.fn.bufadd(file), diagnostics)`,
    [file, diagnostics, namespace],
  );
const at = (startLine: number, start: number, endLine: number, end: number) => ({
  start: { line: startLine, character: start },
  end: { line: endLine, character: end },
});

test('columns are counted in UTF-16, in a hidden buffer too', async () => {
  const file = await context.open('d.ts', 'éé foo\n');
  await context.open('other.ts');
  await set(file, [
    { lnum: 0, col: 5, end_lnum: 0, end_col: 8, severity: 1, message: 'm', source: 's' },
  ]);
  const entry = {
    path: file,
    diagnostics: [{ message: 'm', severity: 'error', range: at(0, 3, 0, 6), source: 's' }],
  };
  expect(await context.port.diagnostics(file)).toEqual([entry]);
  expect(await context.port.diagnostics()).toEqual([entry]);
});

test('severities, and codes of every kind as strings', async () => {
  const file = await context.open('a.ts', 'x');
  const codes = ['E1', 42, 1.5, { value: 'no-x', target: 'https://x' }, { value: 7 }, ''];
  await set(
    file,
    codes.map((code, i) => ({ lnum: 0, col: 0, message: 'm', severity: (i % 4) + 1, code })),
  );
  const [entry] = await context.port.diagnostics(file);
  expect(entry?.diagnostics.map(({ severity, code }) => [severity, code])).toEqual([
    ['error', 'E1'],
    ['warning', '42'],
    ['information', '1.5'],
    ['hint', 'no-x'],
    ['error', '7'],
    ['warning', undefined],
  ]);
});

test('every diagnostic has a range inside the text', async () => {
  const file = await context.open('a.ts', 'é1\nlast');
  await set(file, [
    { lnum: 99, col: 99, message: 'past the end' },
    { lnum: 0, col: 99, message: 'past the line' },
    { lnum: 0, col: 0, end_lnum: 2, end_col: 0, message: 'to the end' },
    { lnum: 1, col: 2, message: 'without an end' },
    { lnum: 1, col: 3, end_lnum: 0, end_col: 1, message: 'reversed' },
    { lnum: -1, col: -1, message: 'before the start' },
  ]);
  const [entry] = await context.port.diagnostics(file);
  expect(Object.fromEntries(entry?.diagnostics.map((d) => [d.message, d.range]) ?? [])).toEqual({
    'past the end': at(1, 4, 1, 4),
    'past the line': at(0, 2, 0, 2),
    'to the end': at(0, 0, 1, 4),
    'without an end': at(1, 2, 1, 2),
    reversed: at(1, 3, 1, 3),
    'before the start': at(0, 0, 0, 0),
  });
});

test('all sources of one file come together, and no other file with them', async () => {
  const file = await context.open('service.ts', 'x');
  await set(file, [{ lnum: 0, col: 0, message: 'one' }], 'linter');
  await set(file, [{ lnum: 0, col: 0, message: 'two' }], 'server');
  await set(context.write('some_service.ts', 'x'), [{ lnum: 0, col: 0, message: 'other' }]);
  const [entry, ...rest] = await context.port.diagnostics(file);
  expect(rest).toEqual([]);
  expect(entry?.diagnostics.map(({ message }) => message).sort()).toEqual(['one', 'two']);
  expect((await context.port.diagnostics()).map(({ path }) => path)).toEqual([
    file,
    context.path('some_service.ts'),
  ]);
});

test('a file that no window ever loaded is read from disk for its columns', async () => {
  const file = context.write('closed.ts', '日本 x\r\n');
  await set(file, [{ lnum: 0, col: 7, end_lnum: 0, end_col: 8, message: 'm' }]);
  const [entry] = await context.port.diagnostics();
  expect(entry?.diagnostics[0]?.range).toEqual(at(0, 3, 0, 4));
  fs.rmSync(file);
  expect(await context.port.diagnostics(file)).toMatchObject([{ diagnostics: [{ message: 'm' }] }]);
});

test('a file without any, open or not, has an empty entry', async () => {
  const open = await context.open('a.ts', 'x');
  const closed = context.write('b.ts', 'x');
  expect(await context.port.diagnostics(open)).toEqual([{ path: open, diagnostics: [] }]);
  expect(await context.port.diagnostics(closed)).toEqual([{ path: closed, diagnostics: [] }]);
  expect(await context.port.diagnostics()).toEqual([]);
});

test('views that are no files have none', async () => {
  await context.nvim.command('new | setlocal buftype=nofile');
  await context.nvim.lua(
    `vim.diagnostic.set(vim.api.nvim_create_namespace('x'), 0, { { lnum = 0, col = 0, message = 'm' } })`,
  );
  expect(await context.port.diagnostics()).toEqual([]);
});

test('news are told once for each file', async () => {
  const a = await context.open('a.ts', 'x');
  const b = await context.open('b.ts', 'x');
  await context.nvim.lua(
    `local namespace = vim.api.nvim_create_namespace('x')
     for _ = 1, 5 do
       for _, file in ipairs({ ... }) do
         vim.diagnostic.set(namespace, vim.fn.bufadd(file), { { lnum = 0, col = 0, message = 'm' } })
       end
     end`,
    [a, b],
  );
  await waitFor(() => expect(context.of('diagnostics-changed')).toHaveLength(1));
  expect(context.of('diagnostics-changed')[0]?.paths.toSorted()).toEqual([a, b]);
});
