import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { makeInvoice, makePayment } from '../books.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
afterEach(() => {
  service.clock.now = undefined;
});

const overdueAt = async (who: Integrator, id: string, time: string): Promise<boolean> => {
  service.clock.now = new Date(time);
  const { invoice } = await who.graphql('query ($id: UUID!) { invoice(id: $id) { isOverdue } }', { id });
  const { body } = await who.rest('GET', `/invoices/${id}`);
  expect(body.data.is_overdue).toBe(invoice.isOverdue);
  return invoice.isOverdue;
};

describe('a tenant’s time zone decides what "today" is for it', () => {
  it.each([
    ['UTC', '2026-03-15T23:59:59Z', '2026-03-16T00:00:00Z'],
    ['Europe/Berlin', '2026-03-15T22:59:59Z', '2026-03-15T23:00:00Z'],
    ['Pacific/Auckland', '2026-03-15T10:59:59Z', '2026-03-15T11:00:00Z'],
    ['America/Los_Angeles', '2026-03-16T06:59:59Z', '2026-03-16T07:00:00Z'],
    ['Asia/Kathmandu', '2026-03-15T18:14:59Z', '2026-03-15T18:15:00Z'],
  ])('%s: due on 15 March, overdue from local midnight', async (timezone, before, after) => {
    const who = await service.integrator({ timezone });
    const id = await makeInvoice(who, { status: 'ISSUED', dueDate: '2026-03-15' });
    expect(await overdueAt(who, id, before)).toBe(false);
    expect(await overdueAt(who, id, after)).toBe(true);
  });
});

describe('is_overdue is derived', () => {
  it('of issued invoices only, part-paid ones too', async () => {
    const who = await service.integrator();
    const dueDate = '2026-03-15';
    const late = '2026-04-01T00:00:00Z';
    expect(await overdueAt(who, await makeInvoice(who, { dueDate }), late)).toBe(false);
    expect(await overdueAt(who, await makeInvoice(who, { dueDate, status: 'PAID' }), late)).toBe(false);
    const id = await makeInvoice(who, { dueDate, status: 'ISSUED' });
    await makePayment(who, id, '100');
    expect(await overdueAt(who, id, late)).toBe(true);
    const other = await makeInvoice(who, { dueDate, status: 'ISSUED' });
    await who.graphql('mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }', { id: other });
    expect(await overdueAt(who, other, late)).toBe(false);
  });
});
