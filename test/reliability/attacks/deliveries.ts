import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const deliveries = size('DELIVERIES', { suite: 10_000, full: 100_000 });
const seconds = size('SECONDS', { suite: 1, full: 30 });
const atOnce = 20;

/** None is found, which only all rows together can tell. */
const list = 'deliveries(event: "invoice.paid", since: $since, state: DELIVERED, first: 1) { totalCount }';
const document = `query ($since: DateTime) { ${Array.from({ length: 16 }, (_, n) => `l${n}: ${list}`).join(' ')} }`;
const since = '2026-01-01T00:00:00Z';

async function prepare({ beside }: Served, attacker: Integrator): Promise<() => Promise<void>> {
  await beside.pool.query(
    `with webhook as (
       insert into webhooks (tenant_id, id, url, events, secret, updated_at)
       values ($1, uuidv7(), 'https://example.com/', '{*}', '\\x00', now()) returning id
     ), event as (
       insert into events (tenant_id, id, type, body, fanned_out_at)
       select $1, uuidv7(), case n when 0 then 'invoice.paid' else 'invoice.created' end, '{}', now()
       from generate_series(0, $2) n returning id, type
     )
     insert into deliveries (tenant_id, id, webhook_id, event_id, state, finished_at)
     select $1, uuidv7(), webhook.id, event.id, 'delivered', now() from webhook, event where type = 'invoice.created'`,
    [attacker.tenantId, deliveries],
  );
  await beside.pool.query('vacuum analyze events, deliveries');
  return async () => {
    const until = performance.now() + seconds * 1000;
    const send = async (): Promise<void> => {
      while (performance.now() < until) {
        const { body } = await attacker.graphqlAnswer(document, { since });
        if (body.errors) expect(['RATE_LIMITED', 'UNAVAILABLE']).toContain(body.errors[0].extensions.code);
        else expect(body.data.l0.totalCount).toBe(0);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
  };
}

const attack: Attack = {
  title: `${atOnce} concurrent documents that filter ${deliveries} deliveries`,
  memoryGrowth: 400,
  prepare,
};
export default attack;
