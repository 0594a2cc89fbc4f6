import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { forTenant } from '../prisma/client.ts';
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
