import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken } from '../../../src/identity/index.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../../harness.ts';
import {
  item,
  makeCreditNote,
  makeBankTransaction,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
  refusal,
} from '../books.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
  service.clock.now = new Date('2026-03-15T12:00:00Z');
});

const money = '{ currency amount count }';

async function overview(fields: string, who = acme) {
  return (await who.graphql(`{ overview { ${fields} } }`)).overview;
}

const pay = (id: string, amount: string, paidOn: string): Promise<unknown> =>
  acme.graphql(`mutation { payInvoice(id: "${id}", amount: "${amount}", paidOn: "${paidOn}") { id } }`);

it('is zero for an empty tenant, with months in its currency', async () => {
  const who = await service.integrator({ currency: 'CHF' });
  const { months, ...rest } = await overview(
    `outstanding ${money} overdue ${money} paidThisMonth ${money} unmatchedTransactions unbilledMinutes months { month currency invoicedGross paid }`,
    who,
  );
  expect(rest).toEqual({
    outstanding: [],
    overdue: [],
    paidThisMonth: [],
    unmatchedTransactions: 0,
    unbilledMinutes: 0,
  });
  expect(months).toHaveLength(12);
  expect(months[0]).toEqual({ month: '2025-04', currency: 'CHF', invoicedGross: '0', paid: '0' });
  expect(months[11].month).toBe('2026-03');
});

it('outstanding and overdue are the exact amounts due on issued invoices, per currency', async () => {
  const dinars = (price: string) => ({ currency: 'TND', items: [{ ...item, unitPriceNet: price, vatRate: '0' }] });
  await makeInvoice(acme, { ...dinars('0.001'), status: 'ISSUED', dueDate: '2026-03-14' });
  await makeInvoice(acme, { ...dinars('999999999999.999'), status: 'ISSUED', dueDate: '2026-03-15' });
  const partPaid = await makeInvoice(acme, { status: 'ISSUED', dueDate: '2026-03-01' });
  await makePayment(acme, partPaid, '19.01');
  await makeInvoice(acme);
  await makeInvoice(acme, { status: 'PAID' });
  const cancelled = await makeInvoice(acme, { status: 'ISSUED' });
  await acme.graphql(`mutation { cancelInvoice(id: "${cancelled}") { id } }`);
  await makeReceipt(acme, { status: 'BOOKED' });
  expect(await overview(`outstanding ${money} overdue ${money}`)).toEqual({
    outstanding: [
      { currency: 'EUR', amount: '99.99', count: 1 },
      { currency: 'TND', amount: '1000000000000', count: 2 },
    ],
    overdue: [
      { currency: 'EUR', amount: '99.99', count: 1 },
      { currency: 'TND', amount: '0.001', count: 1 },
    ],
  });
});

