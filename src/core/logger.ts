export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * Where the project writes what happened. Never a token and never buffer text: fields are short
 * facts (ports, paths, reasons, counts).
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;
