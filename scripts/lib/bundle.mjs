// Bundles the node side into dist/, so that a start reads two files and not two thousand.
import fs from 'node:fs';
import { Failure, inProject } from './project.mjs';

const ENTRIES = { host: 'src/host.ts', claude_bridge: 'src/rplugin.ts' };

// Native parts cannot be bundled. They are optional: what needs one says so where it is missing.
const OPTIONAL_NATIVES = ['bufferutil', 'utf-8-validate', 'zeromq'];

/** Needs the packages installed. */
export async function bundleAll() {
  const { build } = await import('esbuild');
  const { version } = JSON.parse(fs.readFileSync(inProject('package.json'), 'utf8'));
  const shared = {
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    outdir: inProject('dist'),
    outExtension: { '.js': '.cjs' },
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    external: OPTIONAL_NATIVES,
  };
  for (const [name, entry] of Object.entries(ENTRIES)) {
    const banner = name === 'host' ? { js: '#!/usr/bin/env node' } : {};
    try {
      await build({ ...shared, banner, entryPoints: { [name]: inProject(entry) } });
    } catch (error) {
      // esbuild has printed where and why.
      throw new Failure(`The build of ${entry} failed.`, { cause: error });
    }
  }
  fs.chmodSync(inProject('dist/host.cjs'), 0o755);
  // Written last: what says that the build is whole.
  fs.writeFileSync(inProject('dist/version.json'), `${JSON.stringify({ version })}\n`);
}
