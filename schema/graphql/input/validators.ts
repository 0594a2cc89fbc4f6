import { iso31661 } from 'iso-3166/1.js';
import { electronicFormatIBAN, isValidBIC, isValidIBAN } from 'ibantools';
import { z } from 'zod';
import { isElectronicAddressScheme, isRegistrationScheme } from '../../codes/identifier-schemes.ts';
import { languages } from '../../codes/languages.ts';
import { isUnitCode } from '../../codes/unit-codes.ts';
import { isVatNumber } from '../../codes/vat-number.ts';
import { isVatCategory, receiptVatCategories, vatCategoryCodes } from '../../money/vat-categories.ts';
import { Decimal, fits, isCurrency, maxDigits } from '../../money/money.ts';
import type { Problem } from '../../errors/problem-codes.ts';
import { refusal } from './issues.ts';

// Validators of single inputs. An input's declaration uses them as `validate:`. Each also has its bounds as data.

/** Bounds as data, in JSON Schema's keywords if it has one. They are for descriptions; validation doesn't use them. */
export interface Bounds {
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  /** At most this many decimals. */
  decimals?: number;
  nonZero?: boolean;
  /** The form of a code. Not every code of this form exists. */
  pattern?: string;
  format?: string;
  /** The values of an enum that are accepted here. */
  enum?: string[];
  /** At most this many digits in all. */
  digits?: number;
}

/** The bounds of an input's `validate`, where it has any. */
export const getBounds = (validate: unknown): Bounds =>
  validate instanceof z.ZodType ? ({ ...validate.meta() } as Bounds) : {};

/** Without an exponent. */
const inDigits = (number: number): string => new Decimal(number).toFixed();

/** "At most 255 characters." */
export function boundsInWords(validate: unknown): string {
  const { maxLength, pattern, minItems, maxItems, minimum, maximum, decimals } = getBounds(validate);
  const parts = [
    maxLength !== undefined && !pattern && `At most ${maxLength} character${maxLength === 1 ? '' : 's'}.`,
    maxItems !== undefined && `${minItems} to ${maxItems} of them.`,
    minimum !== undefined &&
      (maximum === undefined ? `At least ${minimum}.` : `${inDigits(minimum)} to ${inDigits(maximum)}.`),
    decimals !== undefined && `At most ${decimals} decimals.`,
  ];
  return parts.filter(Boolean).join(' ');
}

/** Whether a text that is longer than `max` has at most so many code points. */
export const hasAtMost = (max: number, text: string): boolean => text.length <= 2 * max && [...text].length <= max;

/** Characters that PostgreSQL or JSON can't carry. */
export const storable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const bounded = (text: z.ZodString, max: number) =>
  text
    .refine(storable, refusal('invalid_format', 'Must not contain NUL characters or lone surrogates.'))
    .refine(
      (value) => value.length <= max || hasAtMost(max, value),
      refusal('too_long', `Must not be longer than ${max} characters.`, { max }),
    )
    .meta({ maxLength: max });

/** Text, trimmed, of at most `max` characters (code points). */
export const text = (max: number) => bounded(z.string().trim(), max);

/** Text to compare stored text with, of at most `max` characters. It may begin and end with spaces, as what a bank sent may. */
export const comparedText = (max: number) => bounded(z.string(), max);

/** Text that is not empty. */
export const requiredText = (max: number) =>
  text(max)
    .refine((value) => value !== '', refusal('required', 'Must not be empty.'))
    .meta({ minLength: 1 });

/** The most characters of an id in another system. */
export const maxExternalId = 255;
/** An id in another system. */
export const externalId = requiredText(maxExternalId);

const address = z.email();
export const email = text(255)
  .refine(
    (value) => address.safeParse(value).success,
    refusal('invalid_format', 'Must be an e-mail address.', { format: 'email' }),
  )
  .meta({ format: 'email' });

/** ISO 3166-1 alpha-2. */
export const countryCodes: ReadonlySet<string> = new Set(iso31661.map((each) => each.alpha2));

const isCountry = (code: string): boolean => countryCodes.has(code);

export const country = text(255)
  .refine(isCountry, refusal('unknown_value', 'Must be an ISO 3166-1 country code of two capital letters.'))
  .meta({ maxLength: 2, pattern: '^[A-Z]{2}$' });

export const currency = text(255)
  .refine(isCurrency, refusal('unknown_value', 'Must be an ISO 4217 currency code of three capital letters.'))
  .meta({ maxLength: 3, pattern: '^[A-Z]{3}$' });

export const electronicAddressScheme = text(255)
  .refine(
    isElectronicAddressScheme,
    refusal('unknown_value', 'Must be a code of the list EAS, such as 0204, 9930 or EM.'),
  )
  .meta({ maxLength: 4, pattern: '^([0-9]{4}|[A-Z]{2})$' });

export const registrationNumberScheme = text(255)
  .refine(
    isRegistrationScheme,
    refusal('unknown_value', 'Must be a code of the list ICD, such as 0106, 0007, 0184 or 0192.'),
  )
  .meta({ maxLength: 4, pattern: '^[0-9]{4}$' });

/** A VAT number in the form of its country. */
export const vatNumber = text(32).refine(
  isVatNumber,
  refusal('invalid_format', 'Must have the form of a VAT number: DE123456789.', { format: 'vat-number' }),
);

