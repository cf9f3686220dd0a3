import type { LogFields, Logger, LogLevel } from '../../src/core/logger.ts';

export interface LogRecord {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** Keeps what was logged. */
export class MemoryLogger implements Logger {
  readonly records: LogRecord[] = [];

  debug(message: string, fields: LogFields = {}): void {
    this.records.push({ level: 'debug', message, fields });
  }

  info(message: string, fields: LogFields = {}): void {
    this.records.push({ level: 'info', message, fields });
  }

  warn(message: string, fields: LogFields = {}): void {
    this.records.push({ level: 'warn', message, fields });
  }

  error(message: string, fields: LogFields = {}): void {
    this.records.push({ level: 'error', message, fields });
  }

  get text(): string {
    return JSON.stringify(this.records);
  }
}
