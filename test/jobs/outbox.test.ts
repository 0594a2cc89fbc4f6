import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Client, type Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isContention } from '../../prisma/client.ts';
import { ConnectionPool } from '../../prisma/connection/connection.ts';
import { Workers } from '../../prisma/distribute/workers.ts';
import { moveOutbox, startOutbox } from '../../src/jobs/queue/outbox.ts';
import { createNotifications, type Notifications } from '../../src/notifications/notifications.ts';
import { emptyOutbox, fannedOut, makeCustomer } from '../graphql/books.ts';
import {
  createDatabase,
  distributeInName,
  startService,
  type Database,
  type Integrator,
  type Service,
  asTenant,
} from '../harness.ts';
import { createWebhook, startReceiver, until, work } from '../webhooks/receiver.ts';

// Where the books are distributed, triggers leave jobs and announcements in the outbox. Nothing moves it here, but the tests.

let database: Database;
let service: Service;
let pool: Pool;
let acme: Integrator;
let globex: Integrator;

beforeAll(async () => {
  database = await createDatabase();
  await distributeInName(database);
  service = await startService({ database, movesOutbox: false });
  pool = service.pool;
});
afterAll(async () => {
  await service.close();
  await database.drop();
});
beforeEach(async () => {
  await pool.query('truncate outbox, graphile_worker._private_jobs');
  [acme, globex] = [await service.integrator(), await service.integrator()];
});

const event = (type = 'customer.created') => ({ type, body: '{}' });
const events = (count: number) => Array.from({ length: count }, () => event());
const entries = async (): Promise<Record<string, unknown>[]> =>
  (await pool.query('select * from outbox order by created_at')).rows;

/** Writes as many entries of one job each. The payloads are numbered in their order. */
const fill = ({ tenantId }: Integrator, count: number, jobs = 1) =>
  pool.query(
    `insert into outbox (tenant_id, task, payloads, created_at)
     select $1, 'fan_out', array(
       select json_build_object('tenantId', $1::uuid, 'eventId', (entry - 1) * $3 + job) from generate_series(1, $3) as job
     ), now() + entry * interval '1 microsecond'
     from generate_series(1, $2::int) as entry`,
    [tenantId, count, jobs],
  );
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index + 1));

