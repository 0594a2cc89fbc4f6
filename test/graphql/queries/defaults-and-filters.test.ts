import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../../harness.ts';
import {
  item,
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makeProject,
  makeReceipt,
  makeTimeEntry,
  refusal,
} from '../books.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator({ currency: 'CHF' });
});
afterAll(() => service.close());

const created = async (mutation: string, who = acme) => (await who.graphql(`mutation { row: ${mutation} }`)).row;

describe('an omitted field gets its default', () => {
  it('an invoice is a draft in the tenant’s currency, due after 14 days', async () => {
    const customerId = await makeCustomer(acme);
    const row = await created(
      `createInvoice(input: { customerId: "${customerId}", invoiceDate: "2026-02-20", items: [{ title: "x", quantity: 1, unitPriceNet: 1.5, vatRate: 7 }] }) { dueDate currency status subject }`,
    );
    expect(row).toEqual({ dueDate: '2026-03-06', currency: 'CHF', status: 'DRAFT', subject: null });
  });

  it('a receipt is a draft in the tenant’s currency, without VAT', async () => {
    const row = await created(
      'createReceipt(input: { receiptDate: "2026-02-20", amountGross: "10" }) { vatRate vatAmount amountNet currency status dueDate }',
    );
    expect(row).toEqual({
      vatRate: '0',
      vatAmount: '0',
      amountNet: '10',
      currency: 'CHF',
      status: 'DRAFT',
      dueDate: null,
    });
  });

  it('a project is active, in the tenant’s currency', async () => {
    expect(await created('createProject(input: { name: "x" }) { status currency hourlyRateNet }')).toEqual({
      status: 'ACTIVE',
      currency: 'CHF',
      hourlyRateNet: null,
    });
  });

  it('a time entry is billable at the project’s rate, by the token’s user', async () => {
    const projectId = await makeProject(acme, { hourlyRateNet: '80', status: 'ARCHIVED' });
    const row = await created(
      `createTimeEntry(input: { projectId: "${projectId}", date: "2026-01-01", durationMinutes: 5 }) { billable hourlyRateNet userId }`,
    );
    expect(row).toEqual({ billable: true, hourlyRateNet: '80', userId: acme.userId });
    expect((await acme.graphql(`{ project(id: "${projectId}") { trackedMinutes } }`)).project).toEqual({
      trackedMinutes: 5,
    });
  });
});

describe('lists are narrowed by their filters', () => {
  it('invoices by status and customer, receipts and projects by status, time entries by day, both days inclusive', async () => {
    const who = await service.integrator();
    const customerId = await makeCustomer(who);
    const invoices = [
      await makeInvoice(who, { customerId }),
      await makeInvoice(who, { customerId, status: 'ISSUED' }),
      await makeInvoice(who),
    ];
    const [, booked] = [await makeReceipt(who), await makeReceipt(who, { status: 'BOOKED' })];
    const projects = [await makeProject(who), await makeProject(who, { status: 'ARCHIVED' })];
    const entries: string[] = [];
    for (const date of ['2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01'])
      entries.push(await makeTimeEntry(who, { projectId: projects[0], date }));
    const ids = async (list: string): Promise<string[]> =>
      (await who.graphql(`{ list: ${list} { nodes { id } } }`)).list.nodes.map((row: { id: string }) => row.id);
    expect(await ids(`invoices(filter: { customerId: { eq: "${customerId}" } })`)).toEqual([invoices[1], invoices[0]]);
    expect(await ids(`invoices(filter: { customerId: { eq: "${customerId}" }, status: { eq: DRAFT } })`)).toEqual([
      invoices[0],
    ]);
    expect(await ids('invoices(filter: { status: { eq: PAID } })')).toEqual([]);
    expect(await ids('receipts(filter: { status: { eq: BOOKED } })')).toEqual([booked]);
    expect(await ids('projects(filter: { status: { eq: ACTIVE } })')).toEqual([projects[0]]);
    expect(await ids('timeEntries(filter: { date: { gte: "2026-02-01", lte: "2026-02-28" } })')).toEqual([
      entries[2],
      entries[1],
    ]);
    expect(await ids('timeEntries(filter: { date: { lte: "2026-02-01" } })')).toEqual([entries[1], entries[0]]);
  });
});

