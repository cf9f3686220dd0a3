import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogFile } from '../../src/platform/log-file.ts';
import { tempDir } from '../support/nvim.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = tempDir();
  file = path.join(folder, 'log', 'claude-bridge.log');
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const now = () => new Date('2026-01-02T03:04:05.678Z');
const lines = (at = file) => fs.readFileSync(at, 'utf8').trimEnd().split('\n');

test('writes a line per record, with its fields', () => {
  const log = new LogFile({ path: file, level: 'debug', now });
  log.info('listening', { host: '127.0.0.1', port: 12345 });
  log.error('failed', { error: 'no "space" left\non device', path: '/x/a b', at: undefined });
  log.warn('two\nlines');
  expect(lines()).toEqual([
    '2026-01-02T03:04:05.678Z INFO  listening host=127.0.0.1 port=12345',
    '2026-01-02T03:04:05.678Z ERROR failed error="no \\"space\\" left\\non device" path="/x/a b"',
    '2026-01-02T03:04:05.678Z WARN  two lines',
  ]);
  expect((fs.statSync(file).mode & 0o777).toString(8)).toBe('600');
});

test('no file is made before there is something to write', () => {
  const log = new LogFile({ path: file, level: 'warn', now });
  log.debug('a');
  log.info('b');
  expect(fs.existsSync(path.dirname(file))).toBe(false);
  log.warn('c');
  log.setLevel('debug');
  log.debug('d');
  expect(lines().map((line) => line.slice(-1))).toEqual(['c', 'd']);
});

test('its size is bounded: one older file is kept', () => {
  const log = new LogFile({ path: file, level: 'info', now, maxBytes: 500 });
  for (let i = 0; i < 100; i += 1) log.info(`record ${i}`);
  expect(fs.readdirSync(path.dirname(file)).sort()).toEqual([
    'claude-bridge.log',
    'claude-bridge.log.1',
  ]);
  const kept = [...lines(`${file}.1`), ...lines()].map((line) => Number(line.split(' ').at(-1)));
  expect(kept.at(-1)).toBe(99);
  expect(kept).toEqual(kept.map((_, i) => 100 - kept.length + i));
  expect(fs.statSync(`${file}.1`).size).toBeLessThan(600);
});

test('goes on after the file was removed', () => {
  const log = new LogFile({ path: file, level: 'info', now });
  log.info('a');
  fs.rmSync(path.dirname(file), { recursive: true });
  log.info('b');
  expect(lines()).toHaveLength(1);
});

test('a log that cannot be written breaks nothing', () => {
  fs.writeFileSync(path.join(folder, 'log'), 'in the way');
  const log = new LogFile({ path: file, level: 'info', now });
  expect(() => log.error('lost')).not.toThrow();
});
