import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../prisma/migrate/migrate.ts';
import { beginAttempts, endAttempts } from '../../schema/resources/delivery/attempts.ts';
import { startService, withoutTriggers, type Integrator, type Service } from '../harness.ts';
import { explain } from '../plans.ts';
import { listen, type Statement } from '../isolation/statements.ts';
import { createWebhook, schedule } from './receiver.ts';

// A tenant that PostgreSQL's statistics don't know yet, beside one that they know: see prisma/migrate/tenant-statistics.ts.

const size = 20_000;
let service: Service;
let known: Integrator;
let fresh: Integrator;

/** Events with a waiting delivery each. */
async function fill({ tenantId }: Integrator, webhookId: string): Promise<void> {
  await withoutTriggers(service, (client) =>
    client.query(
      `with event as (
         insert into events (tenant_id, id, type, body, created_at, fanned_out_at)
         select $1, uuidv7(), 'customer.created', '{}', now(), now() from generate_series(1, $3::int) returning id
       )
       insert into deliveries (tenant_id, id, webhook_id, event_id, state, next_attempt_at, created_at)
       select $1, id, $2, id, 'waiting', now() + interval '1 hour', now() from event`,
      [tenantId, webhookId, size],
    ),
  );
}

beforeAll(async () => {
  service = await startService();
  known = await service.integrator();
  fresh = await service.integrator();
  const tables = ['events', 'deliveries', 'delivery_attempts'];
  for (const table of tables) await service.pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
  await fill(known, (await createWebhook(known, { url: 'https://hooks.example.com' })).id);
  await service.pool.query(`analyze ${tables.join(', ')}`);
  await fill(fresh, (await createWebhook(fresh, { url: 'https://hooks.example.com' })).id);
});
afterAll(() => service.close());

/** The most rows that a step of a statement's plan reads, of the statements that some work sends about a table. */
async function mostRead(table: string, work: () => Promise<unknown>): Promise<number> {
  const statements: Statement[] = [];
  const stop = listen((statement) => statements.push(statement));
  await work().finally(stop);
  const read: number[] = [];
  for (const statement of statements.filter(({ text }) => text.includes(table))) {
    // A statement of an attempt finds its rows again, and changes none of them.
    for (const node of await explain(service, fresh.tenantId, statement)) {
      const rows = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
      if (node['Node Type'].includes('Scan')) read.push(rows * node['Actual Loops']);
    }
  }
  return Math.max(...read);
}

it('of a new tenant’s rows, the attempts of a batch read their own', async () => {
  const rules = { retryDelaysMs: schedule, attemptMs: 16_000 };
  const deliveries = await fresh.db.delivery.findMany({ take: 50, select: { id: true } });
  const ids = deliveries.map(({ id }) => id);
  const now = new Date();
  const received = { status: 200, responseHeaders: {}, responseBody: Buffer.alloc(0), error: null, durationMs: 1 };
  const results = ids.map((deliveryId) => ({ deliveryId, number: 1, success: true, ...received }));
  const work = async (): Promise<void> => {
    expect(await beginAttempts(fresh.db, ids, now, rules, () => ({}))).not.toContain(undefined);
    await endAttempts(fresh.db, results, now, rules);
  };
  expect(await mostRead('deliveries', work)).toBeLessThan(60 * 60);
});

it('what was counted before is forgotten with a migration', async () => {
  const { pool } = service;
  await pool.query('alter table events alter column tenant_id set statistics -1; analyze events');
  const count = async (): Promise<number> =>
    (await pool.query(`select from pg_stats where tablename = 'events' and attname = 'tenant_id'`)).rowCount ?? NaN;
  expect(await count()).toBe(1);
  await migrate(pool.options.connectionString ?? '');
  expect(await count()).toBe(0);
  await pool.query('analyze events');
  expect(await count()).toBe(0);
});
