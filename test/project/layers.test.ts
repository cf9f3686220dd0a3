/** The layers are held by lint rules; here each rule is broken once, to see that it fires. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { PROJECT, tempDir } from '../support/nvim.ts';

const FOLDERS = [
  'core',
  'session',
  'kernel',
  'acp',
  'bus',
  'sid-bridge',
  'nvim',
  'tools',
  'protocol',
  'transport',
  'platform',
  'agents',
];
const SDK = '@modelcontextprotocol/sdk/types.js';
const ACP = '@agentclientprotocol/sdk';

interface Layer {
  forbidden: string[];
  allowed: string[];
}

/** What a file of each layer must not import, and what it may. */
const LAYERS: Record<string, Layer> = {
  core: layer('core', [], { forbidden: ['neovim', 'ws', SDK], allowed: ['zod', 'node:path'] }),
  session: layer('session', ['core'], {
    forbidden: ['neovim', 'ws', 'jose', SDK, ACP],
    allowed: ['zod'],
  }),
  kernel: layer('kernel', ['core'], { forbidden: ['neovim', 'ws', SDK], allowed: ['zeromq'] }),
  acp: dialect('acp'),
  bus: dialect('bus'),
  'sid-bridge': dialect('sid-bridge'),
  nvim: layer('nvim', ['core', 'session'], { forbidden: ['ws', SDK], allowed: ['neovim'] }),
  tools: layer('tools', ['core', 'protocol'], { forbidden: ['neovim', 'ws'], allowed: ['zod'] }),
  protocol: layer('protocol', ['core'], { forbidden: ['neovim', 'ws'], allowed: [SDK] }),
  transport: layer('transport', ['core', 'protocol'], {
    forbidden: ['neovim', SDK],
    allowed: ['ws'],
  }),
  platform: layer('platform', ['core'], {
    forbidden: ['neovim', 'ws', SDK],
    allowed: ['node:fs'],
  }),
  'agents/one': {
    forbidden: ['neovim', 'ws', '../another/x.ts', ...deep('nvim', 'transport', 'session', 'acp')],
    allowed: ['../family.ts', './x.ts', ...deep('core', 'tools', 'protocol', 'platform')],
  },
};

/** A layer that may import the named ones, and no other but itself. */
function layer(own: string, allowed: string[], libraries: Layer): Layer {
  const others = FOLDERS.filter((name) => name !== own && !allowed.includes(name));
  return {
    forbidden: [...libraries.forbidden, ...folders(...others)],
    allowed: [...libraries.allowed, './x.ts', ...folders(...allowed)],
  };
}

function dialect(own: string): Layer {
  return layer(own, ['core', 'session'], {
    forbidden: ['neovim', 'ws', 'jose', SDK],
    allowed: ['zod'],
  });
}

function deep(...names: string[]): string[] {
  return names.map((name) => `../../${name}/x.ts`);
}

function folders(...names: string[]): string[] {
  return names.map((name) => `../${name}/x.ts`);
}

const Report = z.object({
  diagnostics: z.array(
    z.looseObject({
      category: z.string(),
      location: z.looseObject({ path: z.string(), start: z.looseObject({ line: z.number() }) }),
    }),
  ),
});

/** Lints a copy of the tree with one import on each line; returns `layer: import` as refused. */
function refusedImports(): string[] {
  const root = tempDir();
  onTestFinished(() => fs.rmSync(root, { recursive: true }));
  fs.copyFileSync(path.join(PROJECT, 'biome.json'), path.join(root, 'biome.json'));
  const imports = new Map<string, string[]>();
  for (const [layer, { forbidden, allowed }] of Object.entries(LAYERS)) {
    const file = `src/${layer}/probe.ts`;
    imports.set(file, [...forbidden, ...allowed]);
    const lines = [...forbidden, ...allowed].map((name, i) => `import * as m${i} from '${name}';`);
    fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), `${lines.join('\n')}\n`);
  }
  const report = lint(root);
  return report.diagnostics
    .filter((found) => found.category === 'lint/style/noRestrictedImports')
    .map(({ location }) => {
      const layer = location.path.replace(/^.*?src\/(.*)\/probe\.ts$/, '$1');
      return `${layer}: ${imports.get(`src/${layer}/probe.ts`)?.[location.start.line - 1]}`;
    });
}

function lint(root: string): z.infer<typeof Report> {
  const biome = path.join(PROJECT, 'node_modules/@biomejs/biome/bin/biome');
  const rule = '--only=style/noRestrictedImports';
  const args = ['lint', rule, '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none'];
  try {
    execFileSync(process.execPath, [biome, ...args, 'src'], { cwd: root, stdio: 'pipe' });
  } catch (error) {
    const { stdout } = z.looseObject({ stdout: z.instanceof(Buffer) }).parse(error);
    return Report.parse(JSON.parse(stdout.toString()));
  }
  throw new Error('biome refused nothing');
}

test('each layer refuses what is not for it, and nothing else', () => {
  const expected = Object.entries(LAYERS).flatMap(([layer, { forbidden }]) =>
    forbidden.map((name) => `${layer}: ${name}`),
  );
  expect(refusedImports().sort()).toEqual(expected.sort());
});

test('every layer of src has its rules', () => {
  const layers = new Set(Object.keys(LAYERS).map((layer) => layer.split('/')[0]));
  const entries = fs.readdirSync(path.join(PROJECT, 'src'), { withFileTypes: true });
  const found = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  expect(found.filter((name) => !layers.has(name))).toEqual([]);
});

test('no file of the product is longer than 400 lines', () => {
  const long = ['src', 'lua', 'plugin', 'scripts', 'bench'].flatMap((folder) =>
    fs
      .readdirSync(path.join(PROJECT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|mjs|lua)$/.test(entry.name))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .filter((file) => fs.readFileSync(file, 'utf8').split('\n').length > 401),
  );
  expect(long).toEqual([]);
});
