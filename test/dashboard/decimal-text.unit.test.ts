import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText } from '../../src/dashboard/format/decimal-text.ts';

describe('a decimal is parsed in the locale’s format, and in others if it is unambiguous', () => {
  it.each([
    ['de', '2,5', '2.5'],
    ['de', '59,50', '59.50'],
    ['de', '59.50', '59.50'],
    ['de', '1.234,56', '1234.56'],
    ['de', '1,234.56', '1234.56'],
    ['de', '1.234', '1234'],
    ['de', '1,234', '1.234'],
    ['de', '0.123', '0.123'],
    ['de', '1234.567', '1234.567'],
    ['de', '1.234.567', '1234567'],
    ['de', '1,234,567', '1234567'],
    ['de', '-1.234,50', '-1234.50'],
    ['de', '−2,5', '-2.5'],
    ['de', ',5', '0.5'],
    ['de', '007', '7'],
    ['de', ' 12 ', '12'],
    ['en-US', '1.234', '1.234'],
    ['en-US', '1,234', '1234'],
    ['en-US', '2,5', '2.5'],
    ['en-US', '59,50', '59.50'],
    ['en-US', '1.234,56', '1234.56'],
    ['de-CH', "1'234.50", '1234.50'],
    ['de-CH', '1’234.50', '1234.50'],
    ['de-AT', '1.234', '1234'],
    ['de-AT', '1 234,5', '1234.5'],
    ['fr', '1\u202F234,5', '1234.5'],
    ['fr', '1\u00A0234,5', '1234.5'],
    ['fr', '1 234.5', '1234.5'],
    ['fr-CH', '1.234', '1.234'],
    ['en-IN', '12,34,567.8', '1234567.8'],
    ['ar-EG', '١٬٢٣٤٫٥', '1234.5'],
    ['ar-EG', '1234.5', '1234.5'],
    ['fa', '‎−۱۲٫۵', '-12.5'],
    ['de', '12345678901234567890,123456789', '12345678901234567890.123456789'],
  ])('%s: %j is %s', (locale, typed, read) => {
    expect(decimalText(locale).parse(typed)).toBe(read);
  });

  it.each([
    ['de', '1,234,5'],
    ['de', '1.23.456'],
    ['de', '1.234.56'],
    ['de', '1,2,3'],
    ['de', '1.234,567.8'],
    ['de', '12.34,5'],
    ['de', '5,'],
    ['de', ','],
    ['de', ''],
    ['de', '1e3'],
    ['de', '12 34'],
    ['de', '1 234.567'],
    ['en-US', '1 234,567'],
    ['en-US', '12,34,567'],
    ['en-US', '1..5'],
    ['en-US', '--5'],
    ['en-US', '5 EUR'],
    // French uses no point: 1.234 may be 1234, as in German, or 1.234, as in English.
    ['fr', '1.234'],
  ])('%s: %j is refused', (locale, typed) => {
    expect(decimalText(locale).parse(typed)).toBeUndefined();
  });
});

const locales = (
  'af am ar ar-EG ar-MA az be bg bn bs ca ckb cs cy da de de-AT de-CH de-LI dz el en en-150 en-AU en-CA en-CH en-DE ' +
  'en-GB en-IE en-IN en-US en-ZA es es-CR es-MX es-US et eu fa fi fil fr fr-BE fr-CA fr-CH fr-LU ga gl gsw gu he hi ' +
  'hr hu hy id is it it-CH ja ka kk km kn ko lb lo lt lv mk ml mn mr ms my nb ne nl nl-BE pa pl ps pt-BR pt-PT rm ro ' +
  'ru si sk sl sq sr sv sw ta te th tr uk ur uz vi zh zu'
).split(' ');

const digits = (min: number, max: number): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((list) => list.join(''));

const decimals = fc.tuple(fc.constantFrom('', '-'), digits(1, 16), digits(0, 6)).map(([sign, whole, fraction]) => {
  const number = `${whole.replace(/^0+(?=\d)/, '')}${fraction && `.${fraction}`}`;
  return /[1-9]/.test(number) ? sign + number : number;
});

const fractionOf = (value: string): number => value.split('.')[1]?.length ?? 0;
const shortest = (value: string): string => value.replace(/\.?0+$/, (end) => (value.includes('.') ? '' : end));
/** Normalizes signs that differ only in appearance. */
const plain = (text: string): string =>
  text
    .replaceAll(/[\u061C\u200E\u200F]/g, '')
    .replaceAll(/\s/g, ' ')
    .replaceAll('’', "'")
    .replace('−', '-');

/** Whether a locale formats a number as this text, as a number or as money, apart from grouping. */
function isWritten(locale: string, value: string, text: string): boolean {
  const options = { minimumFractionDigits: fractionOf(value), maximumFractionDigits: 20 };
  const count = new Intl.NumberFormat(locale, { useGrouping: false });
  const ascii = new Map(Array.from({ length: 10 }, (_, digit) => [count.format(digit), String(digit)]));
  const ungrouped = (sought: string, group: string | undefined): string =>
    [...plain(sought)].flatMap((char) => (char === group ? [] : (ascii.get(char) ?? char))).join('');
  return [options, { ...options, style: 'currency', currency: 'EUR' } as const].some((each) => {
    const format = new Intl.NumberFormat(locale, each);
    const group = format.formatToParts(1234567).find(({ type }) => type === 'group')?.value;
    const own = format
      .formatToParts(value as Intl.StringNumericLiteral)
      .filter(({ type }) => type !== 'currency' && type !== 'literal')
      .map((part) => part.value);
    return ungrouped(text, group && plain(group)) === ungrouped(own.join(''), group && plain(group));
  });
}

const texts = new Map(locales.map((locale) => [locale, decimalText(locale)]));

describe.each(locales)('in %s', (locale) => {
  const { format, parse } = texts.get(locale)!;

  it('a formatted decimal is parsed as the same decimal', () => {
    fc.assert(
      fc.property(decimals, (value) => {
        expect(parse(format(value, fractionOf(value)))).toBe(value);
      }),
      { numRuns: 100 },
    );
  });

  it('another locale’s format is parsed as the same decimal, refused, or this locale’s format of another decimal', () => {
    fc.assert(
      fc.property(decimals, fc.constantFrom(...locales), (value, other) => {
        const text = texts.get(other)!.format(value, fractionOf(value));
        const read = parse(text);
        if (read === undefined || read === value) return;
        expect([text, read, isWritten(locale, read, text)]).toEqual([text, read, true]);
      }),
      { numRuns: 150 },
    );
  });

  it('parsing never loses, adds, or moves a digit', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...`0123456789.,' -`), maxLength: 12 }), (typed) => {
        const read = parse(typed);
        if (read === undefined) return;
        const significant = (text: string): string => text.replaceAll(/\D/g, '').replace(/^0+/, '');
        expect(significant(read)).toBe(significant(typed));
        expect(shortest(parse(format(read)) ?? '')).toBe(shortest(read));
      }),
      { numRuns: 150 },
    );
  });
});
