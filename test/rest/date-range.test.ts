import { expect, it, onTestFinished } from 'vitest';
import { startService } from '../harness.ts';
import * as sample from './samples.ts';
import { create, invalidFields } from './samples.ts';

const days = ['2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03'];

it.each([
  ['/invoices', 'invoice_date', (customer: string) => sample.invoice(customer)],
  ['/receipts', 'receipt_date', () => sample.receipt],
])('%s can be listed by a range of days, both included', async (path, field, body) => {
  const service = await startService();
  onTestFinished(service.close);
  const [who, other] = [await service.integrator(), await service.integrator()];
  const ids = await Promise.all([who, other].map((one) => create(one, '/customers', sample.customer)));
  for (const day of days) await create(who, path, { ...body(ids[0]?.id), [field]: day });
  await create(other, path, { ...body(ids[1]?.id), [field]: days[1] });
  const list = async (query: string): Promise<string[]> => {
    const { data, meta } = (await who.rest('GET', `${path}?${query}`)).body;
    expect(meta.total).toBe(data.length);
    return data.map((row: Record<string, string>) => row[field]).toSorted();
  };
  expect(await list('')).toEqual(days);
  expect(await list('from=2026-03-01')).toEqual(days.slice(1));
  expect(await list('to=2026-03-01')).toEqual(days.slice(0, 2));
  expect(await list('from=2026-03-01&to=2026-03-02&status=draft')).toEqual(days.slice(1, 3));
  expect(await list('from=2026-03-04')).toEqual([]);
  expect(await list('from=0001-01-01&to=9999-12-31')).toEqual(days);
  expect(invalidFields(await who.rest('GET', `${path}?from=2026-02-30&to=tomorrow`))).toEqual(['from', 'to']);
});
