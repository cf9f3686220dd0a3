/**
 * Whether a process runs. One that belongs to somebody else counts as alive: only the system's
 * word that there is none means dead.
 */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
