/**
 * Waits for a step, or for the signal, with whose reason it rejects then. The step goes on behind
 * the scenes; whoever aborts ends it by what it hangs on.
 */
export async function untilAborted<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  step.catch(() => {
    // Told by the race, or nobody waits for it any more.
  });
  const aborted = new Promise<never>((_, reject) => {
    const giveUp = (): void => reject(signal.reason);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
  return Promise.race([step, aborted]);
}
