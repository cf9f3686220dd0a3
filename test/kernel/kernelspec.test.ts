import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Notebook } from '../../src/core/code-runner.ts';
import { chooseKernel } from '../../src/kernel/choose-kernel.ts';
import { dataFolders, type Machine, runtimeFolder } from '../../src/kernel/jupyter-paths.ts';
import { findKernels } from '../../src/kernel/kernelspec.ts';
import { tempDir } from '../support/nvim.ts';

let home: string;
beforeEach(() => {
  home = tempDir();
});
afterEach(() => fs.rmSync(home, { recursive: true }));

const machine = (variables: Record<string, string> = {}): Machine => ({
  home,
  variables: { PATH: path.join(home, 'bin'), ...variables },
  platform: 'linux',
});

function install(folder: string, name: string, spec: object): string {
  const where = path.join(home, folder, 'kernels', name);
  fs.mkdirSync(where, { recursive: true });
  fs.writeFileSync(path.join(where, 'kernel.json'), JSON.stringify(spec));
  return where;
}

function fakePython(prefix: string): void {
  fs.mkdirSync(path.join(home, 'bin'));
  const script = `#!/bin/sh\necho ${path.join(home, prefix)}\n`;
  fs.writeFileSync(path.join(home, 'bin/python3'), script, { mode: 0o755 });
}

const SYSTEM = ['/usr/local/share/jupyter', '/usr/share/jupyter'];

test('the folders, in the order of Jupyter', async () => {
  fakePython('venv');
  expect(await dataFolders(machine({ JUPYTER_PATH: `/a${path.delimiter}/b` }))).toEqual([
    '/a',
    '/b',
    `${home}/.local/share/jupyter`,
    `${home}/venv/share/jupyter`,
    ...SYSTEM,
  ]);
});

test('inside an environment its own kernels come first', async () => {
  fakePython('venv');
  expect(await dataFolders(machine({ VIRTUAL_ENV: `${home}/venv` }))).toEqual([
    `${home}/venv/share/jupyter`,
    `${home}/.local/share/jupyter`,
    ...SYSTEM,
  ]);
});

test('without any Python, and with the variables that move the folders', async () => {
  expect(await dataFolders(machine({ JUPYTER_DATA_DIR: '/data' }))).toEqual(['/data', ...SYSTEM]);
  expect(await dataFolders(machine({ XDG_DATA_HOME: '/xdg' }))).toEqual([
    '/xdg/jupyter',
    ...SYSTEM,
  ]);
  expect(runtimeFolder(machine())).toBe(`${home}/.local/share/jupyter/runtime`);
  expect(runtimeFolder(machine({ JUPYTER_RUNTIME_DIR: '/run' }))).toBe('/run');
});

test('the first kernel of a name wins, and what is no kernel is passed over', async () => {
  const JUPYTER_PATH = path.join(home, 'first');
  const folder = install('first', 'Own', {
    argv: ['a'],
    display_name: 'First',
    language: 'python',
  });
  install('.local/share/jupyter', 'own', { argv: ['b'], language: 'python' });
  install('.local/share/jupyter', 'broken', { argv: 'none' });
  fs.writeFileSync(path.join(install('first', 'bad', {}), 'kernel.json'), '{');
  const kernels = await findKernels(machine({ JUPYTER_PATH }));
  expect(kernels.filter(({ name }) => /own|broken|bad/i.test(name))).toEqual([
    {
      name: 'Own',
      displayName: 'First',
      language: 'python',
      argv: ['a'],
      env: {},
      interruptMode: 'signal',
      folder,
    },
  ]);
});

const notebook: Notebook = { path: '/w/demo.ipynb', kind: 'ipynb', header: [] };
const spec = (name: string, language: string) => ({
  name,
  displayName: name,
  language,
  argv: ['x'],
  env: {},
  interruptMode: 'signal' as const,
  folder: '/k',
});
const INSTALLED = [spec('ir', 'R'), spec('other', 'python'), spec('python3', 'python')];

test.each([
  ['the one that the notebook names', { name: 'OTHER', language: 'python' }, 'ir', 'other'],
  ['else that of the option', {}, 'ir', 'ir'],
  ['that of the option where the named one is missing', { name: 'gone' }, 'other', 'other'],
  ['else python3', {}, undefined, 'python3'],
  ['else one of the language', { language: 'r' }, undefined, 'ir'],
])('a notebook runs on %s', (_, named, option, expected) => {
  expect(chooseKernel(notebook, named, option, INSTALLED).name).toBe(expected);
});

test('the language of the buffer counts where the notebook says nothing', () => {
  expect(chooseKernel({ ...notebook, language: 'r' }, {}, undefined, INSTALLED).name).toBe('ir');
  expect(chooseKernel(notebook, {}, undefined, INSTALLED.slice(0, 2)).name).toBe('other');
});

test.each([
  [{ name: 'gone' }, INSTALLED, /kernel gone of demo\.ipynb .*installed: ir, other, python3/],
  [{ language: 'julia' }, INSTALLED, /kernel for julia of demo\.ipynb/],
  [{}, [], /kernel for python of demo\.ipynb .*installed: none.*install ipykernel/],
])('a missing kernel is named, with what is there', (named, installed, message) => {
  expect(() => chooseKernel(notebook, named, undefined, installed)).toThrow(message);
});
