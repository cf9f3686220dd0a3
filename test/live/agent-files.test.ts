/** Files that an agent reads and writes through a real Neovim. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EditedProposals } from '../../src/acp/edits.ts';
import { AgentFiles } from '../../src/acp/files.ts';
import { RpcCalls } from '../../src/nvim/calls.ts';
import { bufferPort } from '../../src/nvim/session-view.ts';
import { realPath } from '../../src/platform/real-path.ts';
import { startNvim, type TestNvim, tempDir } from '../support/nvim.ts';

let nvim: TestNvim;
let folder: string;
let files: AgentFiles;

beforeEach(async () => {
  folder = tempDir();
  nvim = await startNvim({ cwd: folder });
  files = new AgentFiles({
    buffers: bufferPort(new RpcCalls(nvim.client)),
    folders: () => [folder],
    mayRead: () => true,
    edits: new EditedProposals(),
  });
});
afterEach(() => nvim.dispose());

const at = (name: string) => path.join(folder, name);
const read = async (name: string, lines: object = {}) =>
  (await files.read({ sessionId: 's', path: at(name), ...lines })).content;
const write = (name: string, content: string) =>
  files.write({ sessionId: 's', path: at(name), content });
const bytes = (name: string) => fs.readFileSync(at(name)).toString('latin1');

describe('a path that leads out of the workspace is refused', () => {
  test('by a link to a file that does not exist', async () => {
    const outside = path.join(tempDir(), 'made');
    fs.symlinkSync(outside, at('link'));
    await expect(write('link', 'x')).rejects.toThrow('is outside of the workspace');
    expect(fs.existsSync(outside)).toBe(false);
    expect(realPath(at('link'))).toBe(outside);
  });

  test('by a link to a folder that does not exist, and by one to such a link', async () => {
    const outside = path.join(tempDir(), 'folder');
    fs.symlinkSync(outside, at('link'));
    fs.symlinkSync('link', at('again'));
    await expect(write('again/made', 'x')).rejects.toThrow('is outside of the workspace');
    expect(fs.existsSync(outside)).toBe(false);
    expect(realPath(at('again/made'))).toBe(path.join(outside, 'made'));
  });

  test('by .. after a link', async () => {
    const outside = tempDir();
    fs.mkdirSync(path.join(outside, 'folder'));
    fs.writeFileSync(path.join(outside, 'secret'), 'secret');
    fs.symlinkSync(path.join(outside, 'folder'), at('link'));
    const sly = `${folder}/link/../secret`;
    await expect(files.read({ sessionId: 's', path: sly })).rejects.toThrow('outside');
    await expect(files.write({ sessionId: 's', path: sly, content: 'x' })).rejects.toThrow(
      'outside',
    );
  });

  test('by links that never end', async () => {
    fs.symlinkSync('loop', at('loop'));
    await expect(read('loop')).rejects.toThrow('ELOOP');
    await expect(write('loop', 'x')).rejects.toThrow('ELOOP');
    expect(realPath(at('loop'))).toBe(at('loop'));
  });
});

test('a link to a file that does not exist yet, inside, makes that file', async () => {
  fs.symlinkSync('made', at('link'));
  await write('link', 'x\n');
  expect(bytes('made')).toBe('x\n');
  expect(fs.lstatSync(at('link')).isSymbolicLink()).toBe(true);
});

test('what is no regular file holds nobody up', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  await expect(read('pipe')).rejects.toThrow('is no regular file');
  await expect(write('pipe', 'x')).rejects.toThrow('is no regular file');
  await expect(read('')).rejects.toThrow('is no regular file');
  const sparse = fs.openSync(at('large'), 'w');
  fs.ftruncateSync(sparse, 33 * 1024 * 1024);
  fs.closeSync(sparse);
  await expect(read('large')).rejects.toThrow('is too large');
});

test.each([
  ['Latin-1', 'caf\xe9\n', 'café\n', 'thé\n', 'th\xe9\n'],
  ['a byte order mark', '\xef\xbb\xbfone\n', 'one\n', 'two\n', '\xef\xbb\xbftwo\n'],
  ['a zero byte', 'a\0b\n', 'a\0b\n', 'a\0c\n', 'a\0c\n'],
  ['line ends of DOS', 'a\r\nb\r\n', 'a\r\nb\r\n', 'a\r\nc\r\n', 'a\r\nc\r\n'],
  ['mixed line ends', 'a\r\nb\n', 'a\r\nb\n', 'a\r\nc\n', 'a\r\nc\n'],
  ['no last line end', 'a\nb', 'a\nb', 'a\nc', 'a\nc'],
])('a file with %s keeps it, open or not', async (_, before, text, changed, after) => {
  for (const name of ['closed', 'open']) {
    fs.writeFileSync(at(name), before, 'latin1');
    if (name === 'open') await nvim.command(`edit ${at(name)}`);
    expect(await read(name)).toBe(text);
    await write(name, changed);
    expect(bytes(name)).toBe(after);
    expect(await read(name)).toBe(changed);
    // A mark that the agent puts there itself is not doubled.
    await write(name, text);
    expect(bytes(name)).toBe(before);
  }
});

test('a file with line ends of old Macs keeps them', async () => {
  fs.writeFileSync(at('mac'), 'a\rb\r');
  await nvim.command(`edit ++ff=mac ${at('mac')}`);
  expect(await read('mac')).toBe('a\rb\r');
  for (const text of ['a\rc\r', 'a\rc', 'one']) {
    await write('mac', text);
    expect(bytes('mac')).toBe(text);
  }
});

test('a byte order mark of the agent is one, not two', async () => {
  fs.writeFileSync(at('bom'), '\ufeffone\n');
  await write('bom', '\ufefftwo\n');
  expect(fs.readFileSync(at('bom'), 'utf8')).toBe('\ufefftwo\n');
});

test('what the encoding of the file lacks is refused, and nothing is changed', async () => {
  fs.writeFileSync(at('latin'), 'caf\xe9\n', 'latin1');
  await nvim.command(`edit ${at('latin')}`);
  await expect(write('latin', '5 €\n')).rejects.toThrow(
    'is in the encoding latin1, which lacks some of the characters',
  );
  expect(bytes('latin')).toBe('caf\xe9\n');
  expect(await nvim.lua('return { vim.bo.modified, vim.fn.getline(1) }')).toEqual([false, 'café']);
});

test('lines are counted from 1, and those that are not there are none', async () => {
  fs.writeFileSync(at('lines'), '1\n2\n3\n');
  const asked = [
    { line: 2, limit: 1 },
    { line: 2, limit: 2 },
    { line: 3 },
    { line: 9 },
    { limit: 0 },
  ];
  const answers = [];
  for (const lines of asked) answers.push(await read('lines', lines));
  expect(answers).toEqual(['2', '2\n3', '3\n', '', '']);
});

test.each(["a b'%#$[x]*.txt", 'new/folders/for/it.txt', '-r', '+5'])(
  'writes a file called %s',
  async (name) => {
    await write(name, 'x\n');
    expect(bytes(name)).toBe('x\n');
    expect(await read(name)).toBe('x\n');
  },
);

test('while the user types, it is a step of its own to take back', async () => {
  fs.writeFileSync(at('a'), 'a\n');
  await nvim.command(`edit ${at('a')}`);
  await nvim.input('ix');
  await expect.poll(() => read('a')).toBe('xa\n');
  await write('a', 'agent\n');
  expect(bytes('a')).toBe('agent\n');
  await nvim.input('<Esc>u');
  await expect.poll(() => read('a')).toBe('xa\n');
  await nvim.input('u');
  await expect.poll(() => read('a')).toBe('a\n');
});

test('permissions of the file stay', async () => {
  fs.writeFileSync(at('run'), 'a\n', { mode: 0o755 });
  await write('run', 'b\n');
  expect(fs.statSync(at('run')).mode & 0o777).toBe(0o755);
  fs.writeFileSync(at('kept'), 'a\n', { mode: 0o444 });
  await expect(write('kept', 'b\n')).rejects.toThrow('cannot be changed in Neovim');
  expect(bytes('kept')).toBe('a\n');
});

test('a missing file is an error, or empty for an agent that needs a text', async () => {
  await expect(read('missing')).rejects.toMatchObject({ code: -32002 });
  files = new AgentFiles({
    buffers: bufferPort(new RpcCalls(nvim.client)),
    folders: () => [folder],
    mayRead: () => true,
    edits: new EditedProposals(),
    needsText: () => true,
  });
  expect(await read('missing')).toBe('');
  expect(fs.existsSync(at('missing'))).toBe(false);
  await expect(read('../missing')).rejects.toThrow('outside of the workspace');
});