it('paidThisMonth and months count by payment date and invoice date, without drafts and receipts', async () => {
  const first = await makeInvoice(acme, { invoiceDate: '2025-04-01', status: 'ISSUED' });
  await makeInvoice(acme, { invoiceDate: '2025-03-31', status: 'ISSUED' });
  await makeInvoice(acme, { invoiceDate: '2026-03-31', status: 'ISSUED', currency: 'USD' });
  await makeInvoice(acme, { invoiceDate: '2026-04-01', status: 'ISSUED' });
  await makeInvoice(acme, { invoiceDate: '2026-03-01' });
  await pay(first, '10.1', '2026-02-28');
  await pay(first, '20.2', '2026-03-01');
  service.clock.now = new Date('2026-03-31T12:00:00Z');
  await pay(first, '0.03', '2026-03-31');
  const undone = (await acme.graphql(`{ invoice(id: "${first}") { payments { nodes { id amount } } } }`)).invoice
    .payments.nodes;
  await pay(first, '5', '2026-03-02');
  const { id: latest } = (await acme.graphql(`{ invoice(id: "${first}") { payments { nodes { id } } } }`)).invoice
    .payments.nodes[0];
  expect(undone).toHaveLength(3);
  await acme.graphql(`mutation { reversePayment(id: "${latest}", reason: "Wrong") { id } }`);
  const receipt = await makeReceipt(acme, { status: 'BOOKED' });
  await acme.graphql(`mutation { payReceipt(id: "${receipt}") { id } }`);

  const { paidThisMonth, months } = await overview(
    `paidThisMonth ${money} months { month currency invoicedGross paid }`,
  );
  expect(paidThisMonth).toEqual([{ currency: 'EUR', amount: '20.23', count: 4 }]);
  expect(months.map(({ month, currency }: Record<string, string>) => `${month} ${currency}`)).toEqual(
    Array.from({ length: 24 }, (_, n) => {
      const month = new Date(Date.UTC(2025, 3 + Math.floor(n / 2))).toISOString().slice(0, 7);
      return `${month} ${n % 2 ? 'USD' : 'EUR'}`;
    }),
  );
  const nothing = { invoicedGross: '0', paid: '0' };
  const nonZero = months.filter((each: object) => !Object.entries(nothing).every(([k, v]) => each[k as never] === v));
  expect(nonZero).toEqual([
    { month: '2025-04', currency: 'EUR', invoicedGross: '119', paid: '0' },
    { month: '2026-02', currency: 'EUR', invoicedGross: '0', paid: '10.1' },
    { month: '2026-03', currency: 'EUR', invoicedGross: '0', paid: '20.23' },
    { month: '2026-03', currency: 'USD', invoicedGross: '119', paid: '0' },
  ]);
});

it('a payment from a bank transaction counts on its booking date', async () => {
  const invoice = await makeInvoice(acme, { status: 'ISSUED' });
  const id = await makeBankTransaction(acme, { bookingDate: new Date('2026-03-03') });
  const matches = `[{ type: INVOICE, id: "${invoice}" }]`;
  await acme.graphql(`mutation { matchBankTransaction(id: "${id}", matches: ${matches}) { id } }`);
  expect(await overview(`paidThisMonth ${money}`)).toEqual({
    paidThisMonth: [{ currency: 'EUR', amount: '119', count: 1 }],
  });
});

it('today and this month are in the tenant’s time zone', async () => {
  service.clock.now = new Date('2026-03-31T22:30:00Z'); // in Berlin, it is April
  const berlin = await service.integrator({ timezone: 'Europe/Berlin' });
  const utc = await service.integrator({ timezone: 'UTC' });
  for (const [who, thisMonth, isOverdue] of [
    [berlin, '2026-04', true],
    [utc, '2026-03', false],
  ] as const) {
    await makeInvoice(who, { status: 'ISSUED', dueDate: '2026-03-31' });
    await makeInvoice(who, { status: 'PAID' });
    const { months, overdue, paidThisMonth } = await overview(
      `overdue ${money} paidThisMonth ${money} months { month paid }`,
      who,
    );
    expect(overdue).toHaveLength(isOverdue ? 1 : 0);
    expect(months.at(-1)).toEqual({ month: thisMonth, paid: '119' });
    expect(paidThisMonth).toEqual([{ currency: 'EUR', amount: '119', count: 1 }]);
  }
});

it('unmatchedTransactions and unbilledMinutes leave out ignored, matched, billed, and non-billable rows', async () => {
  for (const matchStatus of ['UNMATCHED', 'UNMATCHED', 'IGNORED', 'MATCHED', 'PARTIALLY_MATCHED'])
    await makeBankTransaction(acme, { matchStatus });
  const projectId = await makeProject(acme);
  await makeTimeEntry(acme, { projectId, durationMinutes: 70 });
  await makeTimeEntry(acme, { durationMinutes: 7 });
  await makeTimeEntry(acme, { projectId, durationMinutes: 100, billable: false });
  const invoiceId = await makeInvoice(acme);
  await acme.db.timeEntry.create({
    data: { projectId, invoiceId, userId: acme.userId, date: new Date('2026-03-01'), durationMinutes: 1000 },
  });
  expect(await overview('unmatchedTransactions unbilledMinutes')).toEqual({
    unmatchedTransactions: 2,
    unbilledMinutes: 77,
  });
});

