import { expect, it } from 'vitest';
import { divide, minus, sum } from '../../src/dashboard/format/decimal.ts';

it('subtracts with all digits, where a number would round', () => {
  expect(minus('0.3', '0.1', '0.2')).toBe('0');
  expect(minus('98765432109876543.21', '0.01')).toBe('98765432109876543.2');
  expect(minus('1', '2.5')).toBe('-1.5');
});

it.each([
  ['', '1'],
  ['1', ''],
  ['1', '1,5'],
  ['1', '1e3'],
  ['1', 'x'],
])('%j minus %j is undefined', (amount, less) => {
  expect(minus(amount, less)).toBeUndefined();
});

it('adds with all digits', () => {
  expect(sum(['0.1', '0.2', '98765432109876543.21'])).toBe('98765432109876543.51');
  expect(sum([])).toBe('0');
});

it('divides and rounds', () => {
  expect(divide('109.48', '110', 12)).toBe('0.995272727273');
  expect(divide('9999999999999.99', '0.01', 12)).toBe('999999999999999');
  expect(divide('1', '0', 12)).toBeUndefined();
  expect(divide('1', 'x', 12)).toBeUndefined();
});
