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

/** Converts a message of the API for users: without technical terms, and with amounts and dates in their locale. */
export const plainMessage = (message: string): string =>
  replacements.find(([pattern]) => pattern.test(message))?.[1] ?? sentence(message);

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
