import { readdirSync, readFileSync } from 'node:fs';
import currencyCodes from 'currency-codes';
import { describe, expect, it } from 'vitest';
import { formatIban, splitIban } from '../../src/dashboard/format/iban.ts';
import { getStartOfDay, toInstant } from '../../src/dashboard/format/day-and-time.ts';
import {
  ago,
  bytes,
  date,
  dateTime,
  decimal,
  label,
  lastDay,
  minorDigits,
  minutes,
  money,
  month,
  sentence,
  setClock,
  today,
  wait,
} from '../../src/dashboard/format/format.ts';
import { amountField } from '../../src/dashboard/forms/form-values.ts';

const digits = (text: string): string => text.replaceAll(/\D/g, '');

describe('money', () => {
  it('keeps every digit of amounts that a number would round', () => {
    expect(digits(money('98765432109876543.21', 'EUR'))).toBe('9876543210987654321');
  });
  it.each([
    ['EUR', '119050'],
    ['JPY', '1190'],
    ['KWD', '1190500'],
  ])('has the minor digits of %s', (currency, shown) => {
    expect(digits(money(currency === 'JPY' ? '1190' : '1190.5', currency))).toBe(shown);
  });
  it.each(['€', 'eur', 'EURO', '978', ''])('puts a code that is no currency after the number: "%s"', (code) => {
    expect(minorDigits(code)).toBe(2);
    expect(money('900', code)).toBe(`900 ${code}`);
    expect(amountField('900', code)).toBe('900.00');
  });
});

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [354, '354 bytes'],
  [1023, '1,023 bytes'],
  [1536, '1.5\u00A0KiB'],
  [25 * 2 ** 20, '25\u00A0MiB'],
  [3 * 2 ** 40, '3,072\u00A0GiB'],
])('a size of %i bytes is %s', (size, shown) => {
  expect(bytes(size)).toBe(shown);
});

it.each([
  ['2026-02', '2026-02-28'],
  ['2028-02', '2028-02-29'],
  ['2026-12', '2026-12-31'],
])('the last day of %s is %s', (of, day) => {
  expect(lastDay(of)).toBe(day);
});

it('a quantity keeps all its digits and gets no more', () => {
  expect(digits(decimal('0.12345678901234567'))).toBe('012345678901234567');
  expect(digits(decimal('5'))).toBe('5');
});

it('today is the day in the tenant’s time zone, in that of an unknown one the reader’s', () => {
  try {
    const days = ['Pacific/Kiritimati', 'Europe/Berlin', 'Pacific/Pago_Pago', 'Nowhere/None'].map((zone) => {
      setClock('2026-12-31T22:59:30Z', zone);
      return today();
    });
    setClock('2026-12-31T22:59:30Z', undefined);
    expect(days).toEqual(['2027-01-01', '2026-12-31', '2026-12-31', today()]);
  } finally {
    setClock(undefined, undefined);
  }
});

it('a calendar day is the same day in every time zone', () => {
  const before = process.env.TZ;
  try {
    const shown = ['Pacific/Kiritimati', 'UTC', 'Pacific/Pago_Pago'].map((zone) => {
      process.env.TZ = zone;
      return [date('2026-01-31'), month('2026-01')];
    });
    expect(new Set(shown.map(String)).size).toBe(1);
    expect(shown[0]?.[0]).toContain('31');
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});

it.each([
  [0, '0 min'],
  [45, '45 min'],
  [60, '1 h'],
  [125, '2 h 5 min'],
])('%i minutes are %s', (total, shown) => expect(minutes(total)).toBe(shown));

it('a unit price keeps more digits than its currency has', () => {
  expect(digits(money('0.1234', 'EUR'))).toBe('01234');
});

it('money has ISO 4217’s minor digits, even if browsers show fewer', () => {
  for (const { code, digits: minor } of currencyCodes.data) {
    // Codes without a country, such as gold, have none.
    if (!code.startsWith('X') || code === 'XAF') expect([code, minorDigits(code)]).toEqual([code, minor]);
  }
});

it('amounts and dates in a sentence of the server are formatted, except in quotations', () => {
  expect(sentence('Must not be more than the 1059.5 EUR due.')).toBe(
    `Must not be more than the ${money('1059.5', 'EUR')} due.`,
  );
  expect(sentence('The time entry of 2026-01-31 has no hourly rate.')).toContain(date('2026-01-31'));
  for (const text of ['Invoice 2026-0012 is due.', 'Line 3: "2026-01-31;59.5 EUR" is no CSV.'])
    expect(sentence(text)).toBe(text);
});

it('a text that is no date stays as it is', () => {
  expect([date('2026-07-45'), dateTime('never')]).toEqual(['2026-07-45', 'never']);
  expect(sentence('The number 2026-07-45 is taken.')).toBe('The number 2026-07-45 is taken.');
});

it('a day or a time of a form is a time for the API, and what is none stays as it is, for the server to refuse', () => {
  expect(getStartOfDay('2026-01-31', 1)).toBe(new Date(2026, 1, 1).toISOString());
  expect(toInstant('2026-01-31T10:30')).toBe(new Date(2026, 0, 31, 10, 30).toISOString());
  for (const text of ['20266-01-01', 'never', '']) expect(getStartOfDay(text, 1)).toBe(text);
  for (const text of ['20266-01-01T10:30', '']) expect(toInstant(text)).toBe(text);
});

it('only format/ and i18n/ format and parse numbers and dates', () => {
  const folder = new URL('../../src/dashboard/', import.meta.url);
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/^(dist|format|i18n)\//.test(file))
    .filter((file) =>
      /\bIntl\.|toLocale(Date|Time|)String\(|parseFloat|NumberInput|decimal\([^)]*\)\} ?\$\{currency/.test(
        readFileSync(new URL(file, folder), 'utf8'),
      ),
    );
  expect(found).toEqual([]);
});

it('the distance of a past or future time has a suitable unit', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  const at = (seconds: number): string => ago(new Date(now + seconds * 1000).toISOString(), now);
  expect(at(-59.4)).toMatch(/59/);
  // 59.6 seconds are rounded to a minute, not to 60 seconds.
  expect(at(-59.6)).toBe(at(-60));
  expect(at(-3 * 3600)).toMatch(/3/);
  expect(at(90)).not.toBe(at(-90));
});

it('a waiting time is rounded up', () => {
  expect(wait(59)).toMatch(/59/);
  expect(wait(61)).toMatch(/2/);
});

it('a label is made from the name of a state or a resource', () => {
  expect(label('PARTIALLY_MATCHED')).toBe('Partially matched');
  expect(label('time-entries')).toBe('Time entries');
});

describe('an account number', () => {
  it('is grouped if it is an IBAN', () => {
    expect(formatIban('NL91ABNA0417164300')).toBe('NL91 ABNA 0417 1643 00');
    expect(formatIban('12345678/20050550')).toBe('12345678/20050550');
    expect(formatIban('')).toBe('');
    expect(splitIban('NL91ABNA0417164300').join('')).toBe('NL91ABNA0417164300');
  });
});
