import type { CombinedError } from 'urql';
import { sentence } from '../format/format.ts';
import { changedMeanwhile, fieldName, plainMessage, type Problem } from './plain-messages.ts';
import { language } from '../i18n/language.ts';
import { t } from '../i18n/t.ts';

/** A form's errors: messages beside its fields, and messages that belong to no field. */
interface FormErrors {
  fields: Record<string, string>;
  rest: string[];
}

/**
 * Assigns validation errors to the fields of a form. The server names an error by its input path, such as
 * `input.items.0.quantity`; the form names its fields without `input.`.
 */
export function buildFormErrors(error: CombinedError, isField: (path: string) => boolean): FormErrors {
  const formErrors: FormErrors = { fields: {}, rest: [] };
  const errors = fieldErrors(error);
  if (errors.length === 0) formErrors.rest.push(errorMessage(error));
  for (const { path, problems } of errors) {
    const field = findField(path, isField);
    const texts = problems.map(plainMessage);
    if (field) formErrors.fields[field] ??= texts.join(' ');
    else formErrors.rest.push(...texts.map((text) => (isAboutForm(path) ? text : `${fieldName(path)}: ${text}`)));
  }
  return formErrors;
}

interface FieldError {
  /** The input's path, without `input.`; of a list's filter, the column. */
  path: string;
  problems: Problem[];
}

/** The validation errors of an operation's arguments. */
export function fieldErrors(error: CombinedError): FieldError[] {
  const details = error.graphQLErrors.flatMap(({ extensions }) => asDetails(extensions.details));
  return [...Map.groupBy(details, ({ field }) => field)].map(([field, problems]) => ({
    path: field.replace(/^filter\.(\w+).*$/, '$1').replace(/^input(\.|$)/, ''),
    problems,
  }));
}

/** Whether a path names the whole row or its state. No form has such a field, so messages don't name it. */
const isAboutForm = (path: string): boolean => ['', 'id', 'status', 'matchStatus'].includes(path);

/** The field at a path, or the field that contains it: `events` for `events.3`. */
function findField(path: string, isField: (path: string) => boolean): string | undefined {
  const steps = path.split('.');
  const depth = steps.findLastIndex((_, index) => isField(steps.slice(0, index + 1).join('.')));
  return depth === -1 ? undefined : steps.slice(0, depth + 1).join('.');
}

function asDetails(details: unknown): (Problem & { field: string })[] {
  return Array.isArray(details) ? (details as (Problem & { field: string })[]) : [];
}

/** Says what somebody else changed, if an action was refused because of that. The page shows it as it is now. */
export function changeByOthers(error: CombinedError): string | undefined {
  if (error.graphQLErrors[0]?.extensions.code === 'NOT_FOUND') return t('This was deleted meanwhile.');
  const texts = fieldErrors(error).flatMap(({ problems }) => problems.map(({ message }) => changedMeanwhile(message)));
  return texts.find((text) => text !== undefined);
}

/** Too many jobs are no hurry of the page: its user has to wait for one, or to cancel it. */
const sayTooManyUnfinished = ({ message, extensions }: CombinedError['graphQLErrors'][number]): string =>
  language === 'en'
    ? sentence(message)
    : t('At most {max} at once can be unfinished. Wait for one, or cancel it.', { max: String(extensions.max) });

/** An error as a sentence for people. */
export function errorMessage(error: CombinedError): string {
  if (error.networkError) return t('The server can’t be reached. Check your connection, and try again.');
  const [first] = error.graphQLErrors;
  if (first?.extensions.code === 'INTERNAL_SERVER_ERROR') {
    return t('Something went wrong on our side. If it happens again, report it with the number {number}.', {
      number: String(first.extensions.requestId),
    });
  }
  if (first?.extensions.code === 'UNAUTHENTICATED') return t('Your session has ended. Sign in, and try again.');
  if (first?.extensions.code === 'PERSISTED_QUERY_ID_REQUIRED')
    return t('Kontor was updated while this page was open. Reload the page, and try again.');
  if (first?.extensions.code === 'UNAVAILABLE')
    return t('Kontor can’t answer at the moment. Wait a moment, and try again.');
  if (first?.extensions.code === 'RATE_LIMITED')
    return first.extensions.reason === 'TOO_MANY_UNFINISHED'
      ? sayTooManyUnfinished(first)
      : t('Too many requests at once. Wait a moment, and try again.');
  const messages = fieldErrors(error).flatMap(({ problems }) => problems.map(plainMessage));
  if (messages.length > 0) return messages.join(' ');
  return first ? sentence(first.message) : t('Something went wrong. Try again.');
}
