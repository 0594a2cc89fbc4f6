import { describe, expect, it } from 'vitest';
import {
  addPart,
  buildMatchInput,
  computeLeft,
  computeRate,
  findPartner,
  propose,
  type Part,
} from '../../src/dashboard/pages/bank-transactions/match-parts.ts';
import type { Found } from '../../src/dashboard/pages/bank-transactions/fields.ts';

// The proposals and computations of the form of a match.

const found = (id: string, due: string, more: Partial<Found> = {}): Found => ({
  type: 'INVOICE',
  id,
  name: id,
  partner: 'Globex',
  date: '2026-03-01',
  due,
  currency: 'EUR',
  partnerId: 'globex',
  isDeducted: false,
  canAdjust: true,
  ...more,
});
const note = (id: string, due: string, more: Partial<Found> = {}): Found =>
  found(id, due, { type: 'CREDIT_NOTE', isDeducted: true, canAdjust: false, ...more });
const of = (open: string) => ({ open, currency: 'EUR' });
const add = (open: string, ...all: Found[]): Part[] =>
  all.reduce<Part[]>((parts, each) => addPart(parts, each, of(open)), []);
const amounts = (parts: Part[]) => parts.map(({ amount, exchangeAmount }) => exchangeAmount || amount);

describe('amounts are proposed', () => {
  it.each<[string, string, Found[], string[], string]>([
    ['what is due', '200', [found('a', '119')], ['119.00'], '81'],
    ['at most what is left', '150', [found('a', '119'), found('b', '119')], ['119.00', '31.00'], '0'],
    ['nothing where nothing is left', '119', [found('a', '119'), found('b', '1')], ['119.00', '0.00'], '0'],
    [
      'more of an earlier one where one is deducted',
      '107.1',
      [found('a', '119'), note('n', '11.9')],
      ['119.00', '11.90'],
      '0',
    ],
    ['in any order', '107.1', [note('n', '11.9'), found('a', '119')], ['11.90', '119.00'], '0'],
    [
      'all that is left of another currency, last',
      '200',
      [found('u', '110', { currency: 'USD' }), found('a', '119')],
      ['81.00', '119.00'],
      '0',
    ],
    ['never of what is deducted in another currency', '10', [note('n', '5', { currency: 'USD' })], ['5.00'], 'none'],
  ])('%s', (_name, open, all, expected, left) => {
    const parts = add(open, ...all);
    expect(amounts(parts)).toEqual(expected);
    expect(computeLeft(parts, of(open)) ?? 'none').toBe(left);
  });

  it('but not where one was typed', () => {
    const [first] = add('107.1', found('a', '119'));
    const typed = [{ ...first!, amount: '100' }];
    expect(amounts(addPart(typed, note('n', '11.9'), of('107.1')))).toEqual(['100', '11.90']);
    expect(amounts(propose(addPart(typed, found('b', '50'), of('107.1')).slice(1), of('107.1')))).toEqual(['50.00']);
  });
});

it('what is left is exact, and unknown while an amount is no number', () => {
  const huge = { open: '98765432109876543.21', currency: 'EUR' };
  const [part] = addPart([], found('a', '0.01'), huge);
  expect(computeLeft([part!], huge)).toBe('98765432109876543.2');
  expect(computeLeft([{ ...part!, amount: 'x' }], huge)).toBeUndefined();
  expect(computeLeft([{ ...part!, amount: '5', isDeducted: true }], huge)).toBe('98765432109876548.21');
});

it('the rate is that of the API, without what settles the rest', () => {
  const [part] = add('109.48', found('u', '119', { currency: 'USD' }));
  expect(computeRate(part!)).toBe('0.92');
  expect(computeRate({ ...part!, amount: '110', adjustments: [{ type: 'FEE', reason: '' }] })).toBe('0.995272727273');
  for (const exchangeAmount of ['', '0', '-1', 'x']) expect(computeRate({ ...part!, exchangeAmount })).toBeUndefined();
  expect(computeRate({ ...part!, amount: '0' })).toBeUndefined();
});

it('only documents of one customer or supplier are netted', () => {
  expect(findPartner([])).toBeUndefined();
  expect(findPartner(add('1', found('a', '1'), found('b', '1')))).toBe('globex');
  expect(findPartner(add('1', found('a', '1'), found('b', '1', { partnerId: 'other' })))).toBeUndefined();
  expect(findPartner(add('1', found('a', '1', { partnerId: null })))).toBeUndefined();
});

it('only a document in another currency has a second amount, which is never left out', () => {
  const [own, foreign] = add('119', found('a', '119'), found('u', '9', { currency: 'USD' }));
  expect(buildMatchInput(own!, of('119'))).toEqual({ type: 'INVOICE', id: 'a', amount: '119.00' });
  expect(buildMatchInput({ ...foreign!, exchangeAmount: '' }, of('119'))).toEqual({
    type: 'INVOICE',
    id: 'u',
    amount: '9.00',
    exchangeAmount: '',
  });
});