describe('lists are narrowed by amount, billing, and day of payment', () => {
  it('each list finds exactly its rows of an amount, whatever the sign', async () => {
    const who = await service.integrator();
    const line = (unitPriceNet: string) => ({ items: [{ ...item, unitPriceNet }] });
    const invoice = await makeInvoice(who, { ...line('1000.5'), status: 'PAID' }); // 1190.60 gross
    await makeInvoice(who, line('1000.6'));
    const creditNote = await makeCreditNote(who, { invoiceId: invoice });
    const receipt = await makeReceipt(who, { amountGross: '1190.60' });
    await makeReceipt(who, { amountGross: '1190.61' });
    const transactions = [
      await makeBankTransaction(who, { amount: '1190.6', amountOpen: '1190.6' }),
      await makeBankTransaction(who, { amount: '-1190.6', amountOpen: '-1190.6' }),
    ];
    await makeBankTransaction(who, { amount: '11906', amountOpen: '11906' });
    const columns: Record<string, string> = { receipts: 'amountGross', bankTransactions: 'amount' };
    const ids = async (list: string, ...amounts: string[]): Promise<string[]> => {
      const filter = `{ ${columns[list] ?? 'totalGross'}: { in: ${JSON.stringify(amounts)} } }`;
      const found = (await who.graphql(`{ list: ${list}(filter: ${filter}) { nodes { id } totalCount } }`)).list;
      expect(found.totalCount).toBe(found.nodes.length);
      return found.nodes.map((row: { id: string }) => row.id);
    };
    for (const amounts of [
      ['1190.6', '-1190.6'],
      ['1190.60', '-1190.60'],
      ['-1190.6', '1190.6'],
    ]) {
      expect(await ids('invoices', ...amounts)).toEqual([invoice]);
      expect(await ids('creditNotes', ...amounts)).toEqual([creditNote]);
      expect(await ids('receipts', ...amounts)).toEqual([receipt]);
      expect(await ids('bankTransactions', ...amounts)).toEqual(transactions.toReversed());
    }
    expect(await ids('bankTransactions', '-1190.6')).toEqual([transactions[1]]);
    expect(await ids('invoices', '1190', '-1190')).toEqual([]);
    expect(await ids('invoices')).toEqual([]);
    const credit =
      '{ list: bankTransactions(filter: { amount: { in: ["1190.6", "-1190.6"], gt: "0" } }) { nodes { id } totalCount } }';
    expect((await who.graphql(credit)).list).toEqual({ nodes: [{ id: transactions[0] }], totalCount: 1 });
    const other = await service.integrator();
    expect(
      (await other.graphql('{ invoices(filter: { totalGross: { in: ["1190.6", "-1190.6"] } }) { totalCount } }'))
        .invoices.totalCount,
    ).toBe(0);
  });

  it('time entries by whether they are billable, payments by what they pay and by their days', async () => {
    const who = await service.integrator();
    const entries = [await makeTimeEntry(who), await makeTimeEntry(who, { billable: false })];
    const invoiceId = await makeInvoice(who, { status: 'ISSUED' });
    const pay = async (amount: string, paidOn: string): Promise<string> => {
      const paid = `payInvoice(id: "${invoiceId}", amount: "${amount}", paidOn: "${paidOn}") { payments { nodes { id } } }`;
      return (await created(paid, who)).payments.nodes[0].id;
    };
    const payments = [await pay('1', '2026-01-31'), await pay('2', '2026-02-01'), await pay('3', '2026-02-28')];
    const receipt = await makeReceipt(who, { status: 'BOOKED' });
    await created(`payReceipt(id: "${receipt}", paidOn: "2026-02-02") { id }`, who);
    const ids = async (list: string): Promise<string[]> =>
      (await who.graphql(`{ list: ${list} { nodes { id } } }`)).list.nodes.map((row: { id: string }) => row.id);
    expect(await ids('timeEntries(filter: { billable: { eq: true } })')).toEqual([entries[0]]);
    expect(await ids('timeEntries(filter: { billable: { eq: false } })')).toEqual([entries[1]]);
    expect(await ids('payments(filter: { receiptId: { isNull: true } })')).toEqual(payments.toReversed());
    expect(
      await ids('payments(filter: { receiptId: { isNull: true }, paidOn: { gte: "2026-02-01", lte: "2026-02-28" } })'),
    ).toEqual([payments[2], payments[1]]);
    const answer = await who.graphqlAnswer(
      '{ payments(filter: { paidOn: { gte: "2026-02-02", lte: "2026-02-01" } }) { totalCount } }',
    );
    expect(refusal(answer).errors).toMatchObject({ 'filter.paidOn.gte': ['Must not be after the last day.'] });
  });
});

it('a row that others refer to can’t be deleted', async () => {
  const customerId = await makeCustomer(acme, { type: 'SUPPLIER' });
  const projectId = await makeProject(acme, { customerId });
  await makeInvoice(acme, { customerId });
  await makeReceipt(acme, { supplierId: customerId, projectId });
  await makeTimeEntry(acme, { projectId });
  const errors = async (type: string, row: string) =>
    refusal(await acme.graphqlAnswer(`mutation { delete${type}(id: "${row}") { id } }`)).errors;
  expect(await errors('Customer', customerId)).toEqual({
    id: ['Invoices refer to this customer.', 'Projects refer to this customer.', 'Receipts refer to this customer.'],
  });
  expect(await errors('Project', projectId)).toEqual({
    id: ['Time entries refer to this project.', 'Receipts refer to this project.'],
  });
});
