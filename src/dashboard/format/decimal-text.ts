/**
 * Formats and parses decimals in a locale. A decimal is a string in the API's format: digits, a point, digits. It never
 * becomes a binary floating-point number, which would round it.
 */
interface DecimalText {
  /**
   * Formats a decimal with all its digits: `1234.5` is `1.234,5` in German.
   * @param minDigits the minimum number of digits after the separator
   */
  format: (value: string, minDigits?: number) => string;
  /**
   * Parses typed text. Unambiguous text is accepted in every locale: `59.50` and `1.234,56`. Ambiguous text is read as the
   * locale writes it: `1.234` is 1234 in German and 1.234 in English.
   * @returns undefined for anything else: `1,234,5`, or `1.234` if the locale uses no point
   */
  parse: (text: string) => string | undefined;
}

/** How a locale writes numbers. */
interface NumberSymbols {
  decimals: Set<string>;
  groups: Set<string>;
  /** The ASCII character for each of the locale's digits. */
  ascii: Map<string, string>;
  /** Whether groups above the thousands have two digits, as in India: `12,34,567`. */
  groupsOfTwo: boolean;
}

// More digits than any field of the API allows.
const maxDigits = 100;

// Spaces and apostrophes group digits in several locales, and are a decimal separator in none.
const onlyGroups = new Set([' ', "'", '٬']);
const onlyDecimals = new Set(['٫']);

export function decimalText(locale: string): DecimalText {
  const symbols = findSymbols(locale);
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
    parse: (text) => parse(text, symbols),
  };
}

function findSymbols(locale: string): NumberSymbols {
  const plain = new Intl.NumberFormat(locale);
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' });
  // Some locales write money with other symbols, and people use both: Austria has 1 234,5 and € 1.234,50. If the two
  // contradict each other, plain numbers decide.
  const decimals = new Set(symbolsIn(plain, 'decimal'));
  const groups = new Set(symbolsIn(plain, 'group'));
  for (const sign of symbolsIn(money, 'decimal')) if (!groups.has(sign)) decimals.add(sign);
  for (const sign of symbolsIn(money, 'group')) if (!decimals.has(sign)) groups.add(sign);
  const digits = Array.from({ length: 10 }, (_, digit): [string, string] => [plain.format(digit), String(digit)]);
  const parts = plain.formatToParts(1234567).filter(({ type }) => type === 'integer');
  return {
    decimals,
    groups,
    ascii: new Map(digits),
    groupsOfTwo: parts.length === 3 && [...(parts[1]?.value ?? '')].length === 2,
  };
}

const symbolsIn = (format: Intl.NumberFormat, type: 'decimal' | 'group'): string[] =>
  format
    .formatToParts(-1234567.5)
    .filter((part) => part.type === type)
    .map(({ value }) => normalizeLookalikes(value));

/** Normalizes characters that look the same. */
const normalizeLookalikes = (text: string): string => text.replaceAll(/\s/g, ' ').replaceAll('’', "'");

function parse(typed: string, symbols: NumberSymbols): string | undefined {
  const ascii = [...typed].map((char) => symbols.ascii.get(char) ?? char).join('');
  // Arabic and Persian put invisible direction marks around a minus.
  const text = normalizeLookalikes(ascii.replaceAll(/[\u061C\u200E\u200F]/g, '').trim()).replace(/^[−‐]/, '-');
  const [, sign = '', body = ''] = /^([-+]?) ?(.*)$/.exec(text) ?? [];
  if (!/^(?:\d+|(?=[.,٫]\d+$))(?:[.,٫٬' ]\d+)*$/.test(body)) return undefined;
  const digitGroups = body.split(/\D/);
  const separators = [...body.replaceAll(/\d/g, '')];
  const read = parseParts(digitGroups, separators, symbols);
  if (!read) return undefined;
  const whole = read.whole.replace(/^0+(?=\d)/, '') || '0';
  return `${sign === '-' ? '-' : ''}${whole}${read.fraction && `.${read.fraction}`}`;
}

interface ParsedDecimal {
  whole: string;
  fraction: string;
}

function parseParts(digitGroups: string[], separators: string[], symbols: NumberSymbols): ParsedDecimal | undefined {
  const last = separators.at(-1);
  const whole: ParsedDecimal = { whole: digitGroups.join(''), fraction: '' };
  if (last === undefined) return whole;
  const asGroups = areGroups(digitGroups, separators, symbols);
  const before = separators.slice(0, -1);
  const asDecimal =
    !onlyGroups.has(last) &&
    !before.includes(last) &&
    (before.length === 0 || areGroups(digitGroups.slice(0, -1), before, symbols)) &&
    !looksLikeGroup(last, before, digitGroups.at(-1) ?? '', symbols);
  if (asGroups && asDecimal) {
    if (symbols.groups.has(last)) return whole;
    if (!symbols.decimals.has(last)) return undefined;
  } else if (asGroups) {
    return whole;
  }
  return asDecimal ? { whole: digitGroups.slice(0, -1).join(''), fraction: digitGroups.at(-1) ?? '' } : undefined;
}

/** Whether the digits are valid groups with one separator, and the number doesn't begin with a zero. */
function areGroups(digitGroups: string[], separators: string[], { groupsOfTwo }: NumberSymbols): boolean {
  const [first = '', ...others] = digitGroups;
  if (new Set(separators).size !== 1 || onlyDecimals.has(separators[0] ?? '')) return false;
  if (/^[1-9]\d{0,2}$/.test(first) && others.every(({ length }) => length === 3)) return true;
  return (
    groupsOfTwo &&
    /^[1-9]\d?$/.test(first) &&
    others.at(-1)?.length === 3 &&
    others.slice(0, -1).every(({ length }) => length === 2)
  );
}

/** `1 234,567` in English is ambiguous: by the locale's separator the last digits are a group, by the space they aren't. */
const looksLikeGroup = (last: string, before: string[], digits: string, { groups }: NumberSymbols): boolean =>
  groups.has(last) && digits.length === 3 && before.some((sign) => onlyGroups.has(sign));
