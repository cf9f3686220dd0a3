/**
 * Ends a program of the tests when whoever has started it is gone: a run that is killed leaves
 * nothing behind.
 */
import process from 'node:process';

const parent = process.ppid;
const CHECK_MS = 200;

function check() {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}

setInterval(check, CHECK_MS).unref();

/** Does nothing any more, and hears no signal, as a process that is stopped. But for the check. */
export function hang() {
  process.on('SIGTERM', () => {});
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    Atomics.wait(nothing, 0, 0, CHECK_MS);
    check();
  }
}
