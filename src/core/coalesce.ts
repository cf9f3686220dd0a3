/** Many changes in one turn of the event loop are told once. */
export function coalesce(tell: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setImmediate(() => {
      isWaiting = false;
      tell();
    });
  };
}
