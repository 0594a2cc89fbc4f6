import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { creditNoteNumberSql, formatCreditNoteNumber } from '../../schema/resources/credit-note/next-number.ts';
import { formatInvoiceNumber, invoiceNumberSql } from '../../schema/resources/invoice/next-number.ts';
import { doInBulk } from '../bulk/operations.ts';
import { setCompany } from '../documents/parties.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { work } from '../webhooks/receiver.ts';
import * as sample from './samples.ts';

// "A document dated before the last issued one of its series is warned of, or refused": a series is the numbers of one year.

let service: Service;
let who: Integrator;
let customer: string;
beforeAll(async () => {
  service = await startService();
  service.clock.now = new Date('2026-06-30T12:00:00Z');
});
beforeEach(async () => {
  who = await service.integrator();
  await setCompany(who, { legalName: 'Kontor Studio GmbH' });
  customer = (await sample.create(who, '/customers', sample.customer)).id;
});
afterAll(() => service.close());

const setOrder = (issueDateOrder: string) => setCompany(who, { issueDateOrder });
const bill = (day: string, status = 'issued'): Promise<Answer> =>
  who.rest('POST', '/invoices', { ...sample.invoice(customer), invoice_date: day, due_date: '2027-06-30', status });
const credit = (id: string, day?: string): Promise<Answer> =>
  who.rest('POST', '/credit-notes', { invoice_id: id, amounts: [{ vat_rate: 19, net: 1 }], credit_note_date: day });

const ofOrder = ({ body }: Answer): unknown =>
  body.warnings.filter(({ code }: { code: string }) => code === 'date_order');
const warning = (field: string, number: string, day: string): unknown => ({
  code: 'date_order',
  field,
  message: `${number} was issued before it, and has a later date: ${day}.`,
});
const refused = (field: string, number: string, day: string): unknown => [
  422,
  [
    {
      field,
      code: 'day_out_of_range',
      message: `Must not be before ${day}, the date of ${number}, which was issued last.`,
      params: { min: day, max: '2027-06-30' },
    },
  ],
];
const details = ({ status, body }: Answer): unknown => [status, body.details];

it.each([
  [invoiceNumberSql('sequence'), formatInvoiceNumber],
  [creditNoteNumberSql('sequence'), formatCreditNoteNumber],
])('numbers in SQL are those of documents: %s', async (sql, format) => {
  const [years, positions] = [
    [1, 2026, 9999],
    [1, 42, 9999, 10_000, 123_456_789],
  ];
  for (const year of years) {
    const { rows } = await service.pool.query(
      `select ${sql} as number from unnest($2::int[]) as last cross join lateral (values ($1::int, last)) as sequence (year, last)`,
      [year, positions],
    );
    expect(rows.map(({ number }) => number)).toEqual(positions.map((position) => format(year, position)));
  }
});

describe('by default', () => {
  it('an earlier invoice is warned of, as a draft and when it is issued, and for ever', async () => {
    expect(ofOrder(await bill('2026-03-31'))).toEqual([]);
    expect(ofOrder(await bill('2026-03-31'))).toEqual([]);
    const expected = [warning('invoice_date', '2026-0002', '2026-03-31')];
    const draft = await bill('2026-03-30', 'draft');
    expect(ofOrder(draft)).toEqual(expected);
    const issued = await who.rest('POST', `/invoices/${draft.body.data.id}/issue`);
    expect([issued.body.data.number, ofOrder(issued)]).toEqual(['2026-0003', expected]);
    // The last issued one is earlier now.
    expect(ofOrder(await bill('2026-03-30', 'paid'))).toEqual([]);
    const checklist = 'checklist { code warnings { code field } }';
    const { invoice } = await who.graphql(`query ($id: UUID!) { invoice(id: $id) { ${checklist} } }`, {
      id: draft.body.data.id,
    });
    const check = { code: 'DATE_ORDER', warnings: [{ code: 'DATE_ORDER', field: 'invoice_date' }] };
    expect(invoice.checklist).toContainEqual(check);
  });

  it('an invoice of another year is of another series', async () => {
    await bill('2027-01-02');
    expect(ofOrder(await bill('2026-12-31'))).toEqual([]);
  });

  it('the form of a new invoice is told before anything is stored', async () => {
    await bill('2026-03-31');
    const input = {
      customerId: customer,
      invoiceDate: '2026-03-30',
      items: [{ title: 'Work', quantity: '1', unitPriceNet: '1', vatRate: '19' }],
    };
    const { warned } = await who.graphql(
      'query ($input: CreateInvoiceInput!) { warned: newInvoiceWarnings(input: $input) { code message } }',
      { input },
    );
    expect(warned).toContainEqual(expect.objectContaining({ code: 'DATE_ORDER' }));
  });

  it('an earlier credit note is warned of', async () => {
    const { id } = (await bill('2026-03-01')).body.data;
    expect(ofOrder(await credit(id, '2026-03-31'))).toEqual([]);
    expect(ofOrder(await credit(id, '2026-03-30'))).toEqual([
      warning('credit_note_date', 'CN-2026-0001', '2026-03-31'),
    ]);
  });

  it('a draft is warned of what the same document issued before it', async () => {
    const items = [{ title: 'Work', quantity: '1', unitPriceNet: '1', vatRate: '19' }];
    const input = { customerId: customer, invoiceDate: '2026-03-31', status: 'ISSUED', items };
    const answer = await who.graphql(
      `mutation ($issued: CreateInvoiceInput!, $draft: CreateInvoiceInput!) {
        issued: createInvoice(input: $issued) { number }
        draft: createInvoice(input: $draft) { warnings { code message } } }`,
      { issued: input, draft: { ...input, invoiceDate: '2026-03-30', status: 'DRAFT' } },
    );
    const message = '2026-0001 was issued before it, and has a later date: 2026-03-31.';
    expect(answer.issued.number).toBe('2026-0001');
    expect(answer.draft.warnings).toContainEqual({ code: 'DATE_ORDER', message });
  });

  it('another tenant’s documents are none of it', async () => {
    await bill('2026-03-31');
    const other = await service.integrator();
    const { id } = await sample.create(other, '/customers', sample.customer);
    const answer = await other.rest('POST', '/invoices', {
      ...sample.invoice(id),
      invoice_date: '2026-03-30',
      status: 'issued',
    });
    expect(ofOrder(answer)).toEqual([]);
  });
});

