import type { Logger } from 'pino';
import { isUnavailable } from '../../prisma/connection/unavailable.ts';

/** Logs that work in the background failed: as a warning if the database is away, because an error is one of Kontor. */
export function logFailure(log: Logger, err: unknown, message: string): void {
  if (isUnavailable(err)) log.warn({ err }, message);
  else log.error({ err }, message);
}
