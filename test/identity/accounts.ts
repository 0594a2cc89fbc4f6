import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Pool, QueryConfig } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';
import { connect, type UnscopedClient } from '../../prisma/client.ts';
import { ConnectionPool, observeStatements } from '../../prisma/connection/connection.ts';
import {
  createAuthenticate,
  createTenant,
  createToken,
  createUser,
  RefusedError,
  type Authentication,
} from '../../src/identity/index.ts';
import { createDatabase, type Database } from '../harness.ts';

let database: Database;
export let pool: Pool;
export let client: UnscopedClient;
/** The SQL sent. */
export const statements: string[] = [];
export const onError = vi.fn<(error: unknown) => void>();

/** For a file of tests: a database, and a client of it whose statements are heard. */
export function openAccounts(): void {
  let stopListening: () => void;
  beforeAll(async () => {
    database = await createDatabase();
    pool = new ConnectionPool({ connectionString: database.url, max: 10 });
    pool.on('error', () => {});
    stopListening = observeStatements(({ text }) => void statements.push(text));
    client = connect(pool);
  });

  afterAll(async () => {
    stopListening();
    await client.$disconnect();
    await pool.end();
    await database.drop();
  });

  beforeEach(() => {
    onError.mockReset();
  });
}

/** For what comes by itself, after a moment: how long to look for it, in milliseconds, before it is given up. */
export const ample = { timeout: 60_000 };

export const unknownId = '01890a5d-ac96-774b-bcce-b302099a8057';
export const someEmail = (): string => `${randomUUID()}@example.com`;

/** The statements that were begun. Nobody waits for those that write a token's use, but a test. */
const begun: Promise<unknown>[] = [];
const noting = {
  query: (statement: QueryConfig) => {
    const answer = pool.query(statement);
    begun.push(answer.catch(() => {}));
    return answer;
  },
} as unknown as Pool;
/** A use that is noted while another is written begins after that one. */
export async function untilNoted(): Promise<void> {
  for (let known = -1; known < begun.length; await setImmediate()) {
    known = begun.length;
    await Promise.all(begun);
  }
}

const authenticateNoting = createAuthenticate(noting, onError);
export const authenticate = (token: string, now = new Date()): Promise<Authentication> =>
  authenticateNoting(`Bearer ${token}`, now);
export const findKind = async (token: string, now?: Date): Promise<string> => (await authenticate(token, now)).kind;

/** A tenant with one user and a token. */
export async function someTenant() {
  const tenant = await createTenant(client, { name: 'Acme' });
  const user = await createUser(client, { email: someEmail(), tenantId: tenant.id });
  const token = await createToken(client, { tenantId: tenant.id });
  return { tenant, user, token };
}

export const at = (seconds: number): Date => new Date(Date.UTC(2030, 0, 1) + seconds * 1000);
export const lastUsed = async (id: string): Promise<Date | null> =>
  (await client.apiToken.findUniqueOrThrow({ where: { id } })).lastUsedAt;
export const untilUsed = (id: string): Promise<void> =>
  vi.waitFor(async () => expect(await lastUsed(id)).not.toBeNull(), ample);

export const ids = (tokens: { id: string }[]): string[] => tokens.map(({ id }) => id);

/** The one line a refusal consists of. */
export async function refusal(action: Promise<unknown>): Promise<string> {
  const error: unknown = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RefusedError);
  const { message } = error as RefusedError;
  expect(message).not.toContain('\n');
  return message;
}
