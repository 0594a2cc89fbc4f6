import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { distribute, moveToWorker } from '../../prisma/migrate/migrate.ts';
import { readResources, Copy } from '../changes/copy.ts';
import { makeCustomer } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { clusterUrl } from './cluster.ts';

// A tenant's shard moves to another server while the tenant writes, and while a consumer follows its change feed.

type Mode = 'block_writes' | 'force_logical';

describe.skipIf(clusterUrl === undefined)('a tenant whose shard moves', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const rowsOf = async (sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
    (await service.pool.query<Record<string, unknown>>(sql, values)).rows;

  /** Moves the tenant's tables to another server. */
  async function move(tenantId: string, mode: Mode): Promise<void> {
    const [from] = await rowsOf(
      `select shardid as shard, nodename as host, nodeport as port from pg_dist_shard_placement
       where shardid = get_shard_id_for_distribution_column('customers', $1::uuid)`,
      [tenantId],
    );
    const [to] = await rowsOf(
      'select nodename as host, nodeport as port from pg_dist_node where groupid > 0 and nodeport <> $1',
      [from?.['port']],
    );
    const values = [from?.['shard'], from?.['host'], from?.['port'], to?.['host'], to?.['port'], mode];
    await rowsOf('select citus_move_shard_placement($1, $2, $3, $4, $5, $6)', values);
  }

  /** As `kontor distribute move` does. */
  async function moveOnline(tenantId: string): Promise<void> {
    const [here] = await rowsOf(
      `select nodeid as id from pg_dist_placement join pg_dist_node using (groupid)
       where shardid = get_shard_id_for_distribution_column('customers', $1::uuid)`,
      [tenantId],
    );
    const [other] = await rowsOf('select nodeid as id from pg_dist_node where groupid > 0 and nodeid <> $1', [
      here?.['id'],
    ]);
    const { connectionString = '' } = service.pool.options;
    const to = Number(other?.['id']);
    expect(await moveToWorker(connectionString, { tenantId, to, isAlone: false }, () => {})).toBe(true);
  }

  it.each<[Mode, (tenantId: string) => Promise<void>]>([
    ['block_writes', (tenantId) => move(tenantId, 'block_writes')],
    ['force_logical', moveOnline],
  ])(
    '%s: keeps each acknowledged invoice, a gapless series, and a complete change feed',
    { timeout: 120_000 },
    async (_mode, moveTo) => {
      const [acme, globex] = [await service.integrator(), await service.integrator()];
      const acknowledged: string[] = [];
      const refused: number[] = [];
      const moved = new AbortController();

      const write = async (who: Integrator): Promise<void> => {
        const items = [{ title: 'Advice', quantity: '1', unit: 'h', unit_price_net: '100', vat_rate: '19' }];
        const body = { customer_id: await makeCustomer(who), invoice_date: '2026-03-01', status: 'issued', items };
        while (!moved.signal.aborted) {
          const answer = await who.rest('POST', '/invoices', body);
          if (answer.status !== 201) refused.push(answer.status);
          else if (who === acme) acknowledged.push(answer.body.data.id);
        }
      };
      const copy = new Copy(acme);
      const follow = async (): Promise<void> => {
        while (!moved.signal.aborted) await copy.follow(100).catch(() => {}); // reads again from the same cursor
      };
      const working = Promise.all([write(acme), write(acme), write(acme), write(globex), follow()]);
      try {
        await moveTo(acme.tenantId);
        await sleep(500); // in which it writes there
        await moveTo(acme.tenantId);
      } finally {
        moved.abort();
        await working;
      }

      await copy.follow();
      expect(copy.rows).toEqual(await readResources(acme));
      const invoices = [...copy.rows.values()].filter(
        (row) => typeof (row as { number?: unknown }).number === 'string',
      );
      const ids = new Set(invoices.map((row) => (row as { id: string }).id));
      expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
      const numbers = invoices.map((row) => Number((row as { number: string }).number.split('-')[1]));
      expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, at) => at + 1));
      expect(acknowledged).not.toEqual([]);
    },
  );

  it('is still found protected by another run of distribute, which has nothing to do', async () => {
    const { connectionString = '' } = service.pool.options;
    expect(await distribute(connectionString, () => {})).toBe(0);
  });
});
