// `npm run bench`: measures, and prints the table of doc/performance.md.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findNvim } from './lib/nvim.mjs';
import { ensureBuilt, ensurePackages } from './lib/prepare.mjs';
import { inProject, main, run } from './lib/project.mjs';

await main(async () => {
  await ensurePackages({ dev: true });
  await ensureBuilt();
  const nvim = await findNvim();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'claude-bridge-bench-'));
  const figures = path.join(folder, 'figures');
  try {
    const vitest = inProject('node_modules/vitest/vitest.mjs');
    const config = inProject('vitest.bench.config.ts');
    const args = [vitest, 'run', '--config', config, ...process.argv.slice(2)];
    const env = { ...process.env, NVIM: nvim, CLAUDE_BRIDGE_FIGURES: figures };
    const code = await run(process.execPath, args, { env });
    if (fs.existsSync(figures)) print(fs.readFileSync(figures, 'utf8'), nvim);
    return code;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

function print(recorded, nvim) {
  const [version] = execFileSync(nvim, ['--version'], { encoding: 'utf8' }).split('\n');
  const cpus = os.cpus();
  console.log(`\n${version}, Node ${process.version}, ${cpus.length} x ${cpus[0]?.model.trim()}\n`);
  console.log('| what | figure | floor | ratio | goal |');
  console.log('|---|---:|---:|---:|---:|');
  const figures = recorded
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  for (const figure of figures) console.log(row(figure));
}

function row({ what, value, unit, floor, limit, ratioLimit }) {
  const amount = (number) => `${number < 10 ? number.toFixed(2) : number.toFixed(0)} ${unit}`;
  const ratio = floor ? value / floor.value : undefined;
  const goals = [
    limit === undefined ? '' : `${value <= limit ? '' : 'missed: '}${limit} ${unit}`,
    ratioLimit === undefined ? '' : `${ratio <= ratioLimit ? '' : 'missed: '}${ratioLimit} x`,
  ];
  const cells = [
    what,
    amount(value),
    floor ? `${amount(floor.value)} (${floor.what})` : '',
    ratio === undefined ? '' : `${ratio.toFixed(2)} x`,
    goals.filter(Boolean).join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}
