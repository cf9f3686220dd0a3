// summary.mjs FOLDER: adds up what the test runs left in FOLDER; the last line is the verdict.
import fs from 'node:fs';
import path from 'node:path';

const folder = process.argv[2] ?? '.';

const lines = (name) => {
  const file = path.join(folder, name);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
};

/** A run that left no figures has failed as a whole, as has a test file that could not be loaded. */
function figuresOf(run) {
  const file = path.join(folder, `${run}.json`);
  if (!fs.existsSync(file)) return { passed: 0, failed: 1, skipped: 0 };
  const report = JSON.parse(fs.readFileSync(file, 'utf8'));
  const broken = report.testResults.filter(
    (result) => result.status === 'failed' && result.assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests,
  };
}

const runs = lines('runs');
let passed = 0;
let failed = 0;
for (const run of runs) {
  const figures = figuresOf(run);
  passed += figures.passed;
  failed += figures.failed;
  console.log(
    `${run}: ${figures.passed} passed, ${figures.failed} failed, ${figures.skipped} skipped`,
  );
}
for (const check of lines('failed-checks')) {
  if (runs.includes(check) && figuresOf(check).failed > 0) continue;
  failed += 1;
  console.log(`${check}: failed`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
