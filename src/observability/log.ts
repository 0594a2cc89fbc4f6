import { pino, type Logger } from 'pino';

/** How many bytes of lines are gathered. */
const gatheredBytes = 4096;
/** The longest that a line waits to be written. */
const longestWaitMs = 1000;
/** pino's number for `error`; that of `fatal` is higher. */
const errorLevel = 50;

/**
 * The process's log, on standard output. Lines are gathered and written together, because a write for each takes CPU time
 * from requests. They are written when there are enough of them, after a second, and when the process ends; an error at
 * once. Each has the process: its pid, and its host's name.
 */
export function createLog(level: string): Logger {
  const destination = pino.destination({ sync: false, minLength: gatheredBytes, periodicFlush: longestWaitMs });
  return pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        logMethod(args, method, lineLevel) {
          method.apply(this, args);
          if (lineLevel >= errorLevel) destination.flush();
        },
      },
    },
    destination,
  );
}
