// Bundles the node side into dist/, so that a start reads two files and not two thousand.
import fs from 'node:fs';
import { dirname } from 'node:path';
import { Failure, inProject } from './project.mjs';

const ENTRIES = { host: 'src/host.ts', claude_bridge: 'src/rplugin.ts' };

// Native parts cannot be bundled. They are optional: what needs one says so where it is missing.
const OPTIONAL_NATIVES = ['bufferutil', 'utf-8-validate', 'zeromq'];

/** What a library loads at once and this product never uses; together a third of a start. */
const replacements = {
  name: 'replacements',
  setup(build) {
    // node-client's logger brings a logging framework.
    build.onResolve({ filter: /\/utils\/logger$/ }, ({ importer }) =>
      /[/\\]neovim[/\\]lib[/\\]/.test(importer) ? { path: inProject('src/host-logger.ts') } : null,
    );
    // The MCP SDK's validator of answers to forms, which no agent is asked to fill in.
    build.onResolve({ filter: /\/ajv-provider\.js$/ }, () => ({
      path: 'ajv-provider',
      namespace: 'unused',
    }));
    build.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({
      contents: `export class AjvJsonSchemaValidator {
        constructor() { throw new Error('no validator is bundled; pass one to the server'); }
      }`,
    }));
    // zod's messages in fifty languages: a third of the bundle.
    build.onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, ({ path }) => ({
      contents: `export { default as en } from './en.js';`,
      resolveDir: dirname(path),
    }));
  },
};

/**
 * node-client stops reading for good, and says nothing, after a message that it cannot decode or a
 * handler that throws: a process that is deaf, and stays when Neovim has gone. With this the first
 * ends the connection, and the second costs nothing else.
 */
const TRANSPORT_FAULTS = [
  [
    'this.parseMessage(resolved.value);',
    'try { this.parseMessage(resolved.value); } catch (error) { void Promise.reject(error); }',
  ],
  [
    'Promise.resolve();\n            });',
    "Promise.resolve();\n            }).catch((error) => { void Promise.reject(error); this.emit('detach'); });",
  ],
];

const transport = {
  name: 'transport',
  setup(build) {
    build.onLoad({ filter: /[/\\]neovim[/\\]lib[/\\]utils[/\\]transport\.js$/ }, ({ path }) => {
      let contents = fs.readFileSync(path, 'utf8');
      for (const [fault, cure] of TRANSPORT_FAULTS) {
        if (!contents.includes(fault))
          return { errors: [{ text: `not found any more: ${fault}` }] };
        contents = contents.replace(fault, cure);
      }
      return { contents };
    });
  },
};

/** Needs the packages installed. */
export async function bundleAll() {
  const { build } = await import('esbuild');
  const version = versionIn('package.json');
  const options = {
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
    plugins: [replacements, transport],
    define: {
      HOST_VERSION: JSON.stringify(versionIn('node_modules/neovim/package.json')),
      VERSION: JSON.stringify(versionIn('package.json')),
    },
  };
  for (const [name, entry] of Object.entries(ENTRIES)) {
    try {
      await build({ ...options, entryPoints: { [name]: inProject(entry) } });
    } catch (error) {
      // esbuild has printed where and why.
      throw new Failure(`The build of ${entry} failed.`, { cause: error });
    }
  }
  fs.chmodSync(inProject('dist/host.cjs'), 0o755);
  // Written last: what says that the build is whole.
  fs.writeFileSync(inProject('dist/version.json'), `${JSON.stringify({ version })}\n`);
}

const versionIn = (file) => JSON.parse(fs.readFileSync(inProject(file), 'utf8')).version;
