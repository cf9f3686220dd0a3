// Brings a fresh clone to where it can run: packages installed, dist/ built.
import fs from 'node:fs';
import path from 'node:path';
import { changedAt, Failure, inProject, mustRun } from './project.mjs';

const OLDEST_NODE = 20;

/** @param {{ dev: boolean }} need `dev`: the tools for tests and lint too, not only for the build */
export async function ensurePackages({ dev }) {
  const major = Number.parseInt(process.versions.node, 10);
  if (major < OLDEST_NODE) {
    throw new Failure(`Node ${OLDEST_NODE} or newer is needed; this is ${process.version}.`);
  }
  // npm writes this copy of the lock file last.
  const installed = changedAt(inProject('node_modules/.package-lock.json'));
  const hasDev = fs.existsSync(inProject('node_modules/vitest'));
  const complete = dev ? hasDev : fs.existsSync(inProject('node_modules/esbuild'));
  if (complete && installed >= changedAt(inProject('package-lock.json'))) return;
  console.error('Installing packages ...');
  // Said outright, since NODE_ENV=production or a user's npm configuration may say otherwise. What
  // a developer has installed stays.
  const which = dev || hasDev ? '--include=dev' : '--omit=dev';
  await mustRun('npm', ['ci', '--loglevel=error', which], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}

/** Builds where dist/ is missing or older than what it is made of. */
export async function ensureBuilt() {
  if (isBuilt()) return;
  const { bundleAll } = await import('./bundle.mjs');
  await bundleAll();
}

function isBuilt() {
  const built = changedAt(inProject('dist/version.json'));
  const inputs = ['src', 'scripts/lib/bundle.mjs', 'package.json', 'package-lock.json'];
  return inputs.every((input) => newestIn(inProject(input)) <= built);
}

function newestIn(entry) {
  if (!fs.statSync(entry).isDirectory()) return changedAt(entry);
  const children = fs.readdirSync(entry).map((name) => newestIn(path.join(entry, name)));
  return Math.max(changedAt(entry), ...children);
}
