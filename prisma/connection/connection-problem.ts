import { createConnection } from './connection.ts';
import { poolTimeouts } from './pool-options.ts';

// Why no connection to the database is made, for those who operate the service.

export interface ConnectionProblem {
  /** For anybody: without names and addresses. */
  reason: string;
  /** Whether only a change of the settings can help. */
  isPermanent: boolean;
}

const refusesPassword = 'The database refuses the password.';
const missing = 'There is no database of this name.';

/** Codes of PostgreSQL, of sockets, and of TLS, each with its reason. */
const permanent = new Map([
  ['28P01', refusesPassword],
  ['28000', 'The database refuses the login: its user, its address, or the lack of TLS.'],
  ['3D000', missing],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "The database's certificate is for another host name."],
  ['CERT_HAS_EXPIRED', "The database's certificate has expired."],
  ['ENOENT', 'A file of the TLS settings of the database is missing.'],
]);
const passing = new Map([
  ['ECONNREFUSED', 'The database does not answer: the connection is refused.'],
  ['ENOTFOUND', 'The database does not answer: its host name is unknown.'],
  ['EAI_AGAIN', 'The database does not answer: the name server does not either.'],
  ['EHOSTUNREACH', 'The database does not answer: there is no way to its host.'],
  ['ENETUNREACH', 'The database does not answer: there is no way to its network.'],
  ['53300', 'The database has no connection left.'],
  ['57P03', 'The database is starting up.'],
  ['55000', 'The database accepts no connections for now.'],
]);
/** The messages without a code of their own: pg's, and those of pgbouncer. */
const messages: [pattern: RegExp, reason: string][] = [
  [/does not support SSL/, 'The database does not support TLS.'],
  [/password authentication failed|SASL authentication failed|no such user/, refusesPassword],
  [/no such database|database ".*" does not exist/, missing],
];
/** OpenSSL's codes of certificates that nobody known has signed. */
const untrusted =
  /^(?:SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|CERT_(?:UNTRUSTED|SIGNATURE))/;

/** Undefined where the error says nothing of the connection. */
export function findConnectionProblem(error: unknown): ConnectionProblem | undefined {
  if (error instanceof AggregateError) return findConnectionProblem(error.errors[0]);
  const { code = '', message = '', syscall } = (error ?? {}) as { code?: string; message?: string; syscall?: string };
  if (code === 'ENOENT' && syscall === 'connect')
    return { reason: passing.get('ECONNREFUSED') ?? '', isPermanent: false };
  if (untrusted.test(code)) return { reason: "The database's certificate is not trusted.", isPermanent: true };
  const known = permanent.get(code) ?? messages.find(([pattern]) => pattern.test(message))?.[1];
  if (known !== undefined) return { reason: known, isPermanent: true };
  const reason = passing.get(code);
  return reason === undefined ? undefined : { reason, isPermanent: false };
}

/** Connects, and disconnects. @throws Error where no connection is made */
export async function connectOnce(connectionString: string): Promise<void> {
  const connection = createConnection({ connectionString, ...poolTimeouts, application_name: 'kontor' });
  connection.on('error', () => {});
  await connection.connect().finally(() => void connection.end().catch(() => {}));
}

/**
 * Connects once, to say at the start what the settings lack.
 * @param variable the setting with the URL
 * @param mayWait whether a database that only is away is waited for
 * @param report receives the line about one that is waited for
 * @throws Error of one line: the setting, and the reason
 */
export async function checkConnection(
  [variable, connectionString]: readonly [variable: string, url: string],
  mayWait: boolean,
  report: (line: string) => void,
): Promise<void> {
  try {
    await connectOnce(connectionString);
  } catch (error) {
    const problem = findConnectionProblem(error);
    const { hostname, port, username, pathname, searchParams } = new URL(connectionString);
    const host = searchParams.get('host') ?? hostname;
    const to = `${host}${port && `:${port}`}, user ${decodeURIComponent(username)}, database ${pathname.slice(1)}`;
    const detail = error instanceof AggregateError ? String(error.errors[0]?.message) : (error as Error).message;
    const line = `${variable} (${to}): ${problem?.reason ?? 'The database does not answer.'} (${detail})`;
    if (!mayWait || problem?.isPermanent) throw new Error(line.replaceAll(/\s+/g, ' '), { cause: error });
    report(`${line.replaceAll(/\s+/g, ' ')} Kontor waits for it.`);
  }
}
