import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { auditedResources } from '../../schema/resources/audit-log/readable.ts';
import { isDateField } from '../../src/dashboard/format/day-and-time.ts';
import { dateTime } from '../../src/dashboard/format/format.ts';
import { listFields, resourceNames } from '../../src/dashboard/pages/audit-log/fields.ts';

it('the audit log can be narrowed to everything that it has', () => {
  expect([...resourceNames].toSorted()).toEqual([...auditedResources].toSorted());
});

it('a change has the fields of both sides, in words, and not when the row was made', () => {
  const before = { city: null, amount: 119, lines: [{ title: 'A', quantity: 1.5 }] };
  const after = { city: 'Graz', amount: 11900, lines: [], created_at: '2026-01-31T09:30:00Z' };
  expect(listFields({ before, after })).toEqual([
    { name: 'city', before: undefined, after: 'Graz' },
    { name: 'amount', before: '119', after: '11,900' },
    { name: 'lines', before: 'Title A, Quantity 1.5', after: '' },
  ]);
});

it('a year is no number of things', () => {
  const after = { year: 2026, next_number: 1200 };
  expect(listFields({ before: null, after })).toEqual([
    { name: 'year', before: undefined, after: '2026' },
    { name: 'next_number', before: undefined, after: '1,200' },
  ]);
});

it('only a field of dates shows dates: a text of somebody may look like one', () => {
  const after = {
    receipt_number: '2026-04-12',
    description: '2026-07-45',
    due_date: '2026-04-12',
    lines: [{ title: '2026-04-12', service_period_end: '2026-04-12' }],
    metadata: { order_date: '2026-04-12', order: '2026-04-12T09:30:00Z' },
    paid_at: '2026-04-12T09:30:00Z',
  };
  const texts = Object.fromEntries(listFields({ before: {}, after }).map(({ name, after: text }) => [name, text]));
  expect(texts).toEqual({
    receipt_number: '2026-04-12',
    description: '2026-07-45',
    due_date: 'Apr 12, 2026',
    lines: 'Title 2026-04-12, Service period end Apr 12, 2026',
    metadata: 'Order date 2026-04-12, Order 2026-04-12T09:30:00Z',
    paid_at: dateTime('2026-04-12T09:30:00Z'),
  });
});

it('every date of the audited tables is shown as one', () => {
  const schema = readFileSync(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8');
  const columns = [...schema.matchAll(/^ {2}(\w+) +(DateTime|String)\b(?:.*@map\("(\w+)"\))?/gm)];
  const named = columns.map(([, field = '', type, column = field]) => ({ column, type }));
  // Days of exports and anchors, and the times of a limit, aren't in the log.
  const unlogged = new Set(['day', 'at_day', 'from_day', 'to_day', 'times']);
  const of = (type: string) =>
    [...new Set(named.filter((each) => each.type === type).map(({ column }) => column))].filter(
      (column) => !unlogged.has(column),
    );
  expect(of('DateTime').length).toBeGreaterThan(20);
  expect(of('DateTime').filter((column) => !isDateField(column))).toEqual([]);
  expect(of('String').filter((column) => isDateField(column))).toEqual([]);
});
