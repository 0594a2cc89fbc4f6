import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TenantClient } from '../prisma/client.ts';
import { forTenant, withHolder } from '../prisma/client.ts';
import type { Context } from '../schema/graphql/context.ts';
import { readSource } from '../schema/resources/document/read-source.ts';
import { Decimal } from '../schema/money/money.ts';
import { toEInvoice } from '../schema/documents/to-e-invoice.ts';
import { findBreaches } from '../schema/documents/e-invoice/breaches.ts';
import { fillDemoBooks } from '../src/demo/demo-data.ts';
import { createTenant } from '../src/identity/index.ts';
import { startService, type Service } from './harness.ts';

// The demo tenant's books are plausible on any day of the first start.

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const user = { id: '01890a5d-ac96-774b-bcce-b302099a8057', name: 'Dana Demo', email: 'demo@kontor.example' };

/** Fills the demo books with `time` as the current time. */
async function filledAt(time: string): Promise<{ db: TenantClient; tenantId: string; context: Context }> {
  const tenant = await createTenant(service.client, { name: 'Studio Nordlicht', timezone: 'Europe/Berlin' });
  const principal = { user, tenant: withHolder(tenant), token: null };
  await fillDemoBooks(service.domain, principal, new Date(time));
  const context = service.domain.contextFor(principal);
  return { db: forTenant(service.books, tenant.id), tenantId: tenant.id, context };
}

/** The reproducible fields, without ids and times of creation. */
async function summaryOf(db: TenantClient): Promise<unknown> {
  const invoices = await db.invoice.findMany({
    orderBy: { id: 'asc' },
    select: { number: true, invoiceDate: true, status: true, subject: true, totalGross: true, amountPaid: true },
  });
  const receipts = await db.receipt.findMany({
    orderBy: { id: 'asc' },
    select: { receiptDate: true, amountGross: true, status: true, receiptNumber: true },
  });
  const transactions = await db.bankTransaction.findMany({
    orderBy: { id: 'asc' },
    select: { bookingDate: true, amount: true, reference: true, matchStatus: true },
  });
  const deliveries = await db.delivery.groupBy({ by: ['state'], _count: true, orderBy: { state: 'asc' } });
  return JSON.parse(JSON.stringify({ invoices, receipts, transactions, deliveries, time: await db.timeEntry.count() }));
}

const isoDay = (date: Date): string => date.toISOString().slice(0, 10);

const starts = [
  '2026-11-22T03:00:00Z',
  '2026-12-31T22:30:00Z',
  '2026-12-31T23:30:00Z', // the next year in Berlin
  '2028-02-29T12:00:00Z',
  '2027-03-31T12:00:00Z',
] as const;
let firstSummary: unknown;

