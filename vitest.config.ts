import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**'],
    // A test drives a whole Neovim; a loaded machine may need long for one, and none waits by time.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 20_000, interval: 20 } },
    // No module of the project keeps state, so that files may share one process: a third of the time.
    isolate: false,
    // Two for each core of a small machine: most tests wait for a Neovim more than they compute.
    maxWorkers: 4,
  },
});
