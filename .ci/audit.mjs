// audit.mjs: fails on any known weakness of the packages that package-lock.json names. Where the
// registry keeps no advisories nothing can be said, and that is what is said.
import { spawnSync } from 'node:child_process';

const { stdout, error } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8' });
if (error) throw error;
const report = JSON.parse(stdout);

const counts = report.metadata?.vulnerabilities;
if (counts === undefined) {
  console.log(`NOT CHECKED: the registry tells no advisories (${report.message ?? 'no report'})`);
} else if (counts.total > 0) {
  spawnSync('npm', ['audit'], { stdio: 'inherit' });
  process.exitCode = 1;
} else {
  console.log(`no known weakness in ${report.metadata.dependencies.total} packages`);
}
