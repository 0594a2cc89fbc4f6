import { expect } from 'vitest';
import { makeBankAccount } from '../../graphql/books.ts';
import type { Integrator } from '../../harness.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const statements = size('STATEMENTS', { suite: 5000, full: 200_000 });
const seconds = size('SECONDS', { suite: 1, full: 30 });
const atOnce = 20;

/** As many balances as a document may ask for, each of another day. */
const aliases = Array.from({ length: 20 }, (_, n) => `b${n}: balance(at: "2026-01-${n + 1}") { amount }`);
const document = `{ bankAccounts(first: 1) { nodes { ${aliases.join(' ')} } } }`.replace(/-(\d)"/g, '-0$1"');

async function prepare({ beside }: Served, attacker: Integrator): Promise<() => Promise<void>> {
  const id = await makeBankAccount(attacker);
  // Half of them are of one day.
  await beside.pool.query(
    `insert into bank_statements (tenant_id, id, bank_account_id, number, from_date, to_date, opening_balance, closing_balance)
     select $1, uuidv7(), $2, n, day, day, n, n + 1
     from generate_series(1, $3::int) n, lateral (select date '2026-01-01' - case n % 2 when 0 then n / 20 else 0 end as day) d`,
    [attacker.tenantId, id, statements],
  );
  await beside.pool.query('vacuum analyze bank_statements');
  const paths = [
    `/bank-accounts/${id}/balance?at=2026-01-01`,
    `/bank-accounts/${id}/balance?at=2024-01-01`,
    '/bank-statements?per_page=100',
    `/bank-statements?bank_account_id=${id}&per_page=100`,
  ];
  for (const path of paths) expect([path, (await attacker.rest('GET', path)).status]).toEqual([path, 200]);
  return async () => {
    const until = performance.now() + seconds * 1000;
    const send = async (_: unknown, at: number): Promise<void> => {
      for (let n = at; performance.now() < until; n += 1) {
        if (n % 5 === 0) {
          const { body } = await attacker.graphqlAnswer(document);
          if (body.errors) expect(['RATE_LIMITED', 'UNAVAILABLE']).toContain(body.errors[0].extensions.code);
        } else {
          const { status } = await attacker.rest('GET', paths[(n % 5) - 1]!);
          expect([200, 429, 503]).toContain(status);
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
  };
}

const attack: Attack = {
  title: `${atOnce} concurrent callers of the balances of a bank account with ${statements} statements`,
  memoryGrowth: 400,
  prepare,
};
export default attack;
