import { describe, expect, it } from 'vitest';
import {
  item,
  makeBankAccount,
  makeBankStatement,
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import { type Integrator, type Service } from '../harness.ts';
import { exported, readCsv } from './exports.ts';
import { startWithWorker } from '../with-worker.ts';

let service: Service;
startWithWorker((started) => (service = started));

const list = (resource: string, fields: object = {}) => ({ type: 'list', resource, ...fields });

/** A value of REST as a cell has it. */
const asCell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** Fields that depend on the day or on other rows, and fields with lines of their own. */
const leftOut = new Set([
  'items',
  'lines',
  'continuity',
  'difference',
  'vat_breakdown',
  'is_overdue',
  'tracked_minutes',
  'matches',
]);

describe('A list', () => {
  it.each([
    ['customers', async (who: Integrator) => void (await makeCustomer(who, { city: 'Köln', vatId: 'DE123456788' }))],
    [
      'invoices',
      async (who: Integrator) => void (await makePayment(who, await makeInvoice(who, { status: 'ISSUED' }), '19')),
    ],
    ['credit-notes', async (who: Integrator) => void (await makeCreditNote(who))],
    ['receipts', async (who: Integrator) => void (await makeReceipt(who, { description: 'Trip', status: 'BOOKED' }))],
    [
      'payments',
      async (who: Integrator) => void (await makePayment(who, await makeInvoice(who, { status: 'ISSUED' }))),
    ],
    ['projects', async (who: Integrator) => void (await makeProject(who, { hourlyRateNet: '95.5' }))],
    ['time-entries', async (who: Integrator) => void (await makeTimeEntry(who, { billable: false }))],
    ['bank-accounts', async (who: Integrator) => void (await makeBankAccount(who, { name: 'Main' }))],
    ['bank-statements', async (who: Integrator) => void (await makeBankStatement(who))],
    ['bank-transactions', async (who: Integrator) => void (await makeBankTransaction(who, { reference: 'a, "b"' }))],
  ])('of %s has the columns and values of REST, in its order', async (resource, make) => {
    const who = await service.integrator();
    await make(who);
    const { row, file } = await exported(service, who, list(resource));
    const { data } = (await who.rest('GET', `/${resource}`)).body as { data: Record<string, unknown>[] };
    const expected = data.toReversed().map((each) => {
      const kept = Object.entries(each).filter(([name]) => !leftOut.has(name));
      return Object.fromEntries(kept.map(([name, value]) => [name, asCell(value)]));
    });
    // Credit notes have an amount in REST that depends on their invoice.
    for (const each of expected) if (resource === 'credit-notes') delete each['amount_due'];
    const rows = readCsv(file);
    expect(rows).toEqual(expected);
    expect(Object.keys(rows[0] ?? {})).toEqual(Object.keys(expected[0] ?? {}));
    expect(row).toMatchObject({ rows: expected.length, processed_rows: expected.length });
  });

  it('of lines has a row for each line, after its document', async () => {
    const who = await service.integrator();
    const items = ['one', 'two', 'three'].map((title) => ({ ...item, title }));
    const later = await makeInvoice(who, { invoiceDate: '2026-03-02', items: items.slice(0, 1) });
    const earlier = await makeInvoice(who, { invoiceDate: '2026-03-01', items });
    const { file } = await exported(service, who, list('invoice-items'));
    expect(readCsv(file).map((line) => [line['invoice_id'], line['position'], line['title']])).toEqual([
      [earlier, '1', 'one'],
      [earlier, '2', 'two'],
      [earlier, '3', 'three'],
      [later, '1', 'one'],
    ]);
    await makeReceipt(who, { receiptDate: '2026-02-02' });
    const lines = [{ amount_net: 10, vat_rate: 7, account: '4980' }, { amount_gross: 5 }];
    await who.rest('POST', '/receipts', { receipt_date: '2026-02-01', lines });
    const bought = readCsv((await exported(service, who, list('receipt-lines'))).file);
    expect(bought.map((each) => [each['position'], each['account'], each['vat_rate'], each['amount_gross']])).toEqual([
      ['1', '4980', '7', '10.7'],
      ['2', '', '0', '5'],
      ['1', '', '19', '119'],
    ]);
    await makeCreditNote(who, { invoiceId: await makeInvoice(who, { status: 'ISSUED', items }) });
    const notes = await exported(service, who, list('credit-note-items'));
    expect(readCsv(notes.file).map((line) => [line['number'], line['line_total_net']])).toEqual(
      [1, 2, 3].map(() => ['CN-2026-0001', '100']),
    );
  });

  it('of a period has its days and no others', async () => {
    const who = await service.integrator();
    for (const day of ['2025-12-31', '2026-01-01', '2026-01-31', '2026-02-01'])
      await makeReceipt(who, { receiptDate: day });
    const { row, file } = await exported(service, who, list('receipts', { from: '2026-01-01', to: '2026-01-31' }));
    expect(readCsv(file).map((each) => each['receipt_date'])).toEqual(['2026-01-01', '2026-01-31']);
    expect(row).toMatchObject({ file_name: 'receipts-2026-01-01-2026-01-31.csv', rows: 2 });
  });

  it('of some ids has these rows of its own only, or the lines of these documents', async () => {
    const who = await service.integrator();
    const other = await service.integrator();
    const [one = '', two = '', foreign = ''] = await Promise.all([who, who, other].map((each) => makeInvoice(each)));
    await makeInvoice(who);
    const ids = [two, foreign, one, two];
    const { row, file } = await exported(service, who, list('invoices', { ids }));
    expect(readCsv(file).map(({ id }) => id)).toEqual([one, two].toSorted());
    expect(row).toMatchObject({ ids, rows: 2, file_name: 'invoices-selection.csv' });
    const empty = [
      list('invoices', { ids: [one], to: '2020-01-01' }),
      ...['credit-note-items', 'receipt-lines', 'audit-log'].map((resource) => list(resource, { ids: [foreign] })),
    ];
    const exports = await Promise.all(empty.map((asked) => exported(service, who, asked)));
    expect(exports.map((each) => each.row['rows'])).toEqual([0, 0, 0, 0]);
    const lines = await exported(service, who, list('invoice-items', { ids: [one] }));
    expect(readCsv(lines.file)).toMatchObject([{ invoice_id: one }]);
  });

  it('of the audit log has its entries in their order, without those that the token may not read', async () => {
    const who = await service.integrator();
    await makeCustomer(who);
    await makeInvoice(who);
    const entries = (await who.rest('GET', '/audit-log?per_page=100')).body.data as { id: string; resource: string }[];
    const asked = list('audit-log', { from: '2026-01-01', to: '2037-12-31' });
    const readAll = async () => readCsv((await exported(service, who, asked)).file);
    const all = await readAll();
    expect(all.map(({ id }) => id)).toEqual(entries.toReversed().map(({ id }) => id));
    const abilities = ['exports:read', 'exports:write', 'audit:read', 'customers:read'];
    await service.client.apiToken.update({ where: { id: who.tokenId }, data: { abilities } });
    const some = await readAll();
    const readable = all.filter(({ resource = '' }) => !/invoice|company/.test(resource));
    expect(readable.length).toBeLessThan(all.length);
    expect(some.map(({ id }) => id)).toEqual(expect.arrayContaining(readable.map(({ id }) => id)));
    expect(some.filter(({ resource = '' }) => /invoice|company/.test(resource))).toEqual([]);
    expect((await exported(service, who, list('audit-log', { to: '2020-12-31' }))).row).toMatchObject({ rows: 0 });
  });

  it('in CSV begins with a byte order mark, ends lines by CR LF, and quotes what needs it', async () => {
    const who = await service.integrator();
    await makeCustomer(who, { companyName: 'a,b "c"', city: 'x\ny' });
    const { file } = await exported(service, who, list('customers'));
    expect([...file.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const text = file.toString();
    expect(text).toContain(',"a,b ""c""",');
    expect(text.endsWith('\r\n')).toBe(true);
  });

  it('has no cell that a spreadsheet takes for a formula', async () => {
    const who = await service.integrator();
    const names = ['=1+1', '+49 30 123', '-2+3', '@SUM(A1)', '\tx', '-5', '+7.5', '=HYPERLINK("http://x.example")'];
    for (const companyName of names) await makeCustomer(who, { companyName, city: companyName });
    await makeBankTransaction(who, { amount: -5, amountOpen: -5, reference: '\r=1', counterpartyName: '=cmd|x' });
    const { file } = await exported(service, who, list('customers'));
    expect(readCsv(file).map((row) => row['company_name'])).toEqual([
      "'=1+1",
      "'+49 30 123",
      "'-2+3",
      "'@SUM(A1)",
      'x', // trimmed when it was written
      '-5',
      '+7.5',
      `'=HYPERLINK("http://x.example")`,
    ]);
    const transactions = readCsv((await exported(service, who, list('bank-transactions'))).file);
    expect(transactions).toMatchObject([{ amount: '-5', reference: "'\r'=1", counterparty_name: "'=cmd|x" }]);
  });

  it('longer than a page is whole, and has each row once', async () => {
    const who = await service.integrator();
    const rows = Array.from({ length: 1203 }, (_, at) =>
      who.db.row('Receipt', {
        receiptDate: new Date(Date.UTC(2026, 0, 1 + (at % 7))),
        currency: 'EUR',
        amountGross: at,
        vatAmount: 0,
        amountNet: at,
        description: 'x'.repeat(at % 50 === 0 ? 2000 : 3),
      }),
    );
    for (let at = 0; at < rows.length; at += 100) await who.db.insert({ Receipt: rows.slice(at, at + 100) });
    const { row, file } = await exported(service, who, list('receipts'));
    expect(row).toMatchObject({ rows: 1203, processed_rows: 1203, length: file.length });
    const amounts = readCsv(file).map((each) => Number(each['amount_gross']));
    expect(amounts.toSorted((a, b) => a - b)).toEqual(rows.map((_row, at) => at));
  });
});
