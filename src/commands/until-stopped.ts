/**
 * A signal that is aborted by Ctrl-C or SIGTERM, for commands that run until then. A second one ends the process at once.
 * @returns the signal, and a function that does the same as Ctrl-C
 */
export function untilStopped(): { signal: AbortSignal; stop: () => void } {
  const abort = new AbortController();
  const stop = (): void => {
    if (abort.signal.aborted) process.exit(130);
    abort.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return { signal: abort.signal, stop };
}
