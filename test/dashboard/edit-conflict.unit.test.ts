import { expect, it } from 'vitest';
import { mergeEdits, taken } from '../../src/dashboard/forms/edit-conflict.ts';

const form = { receiptNumber: 'R-1', dueDate: '2026-01-31', description: '' };
const label = (field: string): string => field;

it.each(['2026-04-12', '2026-07-45'])('a number like %s that was changed elsewhere is shown as it is', (number) => {
  const stored = { ...form, receiptNumber: number };
  expect(mergeEdits(form, form, stored, label)).toEqual({
    values: stored,
    changes: [{ text: `receiptNumber was changed elsewhere to “${number}”, and updated here.` }],
  });
  const typed = { ...form, receiptNumber: 'R-2' };
  expect(mergeEdits(form, typed, stored, label)).toEqual({
    values: typed,
    changes: [
      {
        text: `receiptNumber was also changed elsewhere to “${number}”. Your change is kept.`,
        conflict: 'receiptNumber',
      },
    ],
  });
  expect(taken('receiptNumber', number, label)).toBe(`receiptNumber has the value from elsewhere: “${number}”.`);
});

it('a date that was changed elsewhere is shown as a date', () => {
  const stored = { ...form, dueDate: '2026-04-12' };
  expect(mergeEdits(form, form, stored, label).changes).toEqual([
    { text: 'dueDate was changed elsewhere to “Apr 12, 2026”, and updated here.' },
  ]);
  expect(taken('dueDate', '2026-04-12', label)).toBe('dueDate has the value from elsewhere: “Apr 12, 2026”.');
});
