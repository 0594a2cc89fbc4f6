import { describe, expect, it } from 'vitest';
import { buildLineInput, buildLineValues, isUsual, negate } from '../../src/dashboard/pages/receipts/line-values.ts';

const line = {
  position: 1,
  description: null,
  account: null,
  vatCategory: 'S',
  vatRate: '19',
  deductiblePercent: '100',
  amountNet: '100',
  vatAmount: '19',
  amountGross: '119',
};

describe('a receipt with one line is a form with an amount and a rate', () => {
  it.each([
    ['EUR', {}],
    ['EUR', { amountGross: '0.5', vatAmount: '0.08' }], // 0.0798…
    ['EUR', { amountGross: '100', vatRate: '7.7', vatAmount: '7.15' }],
    ['TND', { amountGross: '100', vatAmount: '15.966' }],
    ['JPY', { amountGross: '100', vatAmount: '16' }],
    ['EUR', { vatCategory: 'Z', vatRate: '0', vatAmount: '0', amountGross: '5' }],
  ])('in %s where they say all of it: %j', (currency, fields) => {
    const one = { ...line, ...fields };
    expect(buildLineValues({ currency, lines: [one] })).toEqual([]);
    expect(buildLineValues({ currency, lines: [negate(one)] })).toEqual([]);
  });

  it.each([
    ['EUR', { vatAmount: '19.01', amountNet: '99.99' }],
    ['TND', { amountGross: '100', vatAmount: '15.97' }],
    ['EUR', { description: 'Paper' }],
    ['EUR', { account: '4930' }],
    ['EUR', { deductiblePercent: '50' }],
    ['EUR', { vatCategory: 'AE', vatAmount: '0' }],
  ])('in %s, and one with its line where they do not: %j', (currency, fields) => {
    expect(buildLineValues({ currency, lines: [{ ...line, ...fields }] })).toHaveLength(1);
  });
});

it('a credit takes back the VAT that the receipt states, not that of its rate', () => {
  const stated = { ...line, vatAmount: '19.01', amountNet: '99.99' };
  const lines = buildLineValues({ currency: 'EUR', lines: [negate(stated)] }).map(buildLineInput);
  expect(lines).toMatchObject([{ amountGross: '-119.00', vatRate: '19', vatAmount: '-19.01' }]);
});

it('stated VAT alone adds no table of lines to a page that shows it', () => {
  expect(isUsual({ ...line, vatAmount: '19.01' })).toBe(true);
  expect(isUsual({ ...line, description: 'Paper' })).toBe(false);
});
