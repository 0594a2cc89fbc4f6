import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const customers = size('CUSTOMERS', { suite: 5000, full: 150_000 });
const seconds = size('SECONDS', { suite: 1, full: 30 });
const atOnce = 20;

/** A document with this many searches that count all matches. */
const buildDocument = (aliases: number): string =>
  `{ ${Array.from({ length: aliases }, (_, index) => `a${index}: customers(filter: { q: "e" }, first: 1) { totalCount }`).join(' ')} }`;

async function prepare({ beside }: Served, attacker: Integrator): Promise<() => Promise<void>> {
  await beside.pool.query(
    `insert into customers (tenant_id, id, type, company_name, email, city, updated_at)
    select $1, uuidv7(), 'customer', 'Partner ' || n || ' GmbH', 'office' || n || '@example.com', 'Berlin', now()
    from generate_series(1, $2) n`,
    [attacker.tenantId, customers],
  );
  await beside.pool.query('vacuum analyze customers');
  const refused = await attacker.graphqlAnswer(buildDocument(20));
  expect(refused.body.errors?.[0].message).toMatch(/values to answer/);
  return async () => {
    const until = performance.now() + seconds * 1000;
    const send = async (): Promise<void> => {
      while (performance.now() < until) {
        const { body } = await attacker.graphqlAnswer(buildDocument(16));
        if (body.errors) expect(body.errors[0].extensions.code).toBe('RATE_LIMITED');
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
  };
}

const attack: Attack = {
  title: `${atOnce} concurrent documents that search ${customers} customers`,
  memoryGrowth: 400,
  prepare,
};
export default attack;
