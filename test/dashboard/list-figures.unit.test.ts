import { expect, it } from 'vitest';
import { addUp } from '../../src/dashboard/list/figures.ts';
import { getDaysLate } from '../../src/dashboard/pages/invoices/days-late.ts';

const group = (currency: string, count: number, amount: string) => ({ currency, count, amount });

it.each([
  [[], { count: 0, sum: undefined }],
  [[group('EUR', 2, '0.1'), group('EUR', 1, '0.2')], { count: 3, sum: { amount: '0.3', currency: 'EUR' } }],
  [[group('EUR', 2, '0.1'), group('USD', 1, '0.2')], { count: 3, sum: undefined }],
])('%j adds up to %j', (groups, figures) => {
  expect(addUp(groups, ({ amount }) => amount)).toEqual(figures);
});

it.each([
  ['2026-03-01', true, '2026-03-02', 1],
  ['2026-02-28', true, '2027-03-01', 366],
  // The service's day has begun, and the reader's hasn't.
  ['2026-03-01', true, '2026-03-01', 1],
  ['2026-03-01', false, '2026-04-01', 0],
])('due on %s, overdue: %s, on %s: %i days late', (dueDate, isOverdue, on, days) => {
  expect(getDaysLate({ dueDate, isOverdue }, on)).toBe(days);
});
