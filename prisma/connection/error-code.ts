import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import { DatabaseError } from 'pg';
import { Prisma } from '../generated/client/client.ts';

// The only place that knows where pg, Prisma and its adapter put an error's code.

/** The part of an error of Prisma's adapter that is read here. */
interface AdapterCause {
  originalCode?: string;
  kind?: string;
}

/** The adapter's names of errors that it reports without PostgreSQL's code, as that code or as the socket's. */
const codes = new Map([
  ['AuthenticationFailed', '28P01'],
  ['ConnectionClosed', 'ECONNRESET'],
  ['DatabaseAccessDenied', '28000'],
  ['DatabaseDoesNotExist', '3D000'],
  ['DatabaseNotReachable', 'ECONNREFUSED'],
  ['SocketTimeout', 'ETIMEDOUT'],
  ['TlsConnectionError', 'P1011'],
  ['TooManyConnections', '53300'],
  ['TransactionAlreadyClosed', 'P2028'],
  ['TransactionWriteConflict', '40001'],
]);

/**
 * The code of an error: PostgreSQL's if there is one, else Prisma's (such as `P2002`), or the socket's (`ECONNRESET`).
 * Prisma gives a statement's error a code of its own, but throws that of a savepoint as the adapter made it.
 * @param error of pg's, of Prisma's, of its adapter, or of Node's sockets
 */
export function getErrorCode(error: unknown): string | undefined {
  if (error instanceof DatabaseError) return error.code;
  if (error instanceof DriverAdapterError) return getAdapterCode(error.cause);
  if (error instanceof Prisma.PrismaClientKnownRequestError) {
    const { driverAdapterError } = (error.meta ?? {}) as { driverAdapterError?: { cause?: AdapterCause } };
    return getAdapterCode(driverAdapterError?.cause ?? {}) ?? error.code;
  }
  if (error instanceof AggregateError) return getErrorCode(error.errors[0]);
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

const getAdapterCode = ({ originalCode, kind = '' }: AdapterCause): string | undefined =>
  originalCode ?? codes.get(kind);
