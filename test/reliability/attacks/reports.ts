import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const invoices = size('REPORTED', { suite: 5000, full: 100_000 });
const seconds = size('SECONDS', { suite: 3, full: 30 });
const atOnce = 20;

const year = 'from=2026-01-01&to=2026-12-31';
const row = 'kind=output&vat_category=S&vat_rate=19&currency=EUR';
/** Each reads all documents, their lines, and payments; or all of the audit log, whose entries are long. */
const paths = [
  `/reports/vat?${year}&basis=accrual`,
  `/reports/vat?${year}&basis=cash`,
  `/reports/vat/documents?${year}&basis=cash&${row}&limit=1000&skip=${invoices - 1000}`,
  `/reports/ec-sales?${year}`,
  `/reports/ec-sales/documents?${year}&kind=goods&country=FR&vat_number=FR83404833048&currency=EUR&limit=1000`,
  `/reports/profit-and-loss?${year}&basis=accrual`,
  `/reports/profit-and-loss?${year}&basis=cash`,
  `/reports/profit-and-loss/documents?${year}&basis=cash&kind=revenue&currency=EUR&limit=1000&skip=${invoices - 1000}`,
  `/reports/open-items?at=2026-12-31&limit=1000&skip=${invoices / 2 - 1000}`,
  '/period-locks/check?until=2026-12-31',
  '/audit-log?resource=invoice_lines&per_page=100',
  '/audit-log?resource=company&per_page=100',
  '/audit-log?actor=00000000-0000-7000-8000-000000000000',
];

async function prepare({ beside }: Served, attacker: Integrator): Promise<() => Promise<void>> {
  const { id } = await attacker.db.customer.create({
    data: { type: 'CUSTOMER', companyName: 'All', country: 'FR', vatId: 'FR83404833048' },
  });
  await beside.pool.query(
    `with made as materialized (
       select uuidv7() as invoice, n from generate_series(1, $3) n
     ), issued as (
       insert into invoices (tenant_id, id, customer_id, status, number, invoice_date, due_date, currency, total_net, total_vat,
         total_gross, amount_paid, issued_at, paid_at, updated_at)
       select $1::uuid, invoice, $2::uuid, case n % 2 when 0 then 'paid' else 'issued' end::invoice_status,
         '2026-' || lpad(n::text, greatest(4, length(n::text)), '0'), date '2026-01-01' + n % 300, date '2026-12-01', 'EUR',
         140, 19, 159, case n % 2 when 0 then 159 else 0 end, now(), case n % 2 when 0 then now() end, now() from made
     ), lines as (
       insert into invoice_items (tenant_id, id, invoice_id, position, title, description, quantity, unit_price_net, vat_rate,
         line_total_net, vat_category, exemption_reason)
       select $1::uuid, uuidv7(), invoice, position, 'Line', repeat('x', 2000), 1, price, rate, price, category, reason
       from made, (values (1, 100, 19, 'S', null), (2, 40, 0, 'K', 'EU')) as line (position, price, rate, category, reason)
     )
     insert into payments (tenant_id, id, invoice_id, amount, currency, paid_on)
     select $1::uuid, uuidv7(), invoice, 159, 'EUR', date '2026-02-01' + n % 250 from made where n % 2 = 0`,
    [attacker.tenantId, id, invoices],
  );
  await beside.pool.query('vacuum analyze invoices, invoice_items, invoice_parties, payments, audit_entries');
  for (const path of paths) expect([path, (await attacker.rest('GET', path)).status]).toEqual([path, 200]);
  return async () => {
    const until = performance.now() + seconds * 1000;
    const send = async (_: unknown, at: number): Promise<void> => {
      for (let n = at; performance.now() < until; n += 1) {
        const { status } = await attacker.rest('GET', paths[n % paths.length]!);
        expect([200, 429, 503]).toContain(status);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
  };
}

const attack: Attack = {
  title: `${atOnce} concurrent callers of reports and of the audit log over ${invoices} invoices`,
  memoryGrowth: 500,
  prepare,
};
export default attack;
