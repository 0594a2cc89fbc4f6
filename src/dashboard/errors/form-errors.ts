import type { CombinedError } from 'urql';
import { sentence } from '../format/format.ts';
import { fieldName, plainMessage } from './plain-messages.ts';

/** A form's errors: messages beside its fields, and messages that belong to no field. */
export interface FormErrors {
  fields: Record<string, string>;
  rest: string[];
}

/**
 * Assigns the domain's errors (VALIDATION_FAILED's `errors`, by input path: `input.items.0.quantity`) to the fields of a form,
 * which are named without `input.`.
 */
export function formErrorsOf(error: CombinedError, isField: (path: string) => boolean): FormErrors {
  const faults: FormErrors = { fields: {}, rest: [] };
  const errors = fieldErrors(error);
  if (errors.length === 0) faults.rest.push(errorMessage(error));
  for (const { path, messages } of errors) {
    const field = fieldOf(path, isField);
    const told = messages.map(plainMessage);
    if (field) faults.fields[field] ??= told.join(' ');
    else faults.rest.push(...told.map((message) => (isAboutForm(path) ? message : `${fieldName(path)}: ${message}`)));
  }
  return faults;
}

interface FieldError {
  /** The input's path, without `input.`. */
  path: string;
  messages: string[];
}

/** The domain's validation errors of an operation's arguments. */
export const fieldErrors = (error: CombinedError): FieldError[] =>
  error.graphQLErrors
    .flatMap(({ extensions }) => Object.entries(byPath(extensions.errors)))
    .map(([path, messages]) => ({ path: path.replace(/^input(\.|$)/, ''), messages }));

/** A row as a whole, or its state, is no field that a person filled in: the message says all there is. */
const isAboutForm = (path: string): boolean => ['', 'id', 'status', 'matchStatus'].includes(path);

/** The field at a path, or the one that holds it: `events` for `events.3`. */
function fieldOf(path: string, isField: (path: string) => boolean): string | undefined {
  const steps = path.split('.');
  const depth = steps.findLastIndex((_, index) => isField(steps.slice(0, index + 1).join('.')));
  return depth === -1 ? undefined : steps.slice(0, depth + 1).join('.');
}

function byPath(errors: unknown): Record<string, string[]> {
  return typeof errors === 'object' && errors !== null ? (errors as Record<string, string[]>) : {};
}

/** An error as a sentence for people. */
export function errorMessage(error: CombinedError): string {
  if (error.networkError) return 'The server can’t be reached. Check your connection, and try again.';
  const [first] = error.graphQLErrors;
  if (first?.extensions.code === 'INTERNAL_SERVER_ERROR') {
    return `Something went wrong on our side. If it happens again, report it with the number ${String(first.extensions.requestId)}.`;
  }
  if (first?.extensions.code === 'UNAUTHENTICATED') return 'Your session has ended. Sign in, and try again.';
  if (first?.extensions.code === 'RATE_LIMITED') return 'Too many requests at once. Wait a moment, and try again.';
  const messages = fieldErrors(error).flatMap(({ messages: said }) => said.map(plainMessage));
  if (messages.length > 0) return messages.join(' ');
  return first ? sentence(first.message) : 'Something went wrong. Try again.';
}
