import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { AnnouncementWatch } from '../../src/agents/announcement-watch.ts';
import { LockFile } from '../../src/platform/lock-file.ts';
import { MemoryLogger } from '../support/logger.ts';
import { tempDir } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

const folder = tempDir();
let watch: AnnouncementWatch | undefined;
afterEach(() => {
  watch?.dispose();
  fs.rmSync(folder, { recursive: true, force: true });
});

test('whoever removes the file each time it is back has won after a few times', async () => {
  const logger = new MemoryLogger();
  const file = new LockFile({ folder: path.join(folder, 'ide'), port: 7, token: 'token', logger });
  file.write({ authToken: 'token' });
  const ensure = vi.fn(() => [{ path: file.path, state: file.ensure() }]);
  const announcement = { paths: [file.path], ensure };
  watch = new AnnouncementWatch({ announcement, logger, limits: { maxRestores: 3 } });
  for (let i = 0; i < 3; i += 1) {
    fs.rmSync(file.path);
    await waitFor(() => fs.accessSync(file.path));
  }
  fs.rmSync(file.path);
  await waitFor(() => expect(logger.text).toContain('something removes it each time'));
  expect(fs.existsSync(file.path)).toBe(false);
});
