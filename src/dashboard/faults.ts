import type { CombinedError } from 'urql';

/** What a form shows: texts beside its fields, and what belongs to none of them. */
export interface Faults {
  fields: Record<string, string>;
  rest: string[];
}

/**
 * Sorts what the domain says (VALIDATION_FAILED's `errors`, by input path: `input.items.0.quantity`) to the fields of a
 * form, named without `input.`.
 */
export function faultsOf(error: CombinedError, isField: (path: string) => boolean): Faults {
  const faults: Faults = { fields: {}, rest: [] };
  const errors = error.graphQLErrors.flatMap(({ extensions }) => Object.entries(byPath(extensions.errors)));
  if (errors.length === 0) faults.rest.push(inWords(error));
  for (const [path, messages] of errors) {
    const name = path.replace(/^input(\.|$)/, '');
    const field = fieldOf(name, isField);
    if (field) faults.fields[field] ??= messages.join(' ');
    else faults.rest.push(...messages.map((message) => (name === '' ? message : `${name}: ${message}`)));
  }
  return faults;
}

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
export function inWords(error: CombinedError): string {
  if (error.networkError) return 'The server can’t be reached. Check your connection, and try again.';
  const [first] = error.graphQLErrors;
  if (first?.extensions.code === 'INTERNAL_SERVER_ERROR') {
    return `Something went wrong on our side. Should it stay so, report it with the number ${String(first.extensions.requestId)}.`;
  }
  if (first?.extensions.code === 'RATE_LIMITED') return 'Too many requests at once. Wait a moment, and try again.';
  return first?.message ?? 'Something went wrong. Try again.';
}
