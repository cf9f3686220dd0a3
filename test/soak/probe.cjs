// Loaded into the node process of a soak: on SIGUSR2 it tells what it holds, after a collection.
const fs = require('node:fs');

process.on('SIGUSR2', () => {
  global.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  const resources = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  const files = fs.readdirSync('/proc/self/fd').length;
  const report = JSON.stringify({ heapUsed, external, rss, resources, files });
  fs.writeFileSync(`${process.env.SOAK_PROBE}.new`, report);
  fs.renameSync(`${process.env.SOAK_PROBE}.new`, process.env.SOAK_PROBE);
});
