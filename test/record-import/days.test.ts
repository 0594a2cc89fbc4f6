import { expect, it, onTestFinished } from 'vitest';
import { makeCustomer } from '../graphql/books.ts';
import { startService } from '../harness.ts';
import { uploadRecords, type Kind } from './records.ts';

it.each<[kind: Kind, columns: Record<string, string>, rows: string[], errors: object[]]>([
  [
    'Invoice',
    { customer: 'customer', invoiceDate: 'day', title: 'what', quantity: 'n', unitPriceNet: 'amount', number: 'id' },
    [
      'A,Globex,x,1,10,1899-12-31,',
      'B,Globex,x,1,10,2027-07-01,',
      'C,Globex,x,1,10,2026-01-01,2026-07-01',
      'D,Globex,x,1,10,1900-01-01,1900-01-01',
      'E,Globex,x,1,10,2027-06-30,2026-06-30',
    ],
    [
      { line: 2, column: 'day', field: 'invoiceDate', code: 'day_out_of_range' },
      { line: 3, column: 'day', field: 'invoiceDate', code: 'day_out_of_range' },
      { line: 4, column: 'paid', field: 'paidOn', code: 'in_the_future' },
    ],
  ],
  [
    'Receipt',
    { receiptDate: 'day', amountGross: 'amount' },
    ['A,,,,10,2026-01-01,2026-07-01', 'B,,,,10,2026-01-01,2026-06-30'],
    [{ line: 2, column: 'paid', field: 'paidOn', code: 'in_the_future' }],
  ],
])('%ss have no days that a single one could not have', async (kind, columns, rows, expected) => {
  const service = await startService();
  onTestFinished(service.close);
  service.clock.now = new Date('2026-06-30T12:00:00Z');
  const who = await service.integrator();
  await makeCustomer(who);
  const upload = async (lines: string[]) => {
    const csv = `id,customer,what,n,amount,day,paid\n${lines.join('\n')}\n`;
    const options = { columns: { externalId: 'id', paidOn: 'paid', ...columns }, defaults: { vatRate: '19' } };
    const { body } = await uploadRecords(
      service,
      who,
      kind,
      csv,
      options,
      'details: errors { line column field code }',
    );
    return body.data.result;
  };
  expect(await upload(rows)).toMatchObject({ imported: 0, details: expected });
  const right = rows.slice(expected.length);
  expect(await upload(right)).toMatchObject({ imported: right.length, details: [] });
});