/** An IBAN with its check digits; stored without spaces, in capital letters. */
export const iban = text(64)
  .transform((value) => electronicFormatIBAN(value) ?? value)
  .refine(
    (value) => isValidIBAN(value),
    refusal('invalid_format', 'Must be an IBAN: its length or its check digits are wrong.', { format: 'iban' }),
  )
  .meta({ maxLength: 64 });

/** An IBAN without spaces, in capital letters. Any other number of an account stays as it is. */
export function plainAccountNumber(value: string): string {
  const plain = electronicFormatIBAN(value);
  return plain !== null && isValidIBAN(plain) ? plain : value;
}

/** The number of a bank account. */
export const accountNumber = requiredText(255).overwrite(plainAccountNumber);

export const bic = text(64)
  .transform((value) => value.replaceAll(' ', '').toUpperCase())
  .refine(
    (value) => isValidBIC(value),
    refusal('invalid_format', 'Must be a BIC of 8 or 11 characters.', { format: 'bic' }),
  )
  .meta({ maxLength: 64 });

export const color = text(7)
  .refine(
    (value) => /^#[0-9a-f]{6}$/i.test(value),
    refusal('invalid_format', 'Must be a colour: #1a2b3c.', { format: 'color' }),
  )
  .meta({ pattern: '^#[0-9A-Fa-f]{6}$' });

export const vatCategory = text(255)
  .refine(
    isVatCategory,
    refusal('unknown_value', `Must be one of ${vatCategoryCodes}.`, { values: vatCategoryCodes.split(', ') }),
  )
  .meta({ maxLength: 2, pattern: `^(${vatCategoryCodes.replaceAll(', ', '|')})$` });

export const receiptVatCategory = text(255)
  .refine(
    (code) => receiptVatCategories.some((known) => known === code),
    refusal('unknown_value', `Must be one of ${receiptVatCategories.join(', ')}.`, { values: receiptVatCategories }),
  )
  .meta({ maxLength: 6, pattern: `^(${receiptVatCategories.join('|')})$` });

export const unitCode = text(255)
  .refine(isUnitCode, refusal('unknown_value', 'Must be a code of UN/ECE Recommendation 20, such as HUR or C62.'))
  .meta({ maxLength: 3, pattern: '^[0-9A-Z]{2,3}$' });

export const language = text(255)
  .refine(
    (code) => languages.some((known) => known === code),
    refusal('unknown_value', `Must be one of ${languages.join(', ')}.`, { values: languages }),
  )
  .meta({ maxLength: 2, pattern: `^(${languages.join('|')})$` });

export interface DecimalBounds {
  /** At most this many decimals. */
  decimals?: number;
  min?: number;
  max?: number;
  nonZero?: boolean;
}

export const decimal = ({ decimals, min, max, nonZero }: DecimalBounds) =>
  z
    .instanceof(Decimal)
    .superRefine((value, issues) => {
      const report = (...problem: Problem): void => issues.addIssue({ code: 'custom', ...refusal(...problem) });
      const bounds = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
      if (!fits(value)) report('too_many_digits', `Must not have more than ${maxDigits} digits.`, { max: maxDigits });
      if (decimals !== undefined && value.decimalPlaces() > decimals)
        report('too_many_decimals', `Must not have more than ${decimals} decimals.`, { max: decimals });
      if (min !== undefined && value.lessThan(min))
        report('out_of_range', `Must be at least ${inDigits(min)}.`, bounds);
      if (max !== undefined && value.greaterThan(max)) report('out_of_range', `Must be at most ${max}.`, bounds);
      if (nonZero && value.isZero()) report('zero', 'Must not be zero.');
    })
    .meta({ decimals, minimum: min, maximum: max, nonZero, digits: maxDigits });

/** A price of one unit, or a quantity: at most four decimals. */
export const unitPrice = decimal({ decimals: 4 });
export const vatRate = decimal({ decimals: 2, min: 0, max: 100 });
export const discountPercent = decimal({ decimals: 2, min: 0, max: 100 });

export const wholeNumber = (min: number, max: number) =>
  z
    .number()
    .refine(
      (value) => value >= min && value <= max,
      refusal('out_of_range', `Must be from ${min} to ${max}.`, { min, max }),
    )
    .meta({ minimum: min, maximum: max });

/** How many days after its date an invoice is due. */
export const paymentTermsDays = wholeNumber(0, 365);

export const count = (min: number, max: number, things: string) =>
  z
    .array(z.unknown())
    .refine(
      (list) => list.length >= min && list.length <= max,
      refusal('wrong_count', `Must have ${min} to ${max} ${things}.`, { min, max }),
    )
    .meta({ minItems: min, maxItems: max });

/** Some values of an enum. @param message why the other values are refused */
export const among = <Value extends string>(values: Value[], message: string) =>
  z
    .custom<Value>()
    .refine((value) => values.includes(value), refusal('unknown_value', message))
    .meta({ enum: values });

/** For an input that may be left out but not be null: what it sets can't be cleared. */
export const notNull = { extensions: { notNull: true } };

/** For Prisma, null writes null; where a column can't be null, null means "not given". */
export const given = <T>(value: T | null | undefined): T | undefined => value ?? undefined;
