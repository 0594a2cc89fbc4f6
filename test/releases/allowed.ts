import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { parseDeprecation } from '../../schema/graphql/deprecation.ts';

// The promises that a version may take back: allowed.json. For an API's answers and inputs, this must have been
// announced before, in a released version: its SDL has the deprecation, from which REST's headers follow
// (DECISIONS.md#d70-deprecation).

const allowed = z.strictObject({
  /** The day from which it is gone. */
  on: z.iso.date(),
  reason: z.string().min(1),
  /** The text of CHANGELOG.md about it, word for word. */
  changelog: z.string().min(1),
  /**
   * Deprecated parts: `Customer.phone`, `Query.customers(q:)`, `CreateCustomerInput.phone`, `CustomerType.SUPPLIER`.
   */
  deprecated: z.array(z.string()),
  /** The changes, as the failing test prints them. */
  changes: z.array(z.string()).min(1),
});
export type Allowed = z.infer<typeof allowed>;

export const readAllowed = (): Allowed[] =>
  z.array(allowed).parse(JSON.parse(readFileSync(new URL('allowed.json', import.meta.url), 'utf8')));

/** Of settings, metrics, and exit codes: a major version may change them without a deprecation. */
const ofOperation = /^(metrics|settings|exit codes): /;
/** Changes that only exchanges.test.ts finds. */
const ofAnswers = /^answer: /;

export const listUnallowed = (changes: readonly string[], entries: readonly Allowed[]): string[] => {
  const known = new Set(entries.flatMap((entry) => entry.changes));
  return changes.filter((change) => !known.has(change));
};

/**
 * Finds the faults of an entry.
 * @param released the SDL of each released version
 * @param changes all that was found
 */
export function findFaults(
  { on, changelog, deprecated, changes }: Allowed,
  about: { released: readonly string[]; changes: readonly string[]; changelog: string; today: string },
): string[] {
  const schemas = about.released.map((sdl) => buildSchema(sdl));
  const isOfApi = changes.some((change) => !ofOperation.test(change));
  return [
    ...(on <= about.today ? [] : [`${on} is in the future`]),
    ...(inOneLine(about.changelog).includes(inOneLine(changelog)) ? [] : ['CHANGELOG.md does not say it']),
    ...(isOfApi && deprecated.length === 0 ? ['it was not deprecated'] : []),
    ...deprecated.flatMap((coordinate) => {
      const sunsets = schemas.flatMap((schema) => findSunset(schema, coordinate) ?? []);
      if (sunsets.length === 0) return [`no released version deprecates ${coordinate}`];
      return sunsets.some((sunset) => sunset <= on) ? [] : [`${coordinate} was promised until ${sunsets.join()}`];
    }),
    ...changes
      .filter((change) => !ofAnswers.test(change) && !about.changes.includes(change))
      .map((change) => `nothing changed so: ${change}`),
  ];
}

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** The day from which a deprecated field, argument, or value may be gone. */
function findSunset(schema: GraphQLSchema, coordinate: string): string | undefined {
  const [, type = '', field = '', argument] = /^(\w+)\.(\w+)(?:\((\w+):\))?$/.exec(coordinate) ?? [];
  const found = schema.getType(type);
  const inner = found && 'getFields' in found ? found.getFields()[field] : undefined;
  const value = found && 'getValue' in found ? found.getValue(field) : undefined;
  const args = inner && 'args' in inner ? inner.args : [];
  const one = argument === undefined ? (inner ?? value) : args.find(({ name }) => name === argument);
  return parseDeprecation(one?.deprecationReason)?.sunset.toISOString().slice(0, 10);
}
