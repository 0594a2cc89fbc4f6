import { getErrorCode } from './error-code.ts';
import { isContention } from './transaction-retry.ts';

// The only place that decides which errors mean that the service can't answer at the moment. They are no faults of the
// code: a caller who comes again later is answered.

/** Something of our own took too long, or has too much to do. */
export class UnavailableError extends Error {}

/**
 * Whether the database, or the time for it, was lacking: the connection was refused or lost, there was none in time, a
 * statement or transaction ran out of time, or nothing can be written (a full disk, a server that is read-only). A full disk of
 * this machine, where temporary files are, is the same to a caller.
 * @param error of pg's, of Prisma's, of its adapter, of Node's sockets, or our own
 */
export function isUnavailable(error: unknown): boolean {
  if (isConnectionLost(error) || isOutOfTime(error) || isUnwritable(error) || isContention(error)) return true;
  return fullDiskCodes.test(getErrorCode(error) ?? '');
}

/**
 * Whether the database was not there, or went away: another attempt can succeed soon. A statement that was sent may have been
 * executed, so only what reads can be sent again.
 */
export function isConnectionLost(error: unknown): boolean {
  const code = getErrorCode(error);
  // PostgreSQL's own protocol error is a fault of ours; a pooler's is a lost connection.
  if (code === '08P01' && /bind message/.test((error as Error).message)) return false;
  if (code === 'XX000') return lostWorker.test((error as Error).message);
  if (code === 'ENOENT') return (error as NodeJS.ErrnoException).syscall === 'connect';
  if (code !== undefined) return lostCodes.test(code) || refusedCodes.test(code);
  return error instanceof Error && lostMessages.test(error.message);
}

/** Whether the database can be read but not written to. */
export const isUnwritable = (error: unknown): boolean => unwritableCodes.test(getErrorCode(error) ?? '');

/** Whether something took longer than it may, or had to wait for too long. */
export function isOutOfTime(error: unknown): boolean {
  if (error instanceof UnavailableError) return true;
  // Of a signal, of Node's timers and streams, or of a thread.
  if (error instanceof Error && /^(?:Abort|Timeout)Error$/.test(error.name)) return true;
  const code = getErrorCode(error);
  if (code !== undefined) return outOfTimeCodes.test(code);
  return error instanceof Error && outOfTimeMessages.test(error.message);
}

/**
 * PostgreSQL: the class of connection errors (a pooler's own errors, too), shut down, crashed, starting up, idle for too
 * long, no connection left. Sockets. Prisma: can't reach the server, the server has closed the connection, too many.
 */
const lostCodes =
  /^(?:08...|57P0[1235]|25P0[34]|53300|E(?:CONNREFUSED|CONNRESET|CONNABORTED|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|HOSTDOWN|AI_AGAIN|NOTFOUND)|P1001|P1002|P1017|P2037)$/;

/**
 * A connection that PostgreSQL refuses, or whose certificate has expired or is not trusted. The service has served before: the
 * operator is changing a password, say, or has closed the database (55000).
 */
const refusedCodes =
  /^(?:28...|3D000|55000|P1011|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:VERIFY|GET_ISSUER).*)$/;

/** pg's messages about a lost connection, which have no code. */
const lostMessages =
  /^(?:Connection terminated|Client (?:was closed|has encountered a connection error)|Connection ended unexpectedly)/;

/**
 * Messages of Citus, and of libpq in its coordinator, about a worker that went away during a statement, or before it answered a
 * commit. They have the code of an internal error.
 */
const lostWorker =
  /^(?:server closed the connection unexpectedly|could not (?:receive data from|send data to) server|SSL (?:SYSCALL error|connection has been closed)|no connection to the server|connection not open|failure on connection marked as essential|could not commit transaction (?:for shard \d+ )?on (?:at least one|any) active node)/;

/**
 * PostgreSQL: cancelled, a lock not available, out of memory, any other resource. Prisma: no connection in time, no transaction
 * in time, an operation out of time.
 */
const outOfTimeCodes = /^(?:57014|55P03|53(?!100|300)...|57P04|P1008|P2024|P2028)$/;
const outOfTimeMessages =
  /^(?:timeout exceeded when trying to connect|Query read timeout|timeout expired|The transaction has ended)/;

/** Of Node's files. */
const fullDiskCodes = /^(?:ENOSPC|EDQUOT)$/;

/** PostgreSQL: the disk is full, an error of the disk, the server is read-only. */
const unwritableCodes = /^(?:53100|58030|25006)$/;
