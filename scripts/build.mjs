// `npm run build`: all that a user's plugin manager has to run after it has fetched the plugin.
import { bundleAll } from './lib/bundle.mjs';
import { ensurePackages } from './lib/prepare.mjs';
import { main } from './lib/project.mjs';

await main(async () => {
  await ensurePackages({ dev: false });
  await bundleAll();
});
