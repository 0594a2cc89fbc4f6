import { sentence } from '../format/format.ts';
import { numberExample } from '../forms/form-values.ts';

// The API's messages are written for programs. People get a message that says what to do.
const plain: [message: RegExp, told: string][] = [
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

/** A message of the API as people read it: without a program's terms, amounts and dates as they write them. */
export const plainMessage = (message: string): string =>
  plain.find(([pattern]) => pattern.test(message))?.[1] ?? sentence(message);

/** The words for a field by its path: `items.0.unitPriceNet` is `Line 1, unit price net`. */
export function fieldName(path: string): string {
  const steps = path.replaceAll(/\b(items|matches)\.(\d+)/g, (_, list: string, at: string) => {
    const what = list === 'items' ? 'line' : 'match';
    return `${what} ${Number(at) + 1}`;
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
