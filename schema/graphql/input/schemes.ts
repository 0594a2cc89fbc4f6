import type { Problems } from '../../errors/errors.ts';

/** Fields that have a scheme, in another field: what they are called. */
const names = { electronicAddress: 'electronic address', registrationNumber: 'registration number' };

type Schemed = keyof typeof names;
type Values<F extends Schemed> = Partial<Record<F | `${F}Scheme`, string | null>>;

/** Checks that a field has a scheme, and a scheme its field. @param at in front of the fields' paths */
export function schemeRules<F extends Schemed>(
  field: F,
  input: Values<F>,
  problems: Problems,
  at: string,
  current?: Values<F> | null,
): void {
  const getField = (name: F | `${F}Scheme`): string | null =>
    (input[name] === undefined ? current?.[name] : input[name]) ?? null;
  const schemeField = `${field}Scheme` as const;
  const [value, scheme] = [getField(field), getField(schemeField)];
  if (value !== null && scheme === null)
    problems.add(`${at}${schemeField}`, 'required', `Required together with the ${names[field]}.`);
  if (value === null && scheme !== null)
    problems.add(`${at}${field}`, 'required', 'Required together with its scheme.');
}
