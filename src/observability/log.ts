import { pino, type Logger } from 'pino';

/** How many bytes of lines are gathered. */
const gatheredBytes = 4096;
/** The longest that a line waits to be written. */
const longestWaitMs = 1000;
/** pino's number for `error`; that of `fatal` is higher. */
const errorLevel = 50;

/** Fields of PostgreSQL's errors that can have values of rows, which are personal data: `Failing row contains (…)`. */
const fieldsWithValues = new Set(['detail', 'where', 'internalQuery']);
/** The call that a validation error of Prisma's shows in its message, with all its values. */
const prismaCall = /(Invalid `[^`]+` invocation)[^]*?\n\}\n\n/g;
/** How deep an error is copied: an error of Prisma's has PostgreSQL's own error three levels below it. */
const deepest = 6;
const { err: readFields } = pino.stdSerializers;
const ofFields: unknown = Object.getPrototypeOf(readFields(new Error()));

/** Other objects are left to pino. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return value instanceof Error || Array.isArray(value) || prototype === Object.prototype || prototype === ofFields;
}

/** Copies the fields of an error, and of the errors in it, without what can have values of rows. */
function withoutValues(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replace(prismaCall, '$1: ');
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  if (depth === deepest) return undefined; // it may contain itself
  if (Array.isArray(value)) return value.map((each) => withoutValues(each, depth + 1));
  const kept = Object.entries(value).filter(([name]) => !fieldsWithValues.has(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutValues(each, depth + 1)]));
}

/** How the log writes errors. */
export const serializers = { err: (error: Error): unknown => withoutValues(readFields(error)) };

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
      serializers,
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
