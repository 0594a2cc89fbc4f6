import { expect } from 'vitest';
import type { Receiver } from '../webhooks/receiver.ts';
import { until } from '../webhooks/receiver.ts';
import type { Load } from './load.ts';
import type { OwnPostgres } from './postgres.ts';

/** The result of a campaign. */
export interface Figures {
  sent: number;
  acknowledged: number;
  unavailable: number;
  unanswered: number;
  internal: number;
  rows: number;
  events: number;
  deliveries: number;
  failed: number;
  requests: number;
  longestAnswerMs: number;
}

/** Waits until every event is fanned out, every delivery has ended, and the queue is empty. */
export async function untilDrained(postgres: Pick<OwnPostgres, 'query'>, ms = 180_000): Promise<void> {
  await until(
    async () => {
      const [left] = await postgres.query(`
        select exists (select from events where fanned_out_at is null)
          or exists (select from deliveries where state = 'waiting')
          or exists (select from graphile_worker.jobs where task_identifier in ('fan_out', 'deliver')) as something`);
      return left.something === false;
    },
    'the queue to drain',
    ms,
    200, // each look is a new connection, which takes time from what is waited for
  );
}

/**
 * The oracle of every fault: acknowledged writes = rows, whole; rows = events; events = deliveries; deliveries = what
 * the receiver logged or a recorded final state.
 */
export async function expectNothingLost(
  postgres: Pick<OwnPostgres, 'query'>,
  load: Pick<Load, 'writes' | 'wrong' | 'faults' | 'acknowledged' | 'longestMs'>,
  receiver: Pick<Receiver, 'requests'>,
  webhooks: number,
): Promise<Figures> {
  expect(load.wrong).toEqual([]);
  const rows = await expectWritesAreRows(postgres, load);
  const events = await expectRowsAreEvents(postgres);
  await expectNumbersWithoutGaps(postgres);
  const deliveries = await expectEventsAreDeliveries(postgres, receiver, webhooks);
  return {
    sent: load.writes.length,
    acknowledged: load.acknowledged(),
    ...load.faults,
    rows,
    events,
    ...deliveries,
    requests: receiver.requests.length,
    longestAnswerMs: load.longestMs(),
  };
}

/** Each acknowledged row is there once. Each other one is there once or not at all. There are no further rows. */
async function expectWritesAreRows(postgres: Pick<OwnPostgres, 'query'>, load: Pick<Load, 'writes'>): Promise<number> {
  const found = await postgres.query(`
    select 'customers' as table, split_part(company_name, ' ', 1) as mark, array_agg(id order by company_name) as ids
    from customers group by mark
    union all
    select 'invoices', subject, array_agg(id) from invoices group by subject`);
  const ids = new Map(found.map((row) => [`${row.table} ${row.mark}`, row.ids as string[]]));
  const lost = load.writes.filter(({ table, mark, rows, acknowledged, id }) => {
    const there = ids.get(`${table} ${mark}`) ?? [];
    if (acknowledged) return there.length !== rows || there[0] !== id;
    return there.length !== 0 && there.length !== rows;
  });
  expect(lost).toEqual([]);
  const marks = new Set(load.writes.map(({ table, mark }) => `${table} ${mark}`));
  expect([...ids.keys()].filter((name) => !marks.has(name) && !name.endsWith(' arranged'))).toEqual([]);
  return found.reduce((sum, row) => sum + row.ids.length, 0);
}

/** Each row has its items and its events, once each; and no event tells of a row that isn't there. */
async function expectRowsAreEvents(postgres: Pick<OwnPostgres, 'query'>): Promise<number> {
  const half = await postgres.query(`
    with expected as (
      select id, 'customer.created' as type from customers
      union all select id, 'invoice.created' from invoices
      union all select id, 'invoice.issued' from invoices where status = 'issued'
      union all select id, 'receipt.created' from receipts
      union all select id, 'books.anchored' from anchors -- hourly
    )
    select coalesce(x.type, e.type) as type, coalesce(x.id, e.resource_id) as id, count(e.id)::int as times
    from expected x full join events e on e.resource_id = x.id and e.type = x.type
    where coalesce(e.type, '') not in ('webhook.ping', 'receipt.updated')
    group by 1, 2, x.id having count(e.id) <> 1 or x.id is null`);
  expect(half).toEqual([]);
  const withoutItems = await postgres.query(`
    select i.id from invoices i left join invoice_items t on t.tenant_id = i.tenant_id and t.invoice_id = i.id
    group by i.tenant_id, i.id, i.total_net
    having count(t.id) <> case i.status when 'issued' then 2 else 1 end or sum(t.line_total_net) <> i.total_net`);
  expect(withoutItems).toEqual([]);
  const [{ events }] = await postgres.query('select count(*)::int as events from events');
  return events;
}

async function expectNumbersWithoutGaps(postgres: Pick<OwnPostgres, 'query'>): Promise<void> {
  const gaps = await postgres.query(`
    select tenant_id, number, place from (
      select tenant_id, number, row_number() over (partition by tenant_id order by number) as place
      from invoices where number is not null
    ) as numbered where substr(number, 6)::int <> place`);
  expect(gaps).toEqual([]);
}

async function expectEventsAreDeliveries(
  postgres: Pick<OwnPostgres, 'query'>,
  receiver: Pick<Receiver, 'requests'>,
  webhooks: number,
): Promise<Pick<Figures, 'deliveries' | 'failed'>> {
  const uneven = await postgres.query(
    `select e.id, count(distinct d.webhook_id)::int as webhooks, count(d.id)::int as deliveries
     from events e left join deliveries d on d.tenant_id = e.tenant_id and d.event_id = e.id
     where e.type <> 'webhook.ping'
     group by e.tenant_id, e.id having count(distinct d.webhook_id) <> $1 or count(d.id) <> $1`,
    [webhooks],
  );
  expect(uneven).toEqual([]);
  const deliveries = await postgres.query(`
    select d.id, d.state, d.attempt_count as "attemptCount", e.body, count(a.number)::int as attempts
    from deliveries d
      join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
      left join delivery_attempts a
        on a.tenant_id = d.tenant_id and a.delivery_id = d.id and a.duration_ms is not null
    group by d.tenant_id, d.id, e.tenant_id, e.id`);
  const received = Map.groupBy(receiver.requests, ({ headers }) => String(headers['x-service-delivery']));
  const known = new Set(deliveries.map(({ id }) => id));
  expect([...received.keys()].filter((id) => !known.has(id))).toEqual([]);
  const wrong = deliveries.filter(({ id, state, attemptCount, attempts, body }) => {
    const requests = received.get(id) ?? [];
    if (!['delivered', 'failed'].includes(state) || attempts !== attemptCount) return true;
    if (state === 'delivered' && requests.length === 0) return true;
    return requests.some((request) => request.body !== body);
  });
  expect(wrong).toEqual([]);
  return { deliveries: deliveries.length, failed: deliveries.filter(({ state }) => state === 'failed').length };
}
