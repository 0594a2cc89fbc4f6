import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const customers = size('CUSTOMERS', { suite: 2000, full: 100_000 });
const seconds = size('SECONDS', { suite: 1, full: 30 });
const atOnce = 20;

/** As many pairs as a row can have: all rows have all of these but the last one. */
const pairs = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`key-${n}`, 'x'.repeat(200)]));
const filter = { metadata: { contains: { ...pairs, 'key-19': 'y' } } };
const buildDocument = (lists: number): string =>
  `query ($filter: CustomerFilter) { ${Array.from({ length: lists }, (_, n) => `l${n}: customers(filter: $filter, first: 1) { totalCount }`).join(' ')} }`;

async function prepare({ beside }: Served, attacker: Integrator): Promise<() => Promise<void>> {
  await beside.pool.query(
    `insert into customers (tenant_id, id, type, company_name, metadata, updated_at)
     select $1, uuidv7(), 'customer', 'Customer ' || n, $3, now() from generate_series(1, $2) n`,
    [attacker.tenantId, customers, pairs],
  );
  await beside.pool.query('vacuum analyze customers');
  const refused = await attacker.graphqlAnswer(buildDocument(20), { filter });
  expect(refused.body.errors?.[0].message).toMatch(/values to answer.*read many rows/);
  const params = Object.entries(filter.metadata.contains).map(([key, value]) => [`metadata[${key}]`, value]);
  const query = new URLSearchParams([...params, ['per_page', '1']]);
  return async () => {
    const until = performance.now() + seconds * 1000;
    const send = async (_: unknown, at: number): Promise<void> => {
      while (performance.now() < until) {
        if (at % 2) {
          const { status, body } = await attacker.rest('GET', `/customers?${query}`);
          expect([200, 429, 503]).toContain(status);
          if (status === 200) expect(body.meta.total).toBe(0);
        } else {
          const { body } = await attacker.graphqlAnswer(buildDocument(3), { filter });
          if (body.errors) expect(['RATE_LIMITED', 'UNAVAILABLE']).toContain(body.errors[0].extensions.code);
          else expect(body.data.l0.totalCount).toBe(0);
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
  };
}

const attack: Attack = {
  title: `${atOnce} callers that filter ${customers} customers by 20 pairs of metadata`,
  memoryGrowth: 400,
  prepare,
};
export default attack;
