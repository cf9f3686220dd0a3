/** The logger that the build gives to node-client in place of its own. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { create } from '../../src/host-logger.ts';
import { tempDir } from '../support/nvim.ts';

function logFile(): string {
  const folder = tempDir();
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  return path.join(folder, 'host.log');
}

test('writes what is as severe as the level, formatted', () => {
  const file = logFile();
  const logger = create({ NVIM_NODE_LOG_FILE: file, NVIM_NODE_LOG_LEVEL: 'warn' });
  logger.error('one %s', 'thing');
  logger.warn('another', { at: 1 });
  logger.info('not this');
  const lines = fs.readFileSync(file, 'utf8').trim().split('\n');
  expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'error one thing',
    'warn another { at: 1 }',
  ]);
});

test('writes nothing where no file is named', () => {
  const logger = create({});
  expect(() => logger.error('nowhere')).not.toThrow();
  expect(logger.level).toBe('debug');
});
