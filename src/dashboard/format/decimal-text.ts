/**
 * Decimals as people of a locale write them. A decimal itself is a string in the API's form: digits, a point, digits. It
 * never becomes a binary number, which would round it.
 */
export interface DecimalText {
  /**
   * Writes a decimal with all its digits: `1234.5` is `1.234,5` in German.
   * @param minDigits how many digits stand after the separator at least
   */
  format: (value: string, minDigits?: number) => string;
  /**
   * Reads what a person wrote, in the API's form. A text that can be read in one way only is read, whatever the locale:
   * `59.50` and `1.234,56`. A text with two readings has the locale's own: `1.234` is 1234 in German and 1.234 in
   * English. Anything else is undefined: `1,234,5`, or `1.234` where the locale uses no point.
   */
  parse: (text: string) => string | undefined;
}

/** How a locale writes numbers. */
interface Signs {
  decimals: Set<string>;
  groups: Set<string>;
  /** ASCII digits and minus for the locale's own. */
  ascii: Map<string, string>;
  /** Whether the groups above the thousands have two digits, as in India: `12,34,567`. */
  groupsOfTwo: boolean;
}

// More digits than Intl can format, or any field of the API holds.
const maxDigits = 100;

// Spaces and apostrophes group digits in several locales, and are a decimal separator in none.
const onlyGroups = new Set([' ', "'", '٬']);
const onlyDecimals = new Set(['٫']);

export function decimalText(locale: string): DecimalText {
  const signs = signsOf(locale);
  const formats = new Map<number, Intl.NumberFormat>();
  const formatWith = (minDigits: number): Intl.NumberFormat => {
    const format =
      formats.get(minDigits) ??
      new Intl.NumberFormat(locale, { minimumFractionDigits: minDigits, maximumFractionDigits: maxDigits });
    formats.set(minDigits, format);
    return format;
  };
  return {
    format: (value, minDigits = 0) =>
      formatWith(Math.min(minDigits, maxDigits)).format(value as Intl.StringNumericLiteral),
    parse: (text) => parse(text, signs),
  };
}

function signsOf(locale: string): Signs {
  const plain = new Intl.NumberFormat(locale);
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' });
  // Some locales write money with other signs, and people use both: Austria has 1 234,5 and € 1.234,50. Where the two
  // contradict each other, the sign means what it means in a plain number.
  const decimals = new Set(signsIn(plain, 'decimal'));
  const groups = new Set(signsIn(plain, 'group'));
  for (const sign of signsIn(money, 'decimal')) if (!groups.has(sign)) decimals.add(sign);
  for (const sign of signsIn(money, 'group')) if (!decimals.has(sign)) groups.add(sign);
  const digits = Array.from({ length: 10 }, (_, digit): [string, string] => [plain.format(digit), String(digit)]);
  const parts = plain.formatToParts(1234567).filter(({ type }) => type === 'integer');
  return {
    decimals,
    groups,
    ascii: new Map(digits),
    groupsOfTwo: parts.length === 3 && [...(parts[1]?.value ?? '')].length === 2,
  };
}

const signsIn = (format: Intl.NumberFormat, type: 'decimal' | 'group'): string[] =>
  format
    .formatToParts(-1234567.5)
    .filter((part) => part.type === type)
    .map(({ value }) => simple(value));

/** Normalizes characters that look the same. */
const simple = (text: string): string => text.replaceAll(/\s/g, ' ').replaceAll('’', "'");

function parse(typed: string, signs: Signs): string | undefined {
  const ascii = [...typed].map((char) => signs.ascii.get(char) ?? char).join('');
  // Arabic and Persian put invisible marks of the direction around a minus.
  const text = simple(ascii.replaceAll(/[\u061C\u200E\u200F]/g, '').trim()).replace(/^[−‐]/, '-');
  const [, sign = '', body = ''] = /^([-+]?) ?(.*)$/.exec(text) ?? [];
  if (!/^(?:\d+|(?=[.,٫]\d+$))(?:[.,٫٬' ]\d+)*$/.test(body)) return undefined;
  const runs = body.split(/\D/);
  const separators = [...body.replaceAll(/\d/g, '')];
  const read = reading(runs, separators, signs);
  if (!read) return undefined;
  const whole = read.whole.replace(/^0+(?=\d)/, '') || '0';
  return `${sign === '-' ? '-' : ''}${whole}${read.fraction && `.${read.fraction}`}`;
}

interface Reading {
  whole: string;
  fraction: string;
}

function reading(runs: string[], separators: string[], signs: Signs): Reading | undefined {
  const last = separators.at(-1);
  const whole: Reading = { whole: runs.join(''), fraction: '' };
  if (last === undefined) return whole;
  const asGroups = areGroups(runs, separators, signs);
  const before = separators.slice(0, -1);
  const asDecimal =
    !onlyGroups.has(last) &&
    !before.includes(last) &&
    (before.length === 0 || areGroups(runs.slice(0, -1), before, signs)) &&
    !looksLikeGroup(last, before, runs.at(-1) ?? '', signs);
  if (asGroups && asDecimal) {
    if (signs.groups.has(last)) return whole;
    if (!signs.decimals.has(last)) return undefined;
  } else if (asGroups) {
    return whole;
  }
  return asDecimal ? { whole: runs.slice(0, -1).join(''), fraction: runs.at(-1) ?? '' } : undefined;
}

/** Whether digits stand in groups, by one sign, and the number doesn't begin with a zero. */
function areGroups(runs: string[], separators: string[], { groupsOfTwo }: Signs): boolean {
  const [first = '', ...others] = runs;
  if (new Set(separators).size !== 1 || onlyDecimals.has(separators[0] ?? '')) return false;
  if (/^[1-9]\d{0,2}$/.test(first) && others.every(({ length }) => length === 3)) return true;
  return (
    groupsOfTwo &&
    /^[1-9]\d?$/.test(first) &&
    others.at(-1)?.length === 3 &&
    others.slice(0, -1).every(({ length }) => length === 2)
  );
}

/** `1 234,567` in English: by the locale's own sign the last digits are a group, by the space they are not. */
const looksLikeGroup = (last: string, before: string[], digits: string, { groups }: Signs): boolean =>
  groups.has(last) && digits.length === 3 && before.some((sign) => onlyGroups.has(sign));
