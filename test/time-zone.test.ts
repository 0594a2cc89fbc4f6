import { Client, Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { forTenant } from '../prisma/client.ts';
import { declareDistributed } from '../prisma/distribute/distributed.ts';
import { findSettingsProblem, findWorkersProblem } from '../prisma/connection/node-settings.ts';
import { readConfig } from '../src/config/config.ts';
import { openDatabase } from '../src/database/database.ts';
import { createTenant } from '../src/identity/index.ts';
import { onCluster } from './citus/cluster.ts';
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

const standsForCitus = onCluster('functions of the test stand for those of Citus');

describe.skipIf(standsForCitus)('settings that would change how times and dates are read are found', () => {
  const faultWith = async (...statements: string[]): Promise<string | undefined> => {
    const { url, drop } = await createDatabase();
    onTestFinished(drop);
    const pool = new Pool({ connectionString: url, max: 1 });
    onTestFinished(() => pool.end());
    for (const statement of statements) await pool.query(statement);
    return findSettingsProblem(pool);
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

describe.skipIf(standsForCitus)('a worker with a fault is found', () => {
  /** Answers as Citus does, on a database that says that its books are distributed. */
  const faultOf = async (answer: string): Promise<string | undefined> => {
    const { url, drop } = await createDatabase();
    onTestFinished(drop);
    const pool = new Pool({ connectionString: url, max: 3 });
    onTestFinished(() => pool.end());
    await pool.query(`
      create table pg_dist_node (nodeid int, groupid int, nodename text, nodeport int, noderole text, isactive boolean);
      insert into pg_dist_node values
        (1, 0, 'coordinator', 5432, 'primary', true), (2, 1, 'worker', 5432, 'primary', true),
        (3, 2, 'worker', 5433, 'primary', true), (4, 3, 'removed', 5432, 'primary', false);
      create function master_run_on_worker(names text[], ports int[], commands text[], parallel boolean)
      returns table (success boolean, result text) language plpgsql as $$ begin
        if names <> '{worker}' then raise 'not a worker'; end if;
        if ports = '{5433}' then ${answer};
        else return query select true, json_build_array('UTC', 'ISO, YMD', extract(epoch from clock_timestamp()), true)::text;
        end if;
      end $$`);
    expect(await findWorkersProblem(pool), 'before the books are distributed').toBeUndefined();
    await declareDistributed(pool);
    return findWorkersProblem(pool);
  };
  const clock = (difference: string, isPrepared = true): string => `return query
    select true, json_build_array('UTC', 'ISO, YMD', extract(epoch from clock_timestamp() ${difference}), ${isPrepared})::text`;

  it.each([
    [clock(''), undefined],
    [clock(`+ interval '0.9 s'`), undefined],
    [
      clock(`+ interval '1 hour'`),
      /^The worker with the nodeid 3 has a clock that differs by 3\d\d\d\.\d s from the coordinator's\.$/,
    ],
    [
      clock(`- interval '1 hour'`),
      /^The worker with the nodeid 3 has a clock that differs by 3\d\d\d\.\d s from the coordinator's\.$/,
    ],
    [
      `return query select true, json_build_array('Europe/Berlin', 'ISO, YMD', extract(epoch from now()), true)::text`,
      /^The worker with the nodeid 3 has the time zone Europe\/Berlin\. /,
    ],
    [
      `return query select false, 'failed to connect to worker:5433'`,
      /^The worker with the nodeid 3 does not answer\.$/,
    ],
    ['perform pg_sleep(30)', /^The worker with the nodeid 3 does not answer\.$/],
  ])('%s', async (answer, fault) => {
    const found = await faultOf(answer);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });
});