describe('a company that refuses them', () => {
  it('issues no earlier invoice, which takes no number', async () => {
    await setOrder('REFUSE');
    await bill('2026-03-31');
    const expected = refused('invoice_date', '2026-0001', '2026-03-31');
    const draft = await bill('2026-03-30', 'draft');
    const issue = (): Promise<Answer> => who.rest('POST', `/invoices/${draft.body.data.id}/issue`);
    for (const answer of [await issue(), await bill('2026-03-30'), await bill('2026-03-30', 'paid')])
      expect(details(answer)).toEqual(expected);
    expect((await bill('2026-03-31')).body.data.number).toBe('2026-0002');
    expect((await bill('2025-12-31')).body.data.number).toBe('2025-0001');
    await setOrder('WARN');
    expect((await issue()).body.data.number).toBe('2026-0003');
  });

  it('issues no earlier credit note, and cancels nothing until the last one’s day', async () => {
    const { id } = (await bill('2026-03-01')).body.data;
    const other = (await bill('2026-03-01')).body.data;
    await credit(id, '2026-07-01');
    await setOrder('REFUSE');
    const expected = refused('credit_note_date', 'CN-2026-0001', '2026-07-01');
    expect(details(await credit(id, '2026-06-30'))).toEqual(expected);
    expect(details(await credit(id))).toEqual(expected);
    expect(details(await who.rest('POST', `/invoices/${other.id}/cancel`))).toEqual(expected);
    expect((await who.rest('GET', `/invoices/${other.id}`)).body.data.status).toBe('issued');
    expect((await credit(id, '2026-07-01')).body.data.number).toBe('CN-2026-0002');
  });

  it('sees what the same bulk operation has issued before', async () => {
    await setOrder('REFUSE');
    const days = ['2026-03-01', '2026-03-31', '2026-03-30', '2026-03-31', '2026-03-30'];
    const lines = days.map((day) => ({ ...sample.invoice(customer), invoice_date: day, status: 'issued' }));
    const worker = await work(service);
    const { results } = await doInBulk(who, { resource: 'invoices', action: 'create' }, lines);
    await worker.stop();
    const wrong = [expect.objectContaining({ code: 'day_out_of_range' })];
    expect(results.map((line) => line['details'] ?? line['status'])).toEqual([201, 201, wrong, 201, wrong]);
  });

  it('has dates in the order of numbers, however many are issued at once', async () => {
    await setOrder('REFUSE');
    const days = Array.from({ length: 24 }, (_, at) => `2026-04-${String(1 + ((at * 7) % 24)).padStart(2, '0')}`);
    const answers = await Promise.all(days.map((day) => bill(day)));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([201, 422]));
    const issued = answers.filter(({ status }) => status === 201).map(({ body }) => body.data);
    issued.sort((a, b) => (a.number < b.number ? -1 : 1));
    const dates = issued.map(({ invoice_date }) => invoice_date);
    expect(dates).toEqual(dates.toSorted());
    expect(issued.at(-1).number).toBe(`2026-${String(issued.length).padStart(4, '0')}`);
    expect(dates.at(-1)).toBe('2026-04-24');
  });
});
