import type { Integrator, Service } from '../harness.ts';

/** Inserts issued and paid invoices of one customer, with two long lines each, and the payments of every second one. */
export async function insertInvoices({ pool }: Service, who: Integrator, count: number): Promise<void> {
  const { id } = await who.db.customer.create({
    data: { type: 'CUSTOMER', companyName: 'All', country: 'FR', vatId: 'FR83404833048' },
  });
  await pool.query(
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
    [who.tenantId, id, count],
  );
  await pool.query('vacuum analyze invoices, invoice_items, invoice_parties, payments, audit_entries');
}