describe('the outbox', () => {
  it('gets the jobs of a statement as one entry, and the queue gets them in their order', async () => {
    const written = await acme.db.event.createManyAndReturn({ data: events(200) });
    const ids = written.map(({ id }) => id).toSorted();
    expect((await pool.query('select from graphile_worker._private_jobs')).rows).toEqual([]);
    const payloads = ids.map((eventId) => ({ tenantId: acme.tenantId, eventId }));
    expect(await entries()).toMatchObject([{ tenant_id: acme.tenantId, task: 'fan_out', payloads, run_at: null }]);
    expect(await moveOutbox(pool)).toBe(1);
    expect(await entries()).toEqual([]);
    expect(await fannedOut(service, acme)).toEqual(ids);
    expect(await moveOutbox(pool)).toBe(0);
  });

  it('keeps when a delivery is due', async () => {
    const { id: webhookId } = await createWebhook(acme, { url: 'https://example.com/' });
    const { id: eventId } = await acme.db.event.create({ data: event() });
    const nextAttemptAt = new Date('2031-02-03T04:05:06.789Z');
    const { id } = await acme.db.delivery.create({ data: { webhookId, eventId, nextAttemptAt } });
    await emptyOutbox(service);
    const { rows } = await pool.query(
      `select payload, run_at, max_attempts from graphile_worker._private_jobs where payload ->> 'deliveryId' = $1`,
      [id],
    );
    const payload = { tenantId: acme.tenantId, webhookId, deliveryId: id };
    expect(rows).toEqual([{ payload, run_at: nextAttemptAt, max_attempts: 1000 }]);
  });

  it('of a transaction that is rolled back gets nothing', async () => {
    const undone = acme.db.$transaction(async (db) => {
      await db.event.createMany({ data: events(3) });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await entries()).toEqual([]);
  });

  it('with 100,000 entries of a tenant delays another tenant’s by one transaction', async () => {
    await fill(acme, 100_000);
    const { id } = await globex.db.event.create({ data: event() });
    expect(await moveOutbox(pool)).toBe(1000);
    const { rows } = await pool.query(
      `select payload ->> 'eventId' as id from graphile_worker._private_jobs order by _private_jobs.id`,
    );
    expect(rows.map((row) => row.id).filter((each) => each === id)).toEqual([id]);
    expect(rows.map((row) => row.id).filter((each) => each !== id)).toEqual(numbered(999));
  });

  it('moves the small entries first, and never much more than 5,000 jobs in a transaction', async () => {
    await fill(acme, 3, 4000);
    await fill(globex, 2);
    expect(await moveOutbox(pool)).toBe(4); // 1 and 4,000 jobs, then 1 and 4,000
    expect((await pool.query('select from graphile_worker._private_jobs')).rows).toHaveLength(8002);
    await emptyOutbox(service);
    const { rows } = await pool.query(
      `select payload ->> 'eventId' as id from graphile_worker._private_jobs where payload ->> 'tenantId' = $1
       order by _private_jobs.id`,
      [acme.tenantId],
    );
    expect(rows.map((row) => row.id)).toEqual(numbered(12_000));
  });

  it('moves entries of two tenants with the same id', async () => {
    const id = randomUUID();
    for (const { tenantId } of [acme, globex])
      await pool.query(`insert into outbox (tenant_id, id, task, payloads) values ($1, $2, 'fan_out', $3::json[])`, [
        tenantId,
        id,
        [JSON.stringify({ tenantId })],
      ]);
    expect(await moveOutbox(pool)).toBe(2);
    const { rows } = await pool.query(`select payload ->> 'tenantId' as tenant from graphile_worker._private_jobs`);
    expect(rows.map(({ tenant }) => tenant).toSorted()).toEqual([acme.tenantId, globex.tenantId].toSorted());
  });

  it('of a database on one server is emptied too, once a worker starts: a restored one may have entries', async () => {
    const plain = await startService();
    await plain.pool.query(`insert into outbox (tenant_id, task, payloads) values ($1, 'overdue', array['{}'::json])`, [
      randomUUID(),
    ]);
    const outbox = startOutbox(plain.pool, pino({ level: 'silent' }), plain.workers);
    const jobs = `select from graphile_worker.jobs where task_identifier = 'overdue'`;
    await until(async () => (await plain.pool.query(jobs)).rows.length === 1, 'the job');
    await outbox.stop();
    await plain.close();
  });
});

describe('a mover that is killed', () => {
  /** Holds the queue's table, so that a mover has deleted entries, and waits. */
  async function holdQueue(): Promise<{ release: () => Promise<void> }> {
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('begin; lock table graphile_worker._private_jobs in access exclusive mode');
    return { release: () => holder.end() };
  }
  const waiting = `select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'select queue_jobs%'`;
  const isWaiting = (): Promise<void> =>
    until(async () => (await pool.query(waiting)).rows.length === 1, 'a mover in the middle');

  it.each([
    ['as a process', async (mover: ReturnType<typeof execFile>) => void mover.kill('SIGKILL')],
    [
      'by its connection',
      async (mover: ReturnType<typeof execFile>) => {
        await pool.query(`select pg_terminate_backend(pid) from (${waiting}) as mover`);
        await once(mover, 'exit');
      },
    ],
  ])('%s in the middle loses nothing, and moves nothing twice', async (_how, kill) => {
    const written = await acme.db.event.createManyAndReturn({ data: events(5) });
    const queue = await holdQueue();
    const program = `
      const { Pool } = await import('pg');
      const { moveOutbox } = await import('${new URL('../../src/jobs/queue/outbox.ts', import.meta.url)}');
      await moveOutbox(new Pool({ connectionString: process.argv[1] }));`;
    const mover = execFile(process.execPath, ['--input-type=module', '--eval', program, database.url]);
    const exited = once(mover, 'exit');
    await isWaiting();
    expect(await moveOutbox(pool), 'another one does not wait').toBe(0);
    await kill(mover);
    await exited.catch(() => {});
    await queue.release();
    // Its server process may go on until it notices.
    await until(async () => (await pool.query(waiting)).rows.length === 0, 'the end of its transaction');
    await emptyOutbox(service);
    expect(await fannedOut(service, acme)).toEqual(written.map(({ id }) => id).toSorted());
  });
});

it('whatever is committed reaches the queue once, in its tenant’s order, whichever movers are killed', async () => {
  const transaction = fc.record({
    tenant: fc.nat({ max: 2 }),
    statements: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    fails: fc.boolean(),
  });
  const history = fc.record({
    transactions: fc.array(transaction, { minLength: 1, maxLength: 25 }),
    kills: fc.array(fc.nat({ max: 30 }), { maxLength: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(history, async ({ transactions, kills }) => {
      const tenants = [acme, globex, await service.integrator()];
      await pool.query('truncate outbox, graphile_worker._private_jobs');
      const committed = new Map<string, string[]>(tenants.map(({ tenantId }) => [tenantId, []]));
      const done = new AbortController();

      const write = async ({ tenantId, db }: Integrator, of: typeof transactions): Promise<void> => {
        for (const { statements, fails } of of) {
          const ids: string[] = [];
          const whole = db.$transaction(async (inside) => {
            for (const count of statements) {
              const rows = await inside.event.createManyAndReturn({ data: events(count), select: { id: true } });
              ids.push(...rows.map(({ id }) => id).toSorted());
            }
            if (fails) throw new Error('fails');
          });
          const ok = await whole
            .then(() => true)
            .catch((error: unknown) => {
              if (isContention(error)) throw error;
              return false;
            });
          if (ok) committed.get(tenantId)?.push(...ids);
        }
      };
      const move = async (): Promise<void> => {
        while (!done.signal.aborted) {
          await moveOutbox(pool).catch(() => {});
          await sleep(1);
        }
      };
      const kill = async (): Promise<void> => {
        for (const ms of kills) {
          await sleep(ms);
          await pool.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
               and pid <> pg_backend_pid() and query ~ 'outbox|queue_jobs|as taken' and query !~ 'pg_stat_activity'
               and application_name <> 'kontor notifications' and state <> 'idle'`,
          );
        }
      };
      const movers = [move(), move(), kill()];
      await Promise.all(
        tenants.map((who, index) =>
          write(
            who,
            transactions.filter(({ tenant }) => tenant === index),
          ),
        ),
      );
      await movers[2];
      done.abort();
      await Promise.all(movers);
      await emptyOutbox(service);
      for (const who of tenants) expect(await fannedOut(service, who)).toEqual(committed.get(who.tenantId));
    }),
    { numRuns: 15 },
  );
});

it('the deliveries of many events arrive, each once', async () => {
  const receiver = await startReceiver();
  await createWebhook(acme, { url: receiver.url, events: ['customer.created'] });
  const worker = await work(service);
  const customers = [];
  for (let count = 0; count < 10; count += 1) customers.push(await makeCustomer(acme));
  await globex.db.event.createMany({ data: events(300) });
  await acme.db.event.createMany({ data: events(300) });
  await until(async () => receiver.requests.length >= 310, 'all deliveries');
  await worker.stop();
  await receiver.close();
  const deliveries = receiver.requests.map(({ headers }) => headers['x-service-delivery']);
  expect(new Set(deliveries).size).toBe(310);
  expect(deliveries).toHaveLength(310);
  expect(await entries()).toEqual([]);
  expect(await acme.db.delivery.count({ where: { state: 'DELIVERED' } })).toBe(310);
});

describe('watchers', () => {
  let notifications: Notifications;
  beforeEach(() => (notifications = createNotifications(database.url, service.workers)));
  afterEach(() => notifications.close());

  const watchers = async (): Promise<number> => (await pool.query('select from watchers')).rows.length;
  const watch = (who = acme) => notifications.watch('changes', asTenant(who), ([what]) => what);

  it('of other tenants and channels, and none, cause no announcement', async () => {
    await makeCustomer(acme);
    await watch(globex);
    await notifications.watch('deliveries', asTenant(acme), ([what]) => what);
    await makeCustomer(acme);
    expect((await entries()).filter(({ channel }) => channel !== null)).toEqual([]);
  });

  it('cause one announcement of equal changes in a transaction, which they get when it is moved', async () => {
    const changes = await watch();
    await acme.db.customer.createMany({ data: [1, 2, 3].map(() => ({ type: 'CUSTOMER', companyName: 'New' })) });
    const announced = (await entries()).filter(({ channel }) => channel !== null);
    expect(announced).toMatchObject([{ tenant_id: acme.tenantId, channel: 'changes', announcement: 'customer' }]);
    const next = changes.next();
    await emptyOutbox(service);
    expect(await next).toEqual({ done: false, value: 'customer' });
  });

  it('are removed when they leave, and when the process stops', async () => {
    const [one] = [await watch(), await watch(), await watch(globex)];
    expect(await watchers()).toBe(3);
    await one.return?.();
    await until(async () => (await watchers()) === 2, 'its row to go');
    const holder = await pool.connect();
    await holder.query('begin; select from watchers for update');
    let isClosed = false;
    const closing = notifications.close().then(() => (isClosed = true));
    await sleep(200);
    expect(isClosed).toBe(false); // it waits for the deletions
    await holder.query('commit');
    holder.release();
    await closing;
    expect(await watchers()).toBe(0);
  });

  it('that a worker has deleted end, because they may have missed something', async () => {
    const changes = await watch();
    await pool.query(`update watchers set seen_at = now() - interval '31 seconds'`);
    const outbox = startOutbox(pool, pino({ level: 'silent' }), service.workers);
    expect(await changes.next()).toEqual({ done: true, value: undefined });
    await outbox.stop();
    expect(await watchers()).toBe(0);
    await watch(); // on a new connection
    expect(await watchers()).toBe(1);
  });
});

it('a database that is away is logged as a warning: an error is one of Kontor', async () => {
  const away = new ConnectionPool({ connectionString: 'postgres://nobody@127.0.0.1:1/none', max: 1 });
  const lines: string[] = [];
  const outbox = startOutbox(away, pino({}, { write: (line) => void lines.push(line) }), new Workers(away));
  await until(() => lines.length > 0, 'a line');
  await outbox.stop();
  await away.end();
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, msg: 'the outbox is not moved' });
});
