import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withHolder, openBooks } from '../../prisma/client.ts';
import { WorkerAwayError } from '../../prisma/distribute/ask-worker.ts';
import { ConnectionPool } from '../../prisma/connection/connection.ts';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { forEachTenant } from '../../src/jobs/for-each-tenant.ts';
import { startOutbox } from '../../src/jobs/queue/outbox.ts';
import { measureDatabase } from '../../src/observability/metrics/database.ts';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import { onCluster } from '../citus/cluster.ts';
import { standInForCluster, type State, type StandIn } from '../citus/stand-in.ts';
import { createDatabase, ready, startService, type Database, type Integrator, type Service } from '../harness.ts';
import { until } from '../webhooks/receiver.ts';

// One worker of a cluster is away. Its own tenants wait, and no others. On plain PostgreSQL, which answers as a coordinator.

let database: Database;
let service: Service;
let cluster: StandIn;
/** Their rows are on the workers 2 and 3. */
let acme: Integrator;
let globex: Integrator;
const changes: [worker: number, isAway: boolean][] = [];

describe.skipIf(onCluster('functions of the test stand for those of Citus'))('while a worker is away', () => {
  beforeAll(async () => {
    database = await createDatabase();
    const owner = new ConnectionPool({ connectionString: database.url, max: 1 });
    cluster = await standInForCluster(owner).finally(() => owner.end());
    service = await startService({ database, movesOutbox: false });
    cluster = { ...cluster, set: (worker, state) => setState(worker, state) };
    service.workers.observe((...change) => void changes.push(change));
    const tenantOn = async (worker: number): Promise<Integrator> => {
      const tenant = await service.integrator();
      return (await service.workers.find(tenant.tenantId)) === worker ? tenant : tenantOn(worker);
    };
    [acme, globex] = [await tenantOn(2), await tenantOn(3)];
  });
  afterAll(async () => {
    await service.close();
    await database.drop();
  });
  beforeEach(async () => {
    await cluster.set(3, 'up');
    await until(async () => (await service.workers.askAll()).length === 0, 'both workers');
    changes.length = 0;
    await service.pool.query('truncate outbox, watchers, graphile_worker._private_jobs');
  });

  const setState = async (worker: number, state: State): Promise<void> =>
    void (await service.pool.query('update pg_dist_node set state = $2 where nodeid = $1', [worker, state]));
  const queued = async ({ tenantId }: Integrator): Promise<number> =>
    (
      await service.pool.query(`select from graphile_worker._private_jobs where payload ->> 'tenantId' = $1`, [
        tenantId,
      ])
    ).rows.length;
  const write = ({ db }: Integrator) => db.event.create({ data: { type: 'customer.created', body: '{}' } });

  it.each<State>(['dead', 'hung'])(
    '%s: the others’ jobs reach the queue, and its own once it is back',
    async (state) => {
      await write(globex);
      await write(acme);
      await cluster.set(3, state);
      expect(await service.workers.askAll()).toEqual([3]);
      const outbox = startOutbox(service.pool, pino({ level: 'silent' }), service.workers);
      await until(async () => (await queued(acme)) === 1, 'the job of the other worker');
      expect(await queued(globex)).toBe(0);
      await cluster.set(3, 'up');
      await until(async () => (await queued(globex)) === 1, 'its job');
      await outbox.stop();
      expect(changes).toEqual([
        [3, true],
        [3, false],
      ]);
    },
  );

  it('metrics name it, count what can be counted, and see the processes that work', async () => {
    await service.pool.query(`insert into workers (id, seen_at) values ('one', now()) on conflict do nothing`);
    await write(acme);
    await write(globex);
    await cluster.set(3, 'dead');
    const metrics = createMetrics();
    measureDatabase(metrics, { ...service, ...ready });
    const lines = (await metrics.registry.metrics()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'kontor_citus_worker_up{worker="2"} 1',
        'kontor_citus_worker_up{worker="3"} 0',
        'kontor_citus_move_leftovers{worker="2"} 0',
        'kontor_queue_jobs{task="outbox",state="due"} 1',
        'kontor_workers 1',
      ]),
    );
  });

  it('processes that have ended lose their watchers on the other worker', async () => {
    for (const { tenantId } of [acme, globex])
      await service.pool.query(
        `insert into watchers (tenant_id, id, channel, connection_id, seen_at)
         values ($1, gen_random_uuid(), 'changes', gen_random_uuid(), now() - interval '1 minute')`,
        [tenantId],
      );
    await cluster.set(3, 'dead');
    await service.workers.askAll();
    const outbox = startOutbox(service.pool, pino({ level: 'silent' }), service.workers);
    const left = async (): Promise<unknown[]> =>
      (await service.pool.query<{ tenant_id: string }>('select tenant_id from watchers')).rows.map(
        (row) => row.tenant_id,
      );
    await until(async () => (await left()).length === 1, 'the row to go');
    await outbox.stop();
    expect(await left()).toEqual([globex.tenantId]);
  });

  it('jobs of all tenants leave out its own, and fail at their end', async () => {
    await cluster.set(3, 'dead');
    const [lost, done]: [Error, string[]] = [new Error('Connection terminated'), []];
    const tenants = [globex, acme].map(({ tenantId: id }) => ({ id }));
    const work = async ({ id }: { id: string }): Promise<void> => {
      if (id === globex.tenantId) throw lost;
      done.push(id);
    };
    const pause = async (): Promise<void> => {};
    await expect(forEachTenant(tenants, service.workers, pause, work)).rejects.toBe(lost);
    expect(done).toEqual([acme.tenantId]);
    await cluster.set(3, 'up');
    await expect(forEachTenant(tenants, service.workers, pause, work), 'another reason').rejects.toBe(lost);
    await expect(forEachTenant(tenants, undefined, pause, work), 'on one server').rejects.toBe(lost);
    expect(done).toEqual([acme.tenantId]);
  });

  describe('requests', () => {
    const list = (who: Integrator) => who.rest('GET', '/customers');

    it('of its own tenants are refused at once, with a time to come again, and others are answered', async () => {
      await cluster.set(3, 'dead');
      await service.workers.askAll();
      const refused = await list(globex);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      const answer = await globex.graphqlAnswer('{ customers { totalCount } }');
      expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([503, 'UNAVAILABLE']);
      expect((await list(acme)).status).toBe(200);
      await cluster.set(3, 'up');
      await until(async () => (await list(globex)).status === 200, 'its return');
    });

    it('that wait for it hold half of the connections, and are refused once it is found to hang', async () => {
      const { connectionString } = service.pool.options;
      const books = openBooks({ connectionString, max: 4 }, 'session', service.workers);
      const acquire = ({ tenantId }: Integrator) =>
        books.pool.acquire(tenantId, { holder: withHolder({ id: tenantId, testOf: null }).holder });
      (await acquire(acme)).release(); // which learns that the books are distributed
      const others: Integrator[] = [];
      while (others.length < 2) {
        const tenant = await service.integrator();
        if ((await service.workers.find(tenant.tenantId)) === 3) others.push(tenant);
      }
      await cluster.set(3, 'hung');
      const held = [await acquire(globex), ...(await Promise.all(others.slice(0, 1).map(acquire)))];
      const waiting = acquire(others[1] ?? acme).then(
        (connection) => connection.release(),
        (error: unknown) => error,
      );
      const free = await acquire(acme);
      free.release();
      expect(await waiting).toEqual(new WorkerAwayError(3));
      for (const connection of held) connection.release();
      await cluster.set(3, 'up');
      await until(() => !service.workers.isAway(3), 'its return');
      for (const connection of await Promise.all([globex, ...others.slice(0, 1)].map(acquire))) connection.release();
      await books.close();
    });

    it('are not sent through a worker: no tenant would be served while it is away', async () => {
      const url = service.pool.options.connectionString ?? '';
      const settings = {
        DATABASE_URL: url,
        DATABASE_BOOKS_URL: url,
        KONTOR_SECRET: 'the secret of the tests, long enough',
      };
      const open = () => openDatabase(readConfig(settings), { report: () => {} });
      await service.pool.query('create table pg_dist_local_group (groupid int)');
      await service.pool.query('insert into pg_dist_local_group values (0)');
      await (await open()).close();
      await service.pool.query('update pg_dist_local_group set groupid = 2');
      await expect(open()).rejects.toThrow(
        'DATABASE_BOOKS_URL names a worker of Citus: while it is away, no tenant would be served.',
      );
    });
  });
});
