import { setTimeout as sleep } from 'node:timers/promises';
import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import { isConnectionLost, isUnavailable, isUnwritable, Prisma, UnavailableError } from '../prisma/client.ts';
import { asCoded, NotFoundError } from '../schema/errors/errors.ts';

// A request that is out of time, or without a database, is no internal error.

function ofPostgres(code: string, message = 'a message'): DatabaseError {
  return Object.assign(new DatabaseError(message, message.length, 'error'), { code });
}
const ofPrisma = (code: string, originalCode?: string): Error =>
  new Prisma.PrismaClientKnownRequestError('a message', {
    code,
    clientVersion: '0',
    ...(originalCode !== undefined && { meta: { driverAdapterError: { cause: { originalCode } } } }),
  });
/** As Prisma's adapter throws it, from a savepoint. */
const ofAdapter = (cause: DriverAdapterError['cause']): Error => new DriverAdapterError(cause);
const terminated = { kind: 'postgres', code: '57P01', severity: 'FATAL', message: '' } as const;
const ofSocket = (code: string, syscall = 'connect'): Error => Object.assign(new Error('a message'), { code, syscall });

const lost: [string, unknown][] = [
  ...['08006', '08P01', '57P01', '57P02', '57P03', '57P05', '25P03', '53300'].map((code): [string, unknown] => [
    `PostgreSQL's ${code}`,
    ofPostgres(code),
  ]),
  ...['P1001', 'P1017'].map((code): [string, unknown] => [`Prisma's ${code}`, ofPrisma(code)]),
  ...[
    'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
    'failure on connection marked as essential: 127.0.0.1:5433',
    'could not commit transaction for shard 102047 on at least one active node',
  ].map((message): [string, unknown] => [`Citus’ ${message}`, ofPostgres('XX000', message)]),
  ["Prisma's P2010 for 57P01", ofPrisma('P2010', '57P01')],
  ["the adapter's closed connection", ofAdapter({ kind: 'ConnectionClosed' })],
  ["the adapter's unreachable server", ofAdapter({ kind: 'DatabaseNotReachable' })],
  [
    "the adapter's 57P01",
    ofAdapter({ ...terminated, originalCode: '57P01', detail: undefined, column: undefined, hint: undefined }),
  ],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOENT'].map((code): [string, unknown] => [
    code,
    ofSocket(code),
  ]),
  ['two addresses that refuse', new AggregateError([ofSocket('ECONNREFUSED'), ofSocket('ECONNREFUSED')])],
  ["PostgreSQL's refusal of a password", ofPostgres('28P01')],
  ...['CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'].map(
    (code): [string, unknown] => [code, ofSocket(code)],
  ),
  ["the adapter's refused password", ofAdapter({ kind: 'AuthenticationFailed' })],
  ["the adapter's refused certificate", ofAdapter({ kind: 'TlsConnectionError', reason: 'certificate has expired' })],
  ['a connection that ended', new Error('Connection terminated unexpectedly')],
  ['a connection that had an error', new Error('Client has encountered a connection error and is not queryable')],
];

const late: [string, unknown][] = [
  ...['57014', '55P03', '53200', '53400', '40001'].map((code): [string, unknown] => [
    `PostgreSQL's ${code}`,
    ofPostgres(code),
  ]),
  ...['P2024', 'P2028', 'P1008', 'P2034'].map((code): [string, unknown] => [`Prisma's ${code}`, ofPrisma(code)]),
  ["the adapter's contention", ofAdapter({ kind: 'TransactionWriteConflict' })],
  ["Prisma's P2039 for 57014", ofPrisma('P2039', '57014')],
  ['no connection in time', new Error('timeout exceeded when trying to connect')],
  ['no answer in time', new Error('Query read timeout')],
  ['an aborted signal', AbortSignal.abort().reason],
  [
    'a wait that was aborted',
    await sleep(1, undefined, { signal: AbortSignal.abort() }).catch((error: unknown) => error),
  ],
  [
    'the task of a thread that was aborted',
    Object.assign(new Error('The task has been aborted'), { name: 'AbortError' }),
  ],
  ['a full disk of temporary files', ofSocket('ENOSPC', 'write')],
  ['what is of our own', new UnavailableError('busy')],
];

const unwritable: [string, unknown][] = [
  ['a full disk', ofPostgres('53100')],
  ['a server that is read-only', ofPrisma('P2039', '25006')],
];

const faults: [string, unknown][] = [
  ['a missing table', ofPostgres('42P01')],
  ['a violated constraint', ofPrisma('P2002')],
  ['a wrong number of parameters', ofPostgres('08P01', 'bind message supplies 1 parameters')],
  ['a missing file', ofSocket('ENOENT', 'open')],
  ['a mistake', new TypeError('x is not a function')],
  ['nothing', undefined],
];

describe('a database that is away, out of time, or not writable is answered as UNAVAILABLE', () => {
  it.each([...lost, ...late, ...unwritable])('%s', (_name, error) => {
    expect(isUnavailable(error)).toBe(true);
    expect(asCoded(error)?.extensions).toEqual({ code: 'UNAVAILABLE', retryAfter: 5 });
  });

  it.each(faults)('but not %s', (_name, error) => {
    expect(isUnavailable(error)).toBe(false);
    expect(asCoded(error)).toBeUndefined();
  });

  it('nor what has a code of its own', () => expect(asCoded(new NotFoundError())?.extensions.code).toBe('NOT_FOUND'));
});

it('only after a lost connection, a read is tried again', () => {
  expect(lost.filter(([, error]) => !isConnectionLost(error))).toEqual([]);
  expect([...late, ...unwritable, ...faults].filter(([, error]) => isConnectionLost(error))).toEqual([]);
  expect([...lost, ...late, ...faults].filter(([, error]) => isUnwritable(error))).toEqual([]);
  expect(unwritable.filter(([, error]) => !isUnwritable(error))).toEqual([]);
});
