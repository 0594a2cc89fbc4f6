import { bytes, date, decimal, label } from '../format/format.ts';
import { t } from '../i18n/t.ts';
import { findSentence } from './server-sentences.ts';

export type Params = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '…');
const day = (value: unknown): string => (typeof value === 'string' ? date(value) : '…');

const bound = (value: unknown): string => (typeof value === 'number' ? decimal(String(value)) : '');

function sayRange(min: unknown, max: unknown): string {
  const [least, most] = [bound(min), bound(max)];
  if (least && most) return t('Enter a number from {min} to {max}.', { min: least, max: most });
  if (least) return t('Enter at least {min}.', { min: least });
  return most ? t('Enter at most {max}.', { max: most }) : t('This number is too small or too large.');
}

/**
 * The meanings of the codes of problems, as /docs/error-codes has them. The messages of the API are English, so only
 * English pages show them, and don't load these: see explain.ts.
 */
export const explanations: Readonly<Record<string, (params: Params, message: string) => string>> = {
  required: () => t('Fill this in.'),
  not_nullable: () => t('Fill this in.'),
  unknown_field: () => t('This field is not known here.'),
  wrong_type: () => t('Fill this in.'),
  invalid_format: () => t('This does not have the form that it must have.'),
  unknown_value: () => t('Choose one of the values that are offered.'),
  too_short: ({ min }) => t('Use at least {min} characters.', { min: text(min) }),
  too_long: ({ max }) => t('Use at most {max} characters.', { max: text(max) }),
  wrong_count: ({ min, max }) => t('Choose between {min} and {max}.', { min: text(min), max: text(max) }),
  too_many: ({ max }) => t('At most {max} can be handled at once.', { max: text(max) }),
  nested_too_deeply: () => t('This has too many levels.'),
  out_of_range: ({ min, max }) => sayRange(min, max),
  zero: () => t('Enter a number other than zero.'),
  wrong_sign: () => t('This number has the wrong sign.'),
  too_many_decimals: ({ max }) => t('Use at most {max} decimals.', { max: text(max) }),
  too_many_digits: ({ max }) => t('Use at most {max} digits.', { max: text(max) }),
  total_out_of_range: () => t('The lines add up to a total that is negative or too large.'),
  exceeds_left: ({ left }) =>
    typeof left === 'string'
      ? t('At most {amount} is left.', { amount: decimal(left) })
      : t('This is more than what is left.'),
  nothing_left: () => t('Nothing is left of this.'),
  day_out_of_range: ({ min, max }) => t('Choose a day between {min} and {max}.', { min: day(min), max: day(max) }),
  in_the_past: () => t('Choose a time in the future.'),
  in_the_future: () => t('Choose a day that is not in the future.'),
  wrong_order: () => t('The end lies before the beginning.'),
  inconsistent: () => t('This contradicts another field.'),
  duplicate: () => t('This is here already.'),
  not_found: () => t('This does not exist, or can not be used here.'),
  ambiguous: () => t('Several have this name.'),
  in_use: ({ by }) => t('This is in use: {by}.', { by: label(text(by)) }),
  forbidden: () => t('You may not do this.'),
  taken: () => t('This exists already.'),
  not_a_draft: () => t('Only a draft can be changed, deleted, issued, or booked.'),
  wrong_state: () => t('The state of this does not allow it.'),
  locked: ({ locked_until: until }) => t('This day is locked, up to {day}.', { day: day(until) }),
  changed_meanwhile: () => t('This was changed meanwhile.'),
  wrong_currency: () => t('The amounts are in different currencies.'),
  e_invoice_rule: ({ rule }) => t('The e-invoice format has a rule against this: {rule}.', { rule: text(rule) }),
  invalid_cursor: () => t('This is out of date.'),
  answer_too_large: () => t('This is too much at once. Ask for less.'),
  limit_reached: ({ max }) => t('At most {max} are possible.', { max: text(max) }),
  too_soon: () => t('This was done a short time ago. Try again later.'),
  busy: () => t('Somebody else does the same at the moment. Try again.'),
  invalid_file: (_, message) => findSentence(message) ?? t('This file can not be used.'),
  file_too_large: ({ max }) => t('This file is larger than {size}.', { size: bytes(Number(max)) }),
  address_refused: () => t('No webhook is sent to an address like this.'),
  key_reused: () => t('This was sent already, with other content. Load the page again.'),
  wrong_password: () => t('The password is not right.'),
  common_password: () => t('This password is one of the most common ones.'),
};
