import { afterAll, beforeAll, expect, it } from 'vitest';
import { Keyring } from '../../src/security/keyring.ts';
import { findSecretProblem } from '../../src/security/secret-check.ts';
import { createEmptyDatabase, startService, type Service } from '../harness.ts';
import { ConnectionPool } from '../../prisma/connection/connection.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const first = 'the first secret of this database, long enough';
const another = 'another secret, which is as long as the first';

it('the first secret of a database is the only one that is accepted', async () => {
  const { pool } = service;
  const asked = await Promise.all(Array.from({ length: 8 }, () => findSecretProblem(pool, new Keyring(first))));
  expect(asked).toEqual(Array.from({ length: 8 }, () => undefined));
  const problem =
    'KONTOR_SECRET is not the one that this database was used with: its webhook secrets could not be read. Set the former one.';
  expect(await findSecretProblem(pool, new Keyring(another))).toBe(problem);
  const { rows } = await pool.query('select count(*)::int as count from secret_checks');
  expect(rows).toEqual([{ count: 1 }]);
});

it('a database that is not migrated cannot tell', async () => {
  const database = await createEmptyDatabase();
  const pool = new ConnectionPool({ connectionString: database.url, max: 1 });
  try {
    await expect(findSecretProblem(pool, new Keyring(first))).rejects.toMatchObject({ code: '42P01' });
  } finally {
    await pool.end();
    await database.drop();
  }
});
