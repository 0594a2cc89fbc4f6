import { expect, it } from 'vitest';
import { getHint } from '../../src/dashboard/pages/import/field-names.ts';

it('a hint names other fields as people see them, and has no marks of code', () => {
  expect(getHint({ description: 'Default: 0 if there is a `paidOn`.' })).toBe('Default: 0 if there is a “Paid on”.');
  expect(getHint({ description: '`yes` or `no`. Default: yes.' })).toBe('yes or no. Default: yes.');
});
