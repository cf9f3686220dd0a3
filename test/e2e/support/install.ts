/** Brings the real CLI as a test client: installed by npm when the tests run, never a dependency. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { PROJECT } from '../../support/nvim.ts';

/** The newest version that the tests were written against, and one that runs on Node itself. */
export const NEWEST = '2.1.332';
export const OLD = '1.0.128';
/** The versions to play; the old one can be left to another run. */
export const VERSIONS = process.env['E2E_CLI'] === 'newest' ? [NEWEST] : [NEWEST, OLD];

const PACKAGE = '@anthropic-ai/claude-code';
/** The newest CLI is one big program; what npm puts there before its install script ran is not. */
const SMALLEST_PROGRAM_BYTES = 1_000_000;

export const folderOf = (version: string): string =>
  path.join(PROJECT, '.cache', 'claude-code', version);

/** The command line of an installed CLI. */
export function commandOf(version: string): string[] {
  const program = path.join(folderOf(version), 'node_modules', PACKAGE, 'bin', 'claude.exe');
  if (fs.existsSync(program)) return [program];
  return [process.execPath, path.join(folderOf(version), 'node_modules', PACKAGE, 'cli.js')];
}

function isInstalled(version: string): boolean {
  const last = commandOf(version).at(-1) ?? '';
  return (fs.statSync(last, { throwIfNoEntry: false })?.size ?? 0) > SMALLEST_PROGRAM_BYTES;
}

function install(version: string): void {
  if (isInstalled(version)) return;
  const folder = folderOf(version);
  fs.mkdirSync(folder, { recursive: true });
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', [...args, `${PACKAGE}@${version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (isInstalled(version)) return;
  // Where npm holds install scripts back, the package's own one links its program into place.
  const cwd = path.join(folder, 'node_modules', PACKAGE);
  execFileSync(process.execPath, ['install.cjs'], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (!isInstalled(version)) throw new Error(`${PACKAGE}@${version} could not be installed`);
}

export default function setup(): void {
  for (const version of VERSIONS) install(version);
}
