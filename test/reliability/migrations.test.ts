import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { parseBackfill, readProgress } from '../../prisma/migrate/backfills.ts';
import { lockLimits } from '../../prisma/connection/lock-waits.ts';
import { migrations } from '../../prisma/migrate/migrate.ts';
import { readStatus } from '../../prisma/migrate/migration-status.ts';
import { applyMigrations, type Migration } from '../../prisma/migrate/schema-engine.ts';
import { backfill } from '../../src/jobs/backfill.ts';
import { runJob } from '../jobs/run-job.ts';
import { asIntegrator, type Integrator } from '../harness.ts';
import { create, customer, invoice } from '../rest/samples.ts';
import { insertInvoices } from './large-books.ts';
import { quantile, say, serve } from './served.ts';
import { isLong, size } from './size.ts';

// A later version's migrations, while this version serves several tenants, and while a reader holds locks for long, as a dump does.
// This version goes on with the later schema.

const invoices = size('INVOICES', { suite: 2000, full: 200_000 });
const readerMs = size('READER_MS', { suite: 3000, full: 25_000 });
const everyMs = size('EVERY_MS', { suite: 50, full: 50 });

const later: Migration[] = Object.entries({
  '99990000000001_column':
    'alter table invoices add column reviewed boolean not null default false, add column digits int',
  '99990000000002_check': `alter table invoices add constraint invoices_digits check (digits > 0) not valid`,
  '99990000000003_checked': 'alter table invoices validate constraint invoices_digits',
  '99990000000004_index': 'create index concurrently invoices_digits_idx on invoices (tenant_id, digits)',
}).map(([name, script]) => ({ name, script }));
const fill = parseBackfill(
  '99990000000001_column',
  `update invoices set digits = length(number)
   where tenant_id = $1 and id > $2 and id <= $3 and digits is null and number is not null`,
);

it(`no request fails during the migrations of books of ${invoices} invoices beside a reader of ${readerMs} ms`, async () => {
  const served = await serve();
  onTestFinished(served.close);
  const { acme, globex, beside, request } = served;
  const initech = asIntegrator({ request, books: beside.books }, await beside.integrator({ name: 'Initech' }));
  await insertInvoices(beside, acme, invoices);
  await beside.pool.query('insert into invoice_sequences (tenant_id, year, last) values ($1, 2026, $2)', [
    acme.tenantId,
    invoices,
  ]);
  const url = beside.pool.options.connectionString ?? '';
  const load = await startLoad([acme, globex, initech]);
  await sleep(1000);

  const reader = new Client({ connectionString: url, application_name: 'a dump' });
  await reader.connect();
  await reader.query('begin; select count(*) from invoices');
  const read = sleep(readerMs).then(() => reader.query('rollback'));
  const reports: string[] = [];
  load.during('migrations');
  const start = performance.now();
  await applyMigrations(url, [...(await migrations()), ...later], { report: (line) => void reports.push(line) });
  const migratedMs = performance.now() - start;
  await read;
  await reader.end();
  load.during('backfill');
  await runJob(backfill(beside.pool, async () => [fill]));
  const filledMs = performance.now() - start - migratedMs;
  const phases = await load.stop();

  for (const [phase, { statuses, taken }] of phases) {
    const figures = [0.5, 0.99, 1].map((share) => Math.round(quantile(taken, share)));
    say(
      `${phase}: ${taken.length} requests, median, 99 % and slowest ${figures.join(', ')} ms, ${JSON.stringify(statuses)}`,
    );
    expect(Object.keys(statuses).filter((status) => !status.startsWith('2'))).toEqual([]);
    if (isLong) expect(Math.max(...taken)).toBeLessThan(lockLimits.waitMs + 1000);
  }
  say(`migrated in ${Math.round(migratedMs)} ms, filled in ${Math.round(filledMs)} ms; ${reports.join('; ')}`);
  expect(reports[0]).toContain('migration 99990000000001_column waits for process');
  expect(served.loggedErrors()).toEqual([]);
  // Rows that this version adds meanwhile, after the last batch, stay as they are: the later version finds them so.
  const { rows } = await beside.pool.query(
    `select count(*) filter (where digits is null and number is not null and created_at < started_at)::int as unfilled, count(digits)::int >= $1 as filled,
       (select indisvalid from pg_index where indexrelid = 'invoices_digits_idx'::regclass) as indexed
     from invoices, backfills`,
    [invoices],
  );
  expect(rows).toEqual([{ unfilled: 0, filled: true, indexed: true }]);
  expect((await readProgress(beside.pool))[0]?.finishedAt).not.toBeNull();

  // The way back: this version, one release behind, finds nothing to do and is ready.
  expect(await readStatus(beside.pool)).toMatchObject({ pending: [], ofLaterVersion: later.map(({ name }) => name) });
  expect((await request('GET', '/health/ready')).status).toBe(200);
});

interface Phase {
  taken: number[];
  statuses: Record<string, number>;
}

/** Sends reads and writes of all tenants in turn, without waiting for earlier answers. Counts them by the phase of their start. */
async function startLoad(tenants: Integrator[]) {
  const targets = await Promise.all(
    tenants.map(async (who) => {
      const { id } = await create(who, '/customers', customer);
      const draft = await create(who, '/invoices', invoice(id));
      return { who, customer: id as string, draft: draft.id as string };
    }),
  );
  const phases = new Map<string, Phase>();
  const open = new Set<Promise<void>>();
  let phase = 'before';
  let sent = 0;
  const send = async (due: number): Promise<void> => {
    const number = sent++;
    const { who, customer: id, draft } = targets[number % targets.length]!;
    const counted = phases.get(phase) ?? { taken: [], statuses: {} };
    phases.set(phase, counted);
    const requests = [
      () => who.rest('GET', '/invoices?per_page=5'),
      () => who.rest('POST', '/invoices', { ...invoice(id), status: 'issued' }),
      () => who.rest('GET', `/invoices/${draft}`),
      () => who.rest('PATCH', `/customers/${id}`, { city: `City ${number}` }),
      () => who.rest('POST', '/invoices', { ...invoice(id), status: 'paid' }),
    ];
    const status = await requests[Math.floor(number / targets.length) % requests.length]!().then(
      (answer) => String(answer.status),
      (error: Error) => error.message,
    );
    counted.taken.push(performance.now() - due);
    counted.statuses[status] = (counted.statuses[status] ?? 0) + 1;
  };
  let due = performance.now();
  const timer = setInterval(() => {
    for (; due <= performance.now(); due += everyMs) {
      const one = send(due);
      open.add(one);
      void one.finally(() => open.delete(one));
    }
  }, everyMs / 4);
  return {
    during: (name: string): void => void (phase = name),
    stop: async (): Promise<Map<string, Phase>> => {
      clearInterval(timer);
      await Promise.all(open);
      return phases;
    },
  };
}
