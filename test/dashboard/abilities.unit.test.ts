import { expect, it } from 'vitest';
import { resources as known } from '../../schema/ability.ts';
import { inWords, resources } from '../../src/dashboard/pages/settings/abilities.ts';

it('offers every ability that a token can have', () => {
  expect(resources).toEqual([...known]);
});

it('says abilities in words', () => {
  expect(inWords(['*'])).toBe('Everything');
  expect(inWords(['read', '*'])).toBe('Everything');
  expect(inWords(['read'])).toBe('Read everything');
  expect(inWords(['invoices:read', 'customers:write'])).toBe('invoices:read, customers:write');
});
