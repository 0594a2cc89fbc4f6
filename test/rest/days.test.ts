import { afterEach, beforeEach, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import type { Answer } from '../harness.ts';
import * as sample from './samples.ts';
import { create, invalidFields } from './samples.ts';

// Which days documents and payments can have. In Auckland it is the next day already.

let service: Service;
let who: Integrator;
let customer: string;
beforeEach(async () => {
  service = await startService();
  service.clock.now = new Date('2026-06-30T13:00:00Z');
  who = await service.integrator({ timezone: 'Pacific/Auckland' });
  customer = (await create(who, '/customers', sample.customer)).id;
});
afterEach(() => service.close());

const invoice = (day: string, status = 'issued') => ({ ...sample.invoice(customer), invoice_date: day, status });
const outside = { code: 'day_out_of_range', params: { min: '1900-01-01', max: '2027-07-01' } };
const details = ({ status, body }: Answer): unknown => [status, body.details];

it.each(['issued', 'paid'])('an invoice created as %s is dated from 1900 to a year ahead', async (status) => {
  for (const day of ['0001-01-01', '1899-12-31', '2027-07-02', '9999-12-31']) {
    const refused = await who.rest('POST', '/invoices', { ...invoice(day, status), subject: 1 });
    expect(invalidFields(refused)).toEqual(['invoice_date', 'subject']); // all at once
    expect(refused.body.details).toContainEqual(expect.objectContaining({ field: 'invoice_date', ...outside }));
  }
  const numbers = [];
  for (const day of ['1900-01-01', '2027-07-01'])
    numbers.push((await create(who, '/invoices', invoice(day, status))).number);
  expect(numbers).toEqual(['1900-0001', '2027-0001']);
});

it('a draft may have any date, and is not issued with one out of range', async () => {
  const { id } = await create(who, '/invoices', invoice('2027-07-02', 'draft'));
  const issued = () => who.rest('POST', `/invoices/${id}/issue`);
  expect(details(await issued())).toEqual([422, [expect.objectContaining({ field: 'invoice_date', ...outside })]]);
  expect((await who.rest('GET', `/invoices/${id}`)).body.data).toMatchObject({ status: 'draft', number: null });
  service.clock.now = new Date('2026-07-01T13:00:00Z'); // a day later
  expect((await issued()).body.data.number).toBe('2027-0001');
});

it('a credit note is dated a year ahead at most', async () => {
  const { id } = await create(who, '/invoices', invoice('2026-07-01'));
  const credit = (day: string) => who.rest('POST', '/credit-notes', { invoice_id: id, credit_note_date: day });
  const refused = [422, [expect.objectContaining({ field: 'credit_note_date', ...outside })]];
  expect(details(await credit('2027-07-02'))).toEqual(refused);
  expect((await credit('2027-07-01')).status).toBe(201);
});

it('nothing is paid or refunded after today, in the time zone of the tenant', async () => {
  const { id } = await create(who, '/invoices', invoice('2026-07-01', 'paid'));
  const creditNote = await create(who, '/credit-notes', { invoice_id: id });
  const open = await create(who, '/invoices', invoice('2026-07-01'));
  const receipt = await create(who, '/receipts', { ...sample.receipt, status: 'booked' });
  const paths = [
    `/invoices/${open.id}/payments`,
    `/receipts/${receipt.id}/payments`,
    `/credit-notes/${creditNote.id}/refunds`,
  ];
  for (const path of paths) {
    const refused = [422, [expect.objectContaining({ field: 'paid_on', code: 'in_the_future' })]];
    expect(details(await who.rest('POST', path, { amount: 1, paid_on: '2026-07-02' }))).toEqual(refused);
    expect((await who.rest('POST', path, { amount: 1, paid_on: '2026-07-01' })).status).toBe(200);
  }
});
