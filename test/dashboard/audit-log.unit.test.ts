import { expect, it } from 'vitest';
import { auditedResources } from '../../schema/resources/audit-log/readable.ts';
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
