// `npm run soak`: two hundred starts and stops, then random users and agents for ten minutes.
// `-- --minutes N` for another time, `-- --seed N` to play one again; the rest goes to vitest.
import { findNvim } from './lib/nvim.mjs';
import { ensureBuilt, ensurePackages } from './lib/prepare.mjs';
import { Failure, inProject, main, run } from './lib/project.mjs';

const STARTS = '200';

/** Takes `--name N` out of the arguments. */
function takeNumber(args, name, fallback) {
  const at = args.indexOf(`--${name}`);
  if (at < 0) return fallback;
  const [, value] = args.splice(at, 2);
  if (!Number.isFinite(Number(value)) || value === '') {
    throw new Failure(`--${name} wants a number, not ${value}`);
  }
  return value;
}

await main(async () => {
  const args = process.argv.slice(2);
  const minutes = takeNumber(args, 'minutes', '10');
  const seed = takeNumber(args, 'seed', undefined);
  await ensurePackages({ dev: true });
  await ensureBuilt();
  const vitest = inProject('node_modules/vitest/vitest.mjs');
  const env = {
    ...process.env,
    NVIM: await findNvim(),
    CLAUDE_BRIDGE_STARTS: STARTS,
    SOAK_MINUTES: minutes,
    ...(seed !== undefined && { SOAK_SEED: seed }),
  };
  const starts = ['test/survival/lock-file.test.ts', '-t', 'starts and stops'];
  const first = await run(process.execPath, [vitest, 'run', ...starts], { env });
  const config = inProject('vitest.soak.config.ts');
  const second = await run(process.execPath, [vitest, 'run', '--config', config, ...args], { env });
  return first || second;
});
