/** The layers are held by lint rules; here each rule is broken once, to see that it fires. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { PROJECT, tempDir } from '../support/nvim.ts';

const OUTER = ['nvim', 'tools', 'protocol', 'transport', 'agents', 'platform'];

/** What a file of each layer must not import, and what it may. */
const LAYERS: Record<string, { forbidden: string[]; allowed: string[] }> = {
  core: {
    forbidden: [
      'neovim',
      'ws',
      '@modelcontextprotocol/sdk/types.js',
      ...folders(...OUTER, 'session', 'kernel'),
    ],
    allowed: ['zod', 'node:path'],
  },
  session: {
    forbidden: ['neovim', 'ws', '@modelcontextprotocol/sdk/types.js', ...folders(...OUTER)],
    allowed: ['zod', ...folders('core')],
  },
  kernel: {
    forbidden: [
      'neovim',
      'ws',
      '@modelcontextprotocol/sdk/types.js',
      ...folders(...OUTER, 'session'),
    ],
    allowed: ['zod', ...folders('core')],
  },
  nvim: {
    forbidden: [
      'ws',
      '@modelcontextprotocol/sdk/types.js',
      ...folders('tools', 'protocol', 'transport', 'agents'),
    ],
    allowed: ['neovim', ...folders('core', 'session')],
  },
  tools: {
    forbidden: ['neovim', 'ws', ...folders('nvim', 'transport', 'agents')],
    allowed: ['zod', ...folders('core', 'protocol')],
  },
  protocol: {
    forbidden: ['neovim', 'ws', ...folders('nvim', 'tools', 'transport', 'agents')],
    allowed: ['@modelcontextprotocol/sdk/types.js', ...folders('core')],
  },
  transport: {
    forbidden: [
      'neovim',
      '@modelcontextprotocol/sdk/types.js',
      ...folders('nvim', 'tools', 'agents'),
    ],
    allowed: ['ws', ...folders('core', 'protocol')],
  },
  platform: {
    forbidden: [
      'neovim',
      'ws',
      '@modelcontextprotocol/sdk/types.js',
      ...folders('nvim', 'tools', 'protocol', 'transport', 'agents'),
    ],
    allowed: ['node:fs', ...folders('core')],
  },
  'agents/one': {
    forbidden: ['neovim', 'ws', '../../nvim/x.ts', '../../transport/x.ts', '../another/x.ts'],
    allowed: [
      '../family.ts',
      './x.ts',
      '../../core/x.ts',
      '../../tools/x.ts',
      '../../protocol/x.ts',
    ],
  },
};

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

test('no file is longer than 400 lines', () => {
  const long = ['src', 'lua', 'plugin', 'scripts', 'test', 'bench'].flatMap((folder) =>
    fs
      .readdirSync(path.join(PROJECT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|mjs|lua)$/.test(entry.name))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .filter((file) => fs.readFileSync(file, 'utf8').split('\n').length > 401),
  );
  expect(long).toEqual([]);
});
