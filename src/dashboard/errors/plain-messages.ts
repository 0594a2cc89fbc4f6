import { sentence } from '../format/format.ts';
import { numberExample } from '../forms/form-values.ts';

// The API's messages are for developers. Users get a message that says what to do.
const replacements: [message: RegExp, text: string][] = [
  [/^Must be a UUID\.$/, 'Choose one.'],
  [/^Must be a number/, `Enter a number, such as ${numberExample}.`],
  [/^Must be a calendar day/, 'Enter a date.'],
  [/^Must be a time, ISO/, 'Enter a date and a time.'],
  [/^Must be a whole number\.$/, 'Enter a whole number.'],
  [/^Must be true or false\.$/, 'Choose yes or no.'],
  [/^Must be a (string|list|object)\.$|^Must be one of |^Must not be null\.$|^Required\.$/, 'Fill this in.'],
  [/^Must be a cursor/, 'Is out of date.'],
  [/^Must be an ISO 3166/, 'Choose a country.'],
  [/^Must be an ISO 4217/, 'Choose a currency.'],
];

// An action is offered only in a state that allows it. A refusal of the state means that somebody else changed it.
export const changes: readonly [refusal: string, text: string][] = [
  ['Only a draft can be issued.', 'This invoice was issued meanwhile.'],
  ['Only a draft can be changed or deleted.', 'This invoice was issued meanwhile.'],
  ['Only an issued invoice can be paid.', 'This invoice was paid or cancelled meanwhile.'],
  [
    'Only an issued invoice of which nothing is paid can be cancelled.',
    'This invoice was paid or cancelled meanwhile, wholly or in part.',
  ],
  ['Only an issued or paid invoice can be credited.', 'This invoice was cancelled meanwhile.'],
  ['Only a draft can be booked.', 'This receipt was booked meanwhile.'],
  ['Only a booked receipt can be paid.', 'This receipt was paid meanwhile.'],
  [
    'A receipt that is paid, wholly or in part, can not be changed.',
    'A payment of this receipt was recorded meanwhile.',
  ],
  ['Only an unmatched transaction can be ignored.', 'This transaction was matched or ignored meanwhile.'],
  ['Only an ignored transaction can be made unmatched.', 'This transaction is no longer ignored.'],
  [
    'Only a transaction of which something is open can be matched.',
    'This transaction was matched or ignored meanwhile.',
  ],
  ['An invoice bills this time entry.', 'This time was billed meanwhile.'],
  ['This payment is undone already.', 'This payment was undone meanwhile.'],
];

/** Says what somebody else changed, if that is why the API refuses an action. */
export const changedMeanwhile = (message: string): string | undefined =>
  changes.find(([refusal]) => refusal === message)?.[1];

/** Converts a message of the API for users: without technical terms, and with amounts and dates in their locale. */
export const plainMessage = (message: string): string =>
  changedMeanwhile(message) ?? replacements.find(([pattern]) => pattern.test(message))?.[1] ?? sentence(message);

/** A field's name for users: `items.0.unitPriceNet` is `Line 1, unit price net`. */
export function fieldName(path: string): string {
  const steps = path.replaceAll(/\b(items|matches)\.(\d+)/g, (_, list: string, at: string) => {
    const row = list === 'items' ? 'line' : 'match';
    return `${row} ${Number(at) + 1}`;
  });
  const words = steps
    .split('.')
    .map((step) =>
      step
        .replace(/(?<=.)Ids?$/, '')
        .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
        .replaceAll('vat ', 'VAT '),
    )
    .join(', ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