describe.each(starts)('the demo books, started at %s', { timeout: 120_000 }, (time) => {
  let db: TenantClient;
  let tenantId: string;
  let context: Context;
  beforeAll(async () => {
    ({ db, tenantId, context } = await filledAt(time));
    if (time === starts[0]) firstSummary = await summaryOf(db);
  });
  const today = Temporal.Instant.from(time).toZonedDateTimeISO('Europe/Berlin').toPlainDate();

  it('cover a year up to that day, with an invoice and a payment in every month', async () => {
    const invoices = await db.invoice.findMany({ where: { number: { not: null } } });
    const months = new Set(invoices.map(({ invoiceDate }) => isoDay(invoiceDate).slice(0, 7)));
    const first = today.toPlainYearMonth().subtract({ months: 12 });
    const expected = Array.from({ length: 13 }, (_, month) => first.add({ months: month }).toString());
    expect([...months].toSorted()).toEqual(expected);
    const payments = await db.payment.findMany();
    const paid = new Set(payments.map(({ paidOn }) => isoDay(paidOn).slice(0, 7)));
    expect([...paid].toSorted().slice(0, 12)).toEqual(expected.slice(0, 12));
    const days = [
      ...invoices.map(({ invoiceDate }) => invoiceDate),
      ...payments.map(({ paidOn }) => paidOn),
      ...(await db.receipt.findMany()).map(({ receiptDate }) => receiptDate),
      ...(await db.timeEntry.findMany()).map(({ date }) => date),
      ...(await db.bankTransaction.findMany()).map(({ bookingDate }) => bookingDate),
    ];
    expect(days.map(isoDay).toSorted().at(-1)! <= today.toString(), 'nothing lies in the future').toBe(true);
    const events = await db.event.findMany({ select: { createdAt: true } });
    expect(events.every(({ createdAt }) => createdAt.getTime() <= Date.parse(time))).toBe(true);
  });

  it('have numbers without gaps, in the order of dates', async () => {
    const numbered = await db.invoice.findMany({ where: { number: { not: null } }, orderBy: { number: 'asc' } });
    const dates = numbered.map(({ invoiceDate }) => isoDay(invoiceDate));
    expect(dates).toEqual(dates.toSorted());
    const counts: Record<string, number> = {};
    for (const { number } of numbered) {
      const [year = '', count] = number!.split('-');
      counts[year] = (counts[year] ?? 0) + 1;
      expect(Number(count)).toBe(counts[year]);
    }
  });

  it('show each state: customers of four countries, part-paid and overdue invoices, receipts, projects, deliveries', async () => {
    const customers = await db.customer.findMany({ where: { type: 'CUSTOMER' } });
    expect(new Set(customers.map(({ country }) => country))).toEqual(new Set(['DE', 'NL', 'AT', 'FR']));
    const invoices = await db.invoice.findMany();
    expect(new Set(invoices.map(({ status }) => status))).toEqual(new Set(['DRAFT', 'ISSUED', 'PAID', 'CANCELLED']));
    const open = invoices.filter(({ status }) => status === 'ISSUED');
    expect(open.some(({ dueDate }) => isoDay(dueDate) < today.toString())).toBe(true);
    expect(open.some(({ amountPaid }) => Number(amountPaid) > 0)).toBe(true);
    const states = async (rows: Promise<object[]>, field: string): Promise<Set<unknown>> =>
      new Set((await rows).map((row) => (row as Record<string, unknown>)[field]));
    expect(await states(db.receipt.findMany(), 'status')).toEqual(new Set(['DRAFT', 'BOOKED', 'PAID']));
    expect(await states(db.project.findMany(), 'status')).toEqual(new Set(['ACTIVE', 'COMPLETED', 'ARCHIVED']));
    expect(await states(db.bankTransaction.findMany(), 'matchStatus')).toEqual(
      new Set(['MATCHED', 'UNMATCHED', 'IGNORED']),
    );
    expect(await states(db.delivery.findMany(), 'state')).toEqual(new Set(['DELIVERED', 'FAILED']));
    const failed = await db.delivery.findFirstOrThrow({ where: { state: 'FAILED' }, include: { attempts: true } });
    expect(failed.attempts).toHaveLength(6);
    const deliveries = await db.delivery.findMany({ orderBy: { id: 'asc' } });
    const times = deliveries.map(({ createdAt }) => createdAt.getTime());
    expect(times, 'the list of deliveries is in the order of ids').toEqual(times.toSorted((a, b) => a - b));
    expect(deliveries.filter(({ state }) => state === 'FAILED').length).toBeLessThan(deliveries.length / 5);
  });

  it('have invoices of which each can be an XRechnung, with reverse charge in other countries', async () => {
    const issued = await db.invoice.findMany({
      where: { number: { not: null } },
      include: { items: true, customer: { select: { country: true } } },
    });
    for (const { id, number, subject, items, customer } of issued) {
      const breaches = findBreaches(toEInvoice(await readSource(context, { invoiceId: id })), 'xrechnung-cii');
      expect({ number, breaches }).toEqual({ number, breaches: [] });
      const isDomestic = customer.country === 'DE' || subject === 'Poster series'; // which is withdrawn for that
      for (const { vatCategory } of items)
        expect({ number, vatCategory }).toEqual({ number, vatCategory: isDomestic ? 'S' : 'AE' });
    }
  });

  it('have a bank account whose statements follow one another, with the transactions between', async () => {
    const { iban, currency } = await db.bankAccount.findFirstOrThrow();
    const statements = await db.bankStatement.findMany({ orderBy: { fromDate: 'asc' } });
    const transactions = await db.bankTransaction.findMany();
    expect(new Set(transactions.map((each) => `${each.accountIban} ${each.currency}`))).toEqual(
      new Set([`${iban} ${currency}`]),
    );
    expect(statements.length).toBeGreaterThan(10);
    for (const [at, { fromDate, toDate, openingBalance, closingBalance }] of statements.entries()) {
      const before = statements[at - 1];
      if (before)
        expect([before.closingBalance, before.toDate.getTime() + 86_400_000]).toEqual([
          openingBalance,
          fromDate.getTime(),
        ]);
      const within = transactions.filter(({ bookingDate }) => bookingDate >= fromDate && bookingDate <= toDate);
      expect(Decimal.sum(openingBalance, ...within.map(({ amount }) => amount)).toFixed()).toBe(
        closingBalance.toFixed(),
      );
      expect(closingBalance.isPositive()).toBe(true);
    }
  });

  it('send nothing to another machine', async () => {
    const webhooks = await db.webhook.findMany();
    expect(webhooks.map(({ url }) => new URL(url).hostname)).toEqual(['localhost', 'localhost']);
    const waiting = await service.pool.query(
      `select from deliveries where tenant_id = $1 and (state = 'waiting' or next_attempt_at is not null)`,
      [tenantId],
    );
    expect(waiting.rowCount).toBe(0);
  });
});

it('the demo books of one day are always the same', { timeout: 120_000 }, async () => {
  const again = await filledAt(starts[0]);
  expect(await summaryOf(again.db)).toEqual(firstSummary);
});
