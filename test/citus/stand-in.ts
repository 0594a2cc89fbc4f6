import type { Pool } from 'pg';
import { declareDistributed } from '../../prisma/distribute/distributed.ts';

/** A worker that is `dead` refuses connections; one that is `hung` doesn't answer. */
export type State = 'up' | 'dead' | 'hung';

export interface StandIn {
  /** The `nodeid` of the worker that has a tenant's rows. */
  workerOf(tenantId: string): Promise<number>;
  set(worker: number, state: State): Promise<void>;
}

/**
 * Has a database on one plain PostgreSQL answer as the coordinator of a Citus cluster with the workers 2 and 3. Each has half
 * of the tenants. What asks a worker for itself gets the rows of its tenants, or learns that the worker is away.
 */
export async function standInForCluster(pool: Pool): Promise<StandIn> {
  const [middle, most] = ['0', '2147483647'];
  const shards = [
    { id: 1, group: 1, from: '-2147483648', to: '-1' },
    { id: 2, group: 2, from: middle, to: most },
  ];
  const tables = ['outbox', 'watchers'];
  await pool.query(`
    create table pg_dist_node (nodeid int, groupid int, nodename text, nodeport int, noderole text, isactive boolean, state text);
    insert into pg_dist_node values (1, 0, 'coordinator', 5430, 'primary', true, 'up'),
      (2, 1, 'worker', 5432, 'primary', true, 'up'), (3, 2, 'worker', 5433, 'primary', true, 'up');
    create table pg_dist_shard (logicalrelid regclass, shardid bigint, shardminvalue text, shardmaxvalue text);
    create table pg_dist_placement (shardid bigint, groupid int);
    create function master_run_on_worker(names text[], ports int[], commands text[], parallel boolean)
    returns table (success boolean, result text) language plpgsql as $$ begin
      case (select state from pg_dist_node where nodeport = ports[1])
        when 'dead' then return query select false, 'failed to connect to worker:' || ports[1];
        when 'hung' then perform pg_sleep(30);
        else execute commands[1] into result; success := true; return next;
      end case;
    end $$;
    ${shards
      .map(({ id, group, from, to }) =>
        tables
          .map(
            (table, index) => `
              insert into pg_dist_shard values ('${table}', ${index + 1}${id}, ${from}, ${to});
              insert into pg_dist_placement values (${index + 1}${id}, ${group});
              create view ${table}_${index + 1}${id} as
                select * from ${table} where uuid_hash(tenant_id) between ${from} and ${to};`,
          )
          .join('\n'),
      )
      .join('\n')}`);
  await declareDistributed(pool);
  return {
    workerOf: async (tenantId) => {
      const { rows } = await pool.query<{ hash: number }>('select uuid_hash($1::uuid) as hash', [tenantId]);
      return (rows[0]?.hash ?? 0) < 0 ? 2 : 3;
    },
    set: async (worker, state) =>
      void (await pool.query('update pg_dist_node set state = $2 where nodeid = $1', [worker, state])),
  };
}
