import { Client, Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { forTenant } from '../prisma/client.ts';
import { settingsFault } from '../prisma/node-settings.ts';
import { readConfig } from '../src/config.ts';
import { openDatabase } from '../src/database.ts';
import { createTenant } from '../src/identity/index.ts';
import { createDatabase } from './harness.ts';

it('times are read as written in any time zone of the database', async () => {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  const operator = new Client({ connectionString: url });
  await operator.connect();
  await operator.query(`alter database ${operator.database} set timezone = 'Asia/Tokyo'`);
  await operator.end();

  const config = readConfig({ DATABASE_URL: url, KONTOR_SECRET: 'the secret of the tests, long enough' });
  const database = await openDatabase(config, { report: () => {} });
  onTestFinished(database.close);
  const { id } = await createTenant(database.client, { name: 'Acme' });
  const db = forTenant(database.books, id);
  const createdAt = new Date('2026-03-01T12:00:00Z');
  const written = await db.customer.create({ data: { type: 'CUSTOMER', companyName: 'Kundin', createdAt } });
  const updated = await db.customer.updateManyAndReturn({ where: { id: written.id }, data: { companyName: 'K' } });
  const [read] = await db.customer.findMany();
  const tenant = await database.client.tenant.update({ where: { id }, data: { createdAt } });
  for (const row of [written, ...updated, read, tenant]) expect(row?.createdAt).toEqual(createdAt);
});

describe('settings that would change how times and dates are read are found', () => {
  const faultWith = async (...statements: string[]): Promise<string | undefined> => {
    const { url, drop } = await createDatabase();
    onTestFinished(drop);
    const pool = new Pool({ connectionString: url, max: 1 });
    onTestFinished(() => pool.end());
    for (const statement of statements) await pool.query(statement);
    return settingsFault(pool);
  };

  /** Answers as Citus does. */
  const worker = (settings: string, succeeds = true): string => `
    create function run_command_on_workers(command text)
    returns table (nodename text, nodeport int, success boolean, result text) language sql
    as $$ select 'worker', 5432, ${succeeds}, '${settings}' $$`;

  it.each([
    [
      [`set timezone = 'Asia/Tokyo'`],
      `The database has the time zone Asia/Tokyo. Set timezone = 'UTC' in its configuration.`,
    ],
    [
      [`set timezone = 'UTC'`, `set datestyle = 'German'`],
      `The database writes dates as German, DMY. Set datestyle = 'ISO, YMD' in its configuration.`,
    ],
    [[`set timezone = 'Etc/UTC'`, `set datestyle = 'ISO, DMY'`], undefined],
    [
      [`set timezone = 'UTC'`, worker('["Europe/Berlin", "ISO, DMY"]')],
      `The worker worker:5432 has the time zone Europe/Berlin. Set timezone = 'UTC' in its configuration.`,
    ],
    [
      [`set timezone = 'UTC'`, worker('["UTC", "SQL, DMY"]')],
      `The worker worker:5432 writes dates as SQL, DMY. Set datestyle = 'ISO, YMD' in its configuration.`,
    ],
    [[`set timezone = 'UTC'`, worker('["UTC", "ISO, MDY"]')], undefined],
    [[`set timezone = 'UTC'`, worker('could not connect', false)], undefined],
  ])('%s', async (statements, fault) => {
    expect(await faultWith(...statements)).toBe(fault);
  });
});
