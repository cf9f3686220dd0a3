import fs from 'node:fs';
import path from 'node:path';
import type { LogFields, Logger, LogLevel } from '../core/logger.ts';

export interface LogFileOptions {
  readonly path: string;
  readonly level: LogLevel;
  /** Beyond this size the file becomes `<path>.1`, in place of the one before. */
  readonly maxBytes?: number;
  readonly now?: () => Date;
}

const MAX_BYTES = 2 * 1024 * 1024;
const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/**
 * A log of one line per record. The file is opened for each record: several editors share it, and
 * the user may remove it at any time. A record that cannot be written is lost in silence.
 */
export class LogFile implements Logger {
  readonly #options: LogFileOptions;
  #level: LogLevel;

  constructor(options: LogFileOptions) {
    this.#options = options;
    this.#level = options.level;
  }

  setLevel(level: LogLevel): void {
    this.#level = level;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (RANK[level] < RANK[this.#level]) return;
    const { path: file, maxBytes = MAX_BYTES, now = () => new Date() } = this.#options;
    const line = `${now().toISOString()} ${level.toUpperCase().padEnd(5)} ${record(message, fields)}\n`;
    try {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      if (append(file, line) > maxBytes) fs.renameSync(file, `${file}.1`);
    } catch {
      // There is no better place to tell it: a log must not break what it tells of.
    }
  }
}

/** Returns the size of the file after the line. */
function append(file: string, line: string): number {
  const handle = fs.openSync(file, 'a', 0o600);
  try {
    fs.writeSync(handle, line);
    return fs.fstatSync(handle).size;
  } finally {
    fs.closeSync(handle);
  }
}

function record(message: string, fields: LogFields): string {
  const parts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${fieldText(value)}`);
  return [oneLine(message), ...parts].join(' ');
}

function fieldText(value: LogFields[string]): string {
  return typeof value === 'string' && !/^[\w./:@-]+$/.test(value)
    ? JSON.stringify(value)
    : String(value);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, ' ');
}
