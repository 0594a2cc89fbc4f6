import { sentence } from '../format/format.ts';
import { numberExample } from '../forms/form-values.ts';
import { t } from '../i18n/t.ts';

/** What is wrong with a field, as the API says it. */
export interface Problem {
  code: string;
  message: string;
  params: Readonly<Record<string, unknown>>;
}

// The API's messages are for developers. Users get a message that says what to do.
const byFormat = new Map<unknown, string>([
  ['uuid', 'Choose one.'],
  ['decimal', `Enter a number, such as ${numberExample}.`],
  ['date', 'Enter a date.'],
  ['date-time', 'Enter a date and a time.'],
]);
const byType = new Map<unknown, string>([
  ['integer', 'Enter a whole number.'],
  ['boolean', 'Choose yes or no.'],
]);
const replacements: [message: RegExp, text: string][] = [
  [/^Required(?: for this type)?\.$/, 'Fill this in.'],
  [/^Must be an ISO 3166/, 'Choose a country.'],
  [/^Must be an ISO 4217/, 'Choose a currency.'],
];

/** What to do about a problem, where its code says it. */
function findAdvice({ code, params }: Problem): string | undefined {
  if (code === 'invalid_format') return byFormat.get(params['format']);
  if (code === 'wrong_type') return byType.get(params['expected']) ?? t('Fill this in.');
  if (code === 'invalid_cursor') return t('Is out of date.');
  return code === 'not_nullable' || (code === 'unknown_value' && 'values' in params) ? t('Fill this in.') : undefined;
}

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
  ['Only a booked receipt can be reversed.', 'This receipt was reversed meanwhile.'],
  [
    'A booked receipt can not be changed: reverse it, and add the right one.',
    'This receipt was booked meanwhile, and can no longer be changed.',
  ],
  ['Only an unmatched transaction can be ignored.', 'This transaction was matched or ignored meanwhile.'],
  ['Only an ignored transaction can be made unmatched.', 'This transaction is no longer ignored.'],
  [
    'Only a transaction of which something is open can be matched.',
    'This transaction was matched or ignored meanwhile.',
  ],
  ['An invoice bills this time entry.', 'This time was billed meanwhile.'],
  ['Has ended already.', 'This has ended meanwhile.'],
  ['This payment is undone already.', 'This payment was undone meanwhile.'],
];

/** Says what somebody else changed, if that is why the API refuses an action. */
export const changedMeanwhile = (message: string): string | undefined =>
  changes.find(([refusal]) => refusal === message)?.[1];

/** Says a problem to users: without technical terms, and with amounts and dates in their locale. */
export const plainMessage = (problem: Problem): string =>
  changedMeanwhile(problem.message) ??
  findAdvice(problem) ??
  replacements.find(([pattern]) => pattern.test(problem.message))?.[1] ??
  sentence(problem.message);

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
