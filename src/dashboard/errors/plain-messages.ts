import { sentence } from '../format/format.ts';
import { language } from '../i18n/language.ts';
import { explain } from './explain.ts';
import { numberExample } from '../forms/form-values.ts';
import { t, translate } from '../i18n/t.ts';

/** The problem of a field, as the API describes it. */
export interface Problem {
  code: string;
  message: string;
  params: Readonly<Record<string, unknown>>;
}

// The API's messages are for developers. Users get a message that says what to do.
const byFormat = new Map<unknown, string>([
  ['uuid', t('Choose one.')],
  ['decimal', t('Enter a number, such as {example}.', { example: numberExample })],
  ['date', t('Enter a date.')],
  ['date-time', t('Enter a date and a time.')],
]);
const byType = new Map<unknown, string>([
  ['integer', t('Enter a whole number.')],
  ['boolean', t('Choose yes or no.')],
]);
const replacements: [message: RegExp, text: string][] = [
  [/^Required(?: for this type)?\.$/, t('Fill this in.')],
  [/^Must be an ISO 3166/, t('Choose a country.')],
  [/^Must be an ISO 4217/, t('Choose a currency.')],
];

/** The advice for a problem, if its code has one. */
function findAdvice({ code, params }: Problem): string | undefined {
  if (code === 'invalid_format') return byFormat.get(params['format']);
  if (code === 'wrong_type') return byType.get(params['expected']) ?? t('Fill this in.');
  if (code === 'invalid_cursor') return t('Is out of date.');
  return code === 'not_nullable' || (code === 'unknown_value' && 'values' in params) ? t('Fill this in.') : undefined;
}

// An action is offered only in a state that allows it. A refusal of the state means that somebody else changed it.
export const changes: readonly [refusal: string, text: string][] = [
  ['Only a draft can be issued.', t('This invoice was issued meanwhile.')],
  ['Only a draft can be changed or deleted.', t('This invoice was issued meanwhile.')],
  ['Only an issued invoice can be paid.', t('This invoice was paid or cancelled meanwhile.')],
  [
    'Only an issued invoice of which nothing is paid can be cancelled.',
    t('This invoice was paid or cancelled meanwhile, wholly or in part.'),
  ],
  ['Only an issued or paid invoice can be credited.', t('This invoice was cancelled meanwhile.')],
  ['Only a draft can be booked.', t('This receipt was booked meanwhile.')],
  ['Only a booked receipt can be paid.', t('This receipt was paid meanwhile.')],
  ['Only a booked receipt can be reversed.', t('This receipt was reversed meanwhile.')],
  [
    'A booked receipt can not be changed: reverse it, and add the right one.',
    t('This receipt was booked meanwhile, and can no longer be changed.'),
  ],
  ['Only an unmatched transaction can be ignored.', t('This transaction was matched or ignored meanwhile.')],
  ['Only an ignored transaction can be made unmatched.', t('This transaction is no longer ignored.')],
  [
    'Only a transaction of which something is open can be matched.',
    t('This transaction was matched or ignored meanwhile.'),
  ],
  ['An invoice bills this time entry.', t('This time was billed meanwhile.')],
  ['Has ended already.', t('This has ended meanwhile.')],
  ['This payment is undone already.', t('This payment was undone meanwhile.')],
];

/** Says what somebody else changed, if that is why the API refuses an action. */
export const changedMeanwhile = (message: string): string | undefined =>
  changes.find(([refusal]) => refusal === message)?.[1];

/** Says a problem to users: without technical terms, and with amounts and dates in their locale. */
export const plainMessage = (problem: Problem): string =>
  changedMeanwhile(problem.message) ??
  findAdvice(problem) ??
  replacements.find(([pattern]) => pattern.test(problem.message))?.[1] ??
  sayProblem(problem);

/** Says a problem as the API does, or in other languages by its code. */
export const sayProblem = (problem: Problem): string =>
  language === 'en' ? sentence(problem.message) : explain(problem);

/** A field's name for users: `items.0.unitPriceNet` is `Line 1, unit price net`. */
export const fieldName = (path: string): string =>
  path
    .replaceAll(/\b(items|matches)\.(\d+)/g, '$1 $2')
    .split('.')
    .map((step, at) => nameStep(step, at === 0))
    .join(', ');

function nameStep(step: string, isFirst: boolean): string {
  const [list, index] = step.split(' ');
  const words =
    index === undefined
      ? step
          .replace(/(?<=.)Ids?$/, '')
          .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
          .replaceAll('vat ', 'VAT ')
      : `${list === 'items' ? 'line' : 'match'} ${Number(index) + 1}`;
  const [, name = '', number = ''] = /^(.*?)( \d+)?$/.exec(words.charAt(0).toUpperCase() + words.slice(1)) ?? [];
  const translated = translate(name);
  return isFirst || translated !== name ? translated + number : words;
}