describe('abilities', () => {
  const demands = {
    [`outstanding ${money}`]: 'invoices:read',
    [`overdue ${money}`]: 'invoices:read',
    [`paidThisMonth ${money}`]: 'invoices:read',
    'months { month }': 'invoices:read',
    unmatchedTransactions: 'bank-transactions:read',
    unbilledMinutes: 'time-entries:read',
  };

  it.each(Object.entries(demands))('%s requires %s, and no other', async (field, ability) => {
    const withAbilities = async (...abilities: string[]): Promise<Integrator> => {
      const { token, id: tokenId } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
      return asIntegrator(service, { ...acme, token, tokenId });
    };
    const others = [...new Set([...Object.values(demands), 'customers:read'])].filter((other) => other !== ability);
    const answer = await (await withAbilities(...others)).graphqlAnswer(`{ overview { ${field} } }`);
    expect(refusal(answer)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await overview(field, await withAbilities(ability))).not.toBeNull();
  });
});

it('nothing of it counts another tenant’s rows', async () => {
  const globex = await service.integrator();
  await makeInvoice(globex, { status: 'ISSUED', invoiceDate: '2026-03-01', dueDate: '2026-03-02' });
  await makeInvoice(globex, { status: 'PAID' });
  await makeBankTransaction(globex);
  await makeTimeEntry(globex);
  const all = `outstanding ${money} overdue ${money} paidThisMonth ${money} unmatchedTransactions unbilledMinutes months { invoicedGross paid }`;
  const { months, ...rest } = await overview(all);
  expect(rest).toEqual({
    outstanding: [],
    overdue: [],
    paidThisMonth: [],
    unmatchedTransactions: 0,
    unbilledMinutes: 0,
  });
  expect(new Set(months.flatMap((each: object) => Object.values(each)))).toEqual(new Set(['0']));
  expect((await overview(all, globex)).outstanding).toHaveLength(1);
});

it('credit notes and refunds are subtracted; a cancelled invoice and its credit notes come to nothing', async () => {
  const credit = (invoiceId: string, net: string, date: string) =>
    makeCreditNote(acme, { invoiceId, amounts: [{ vatRate: '19', net }], creditNoteDate: date });
  const open = await makeInvoice(acme, { status: 'ISSUED', dueDate: '2026-03-02' });
  await credit(open, '50', '2026-03-31'); // 59.50
  const paid = await makeInvoice(acme, { status: 'ISSUED', invoiceDate: '2026-02-28' });
  await pay(paid, '119', '2026-02-28');
  const credited = await credit(paid, '100', '2026-03-01');
  await acme.graphql(`mutation { refundCreditNote(id: "${credited}", amount: "19", paidOn: "2026-03-02") { id } }`);
  const cancelled = await makeInvoice(acme, { status: 'ISSUED' });
  await credit(cancelled, '1', '2026-03-03');
  await acme.graphql(`mutation { cancelInvoice(id: "${cancelled}") { id } }`);
  const { months, ...sums } = await overview(
    `outstanding ${money} overdue ${money} paidThisMonth ${money} months { month currency invoicedGross paid }`,
  );
  const due = [{ currency: 'EUR', amount: '59.5', count: 1 }];
  const refunded = [{ currency: 'EUR', amount: '-19', count: 1 }];
  expect(sums).toEqual({ outstanding: due, overdue: due, paidThisMonth: refunded });
  expect(months.slice(-2)).toEqual([
    { month: '2026-02', currency: 'EUR', invoicedGross: '119', paid: '119' },
    { month: '2026-03', currency: 'EUR', invoicedGross: '-59.5', paid: '-19' },
  ]);
});
