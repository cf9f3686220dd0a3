// What the scripts share: where the project lies, and how a program is run.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');

/** @param {string[]} parts */
export const inProject = (...parts) => path.join(ROOT, ...parts);

/** An error that is the user's to read: it is shown without a stack. */
export class Failure extends Error {}

/** Milliseconds since 1970 of the last change, 0 where there is no such file. */
export function changedAt(file) {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Finds a program on PATH; undefined where there is none. */
export function onPath(name, env = process.env) {
  for (const folder of (env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, name);
    if (folder && isExecutable(file)) return file;
  }
  return undefined;
}

export function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false; // it does not exist, or is not ours to run
  }
}

/**
 * Runs a program to its end on this terminal.
 * @returns {Promise<number>} its exit code; 128 + n where a signal ended it
 */
export function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: 'inherit', ...options });
    child.once('error', (error) =>
      reject(new Failure(`${program} could not be started: ${error.message}`)),
    );
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === 'SIGINT' ? 2 : 15)));
  });
}

/** Runs a program that has to succeed. */
export async function mustRun(program, args, options) {
  const code = await run(program, args, options);
  if (code !== 0) throw new Failure(`${[program, ...args].join(' ')} ended with exit code ${code}`);
}

/** Runs a script's main function; a Failure becomes one line and exit code 1. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
