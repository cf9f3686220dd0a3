/**
 * node-client's logger in small; the build puts it in that one's place. The original loads a whole
 * logging framework, which costs more than all the rest of the host, to write nothing as a rule.
 */
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { format } from 'node:util';

const LEVELS = ['error', 'warn', 'info', 'debug'] as const;
type Level = (typeof LEVELS)[number];
type Write = (...data: unknown[]) => void;

export interface HostLogger extends Record<Level, Write> {
  readonly level: Level;
}

const isLevel = (name: string): name is Level => LEVELS.some((level) => level === name);

let shared: HostLogger | undefined;

/** As node-client's own: one for the process, told by NVIM_NODE_LOG_FILE and NVIM_NODE_LOG_LEVEL. */
export function getLogger(): HostLogger {
  shared ??= quietConsole(create(process.env));
  return shared;
}

export function create(env: Readonly<Record<string, string | undefined>>): HostLogger {
  const { NVIM_NODE_LOG_FILE: file, NVIM_NODE_LOG_LEVEL: wished = 'debug' } = env;
  const level = isLevel(wished) ? wished : 'debug';
  const writer = (name: Level): Write => {
    if (!file || LEVELS.indexOf(name) > LEVELS.indexOf(level)) return () => {};
    return (...data) =>
      appendFileSync(file, `${new Date().toISOString()} ${name} ${format(...data)}\n`);
  };
  return {
    level,
    error: writer('error'),
    warn: writer('warn'),
    info: writer('info'),
    debug: writer('debug'),
  };
}

/** The console of every plugin in this process: its stdout is the RPC channel to Neovim. */
function quietConsole(logger: HostLogger): HostLogger {
  const assert = (condition?: unknown, ...data: unknown[]): void => {
    if (!condition) logger.error('assertion failed', ...data);
  };
  const { error, warn, info, debug } = logger;
  Object.assign(console, { error, warn, info, debug, log: info, assert });
  return logger;
}
