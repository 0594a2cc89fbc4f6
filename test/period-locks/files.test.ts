import { expect, it, onTestFinished } from 'vitest';
import { makeCustomer } from '../graphql/books.ts';
import { startService } from '../harness.ts';
import { uploadRecords, type Kind } from '../record-import/records.ts';

it.each<[kind: Kind, columns: Record<string, string>, dayField: string]>([
  [
    'Invoice',
    { customer: 'customer', invoiceDate: 'day', title: 'what', quantity: 'n', unitPriceNet: 'amount', number: 'id' },
    'invoiceDate',
  ],
  ['Receipt', { receiptDate: 'day', amountGross: 'amount' }, 'receiptDate'],
])('a file with an %s of a locked day, or paid on one, is refused as a whole', async (kind, columns, dayField) => {
  const service = await startService();
  onTestFinished(service.close);
  const who = await service.integrator();
  await makeCustomer(who);
  await who.rest('PUT', '/period-locks', { series: 'all', locked_until: '2026-03-31', kind: 'soft' });
  const upload = async (...lines: string[]) => {
    const csv = `id,customer,what,n,amount,day,paid\n${lines.join('\n')}\n`;
    const options = { columns: { externalId: 'id', paidOn: 'paid', ...columns }, defaults: { vatRate: '19' } };
    const selected = 'details: errors { line column field code }';
    return (await uploadRecords(service, who, kind, csv, options, selected)).body.data.result;
  };
  const open = 'C,Globex,x,1,10,2026-04-01,2026-04-01';
  expect(await upload('A,Globex,x,1,10,2026-03-31,', 'B,Globex,x,1,10,2026-04-01,2026-03-31', open)).toMatchObject({
    imported: 0,
    details: [
      { line: 2, column: 'day', field: dayField, code: 'locked' },
      { line: 3, column: 'paid', field: 'paidOn', code: 'locked' },
    ],
  });
  expect(await upload(open)).toMatchObject({ imported: 1, details: [] });
});
