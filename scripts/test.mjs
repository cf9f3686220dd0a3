// `npm test`: the tests on a real Neovim. `npm run test:e2e`: those that drive the real CLI.
// Further arguments go to vitest: npm test -- test/core
import { findNvim } from './lib/nvim.mjs';
import { ensureBuilt, ensurePackages } from './lib/prepare.mjs';
import { inProject, main, run } from './lib/project.mjs';

await main(async () => {
  const [first, ...rest] = process.argv.slice(2);
  const e2e = first === 'e2e';
  const args = e2e || first === undefined ? rest : [first, ...rest];
  await ensurePackages({ dev: true });
  await ensureBuilt();
  const nvim = await findNvim();
  const config = e2e ? 'vitest.e2e.config.ts' : 'vitest.config.ts';
  const vitest = inProject('node_modules/vitest/vitest.mjs');
  return run(process.execPath, [vitest, 'run', '--config', inProject(config), ...args], {
    env: { ...process.env, NVIM: nvim },
  });
});
