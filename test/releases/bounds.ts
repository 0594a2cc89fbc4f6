/** Bounds of an input of GraphQL, as `schema/graphql/input/validators.ts` has them. */
export type Bounds = Record<string, unknown>;

const upper = ['maxLength', 'maxItems', 'maximum', 'digits', 'decimals'];
const lower = ['minLength', 'minItems', 'minimum'];
const exact = ['pattern', 'format'];
const flags = ['nonZero', 'notNull'];

/** The bounds by which values are refused now that were accepted before, in words. */
export function narrowings(before: Bounds, after: Bounds): string[] {
  const isNew = (name: string): boolean => after[name] !== undefined && before[name] === undefined;
  const grew = (name: string): boolean => Number(after[name]) > Number(before[name]);
  const shrank = (name: string): boolean => Number(after[name]) < Number(before[name]);
  return [
    ...upper.filter((name) => isNew(name) || shrank(name)),
    ...lower.filter((name) => isNew(name) || grew(name)),
    ...exact.filter((name) => after[name] !== undefined && after[name] !== before[name]),
    ...flags.filter(isNew),
    ...(hasFewer(before['enum'], after['enum']) ? ['enum'] : []),
  ].map((name) => `${name} ${JSON.stringify(before[name])} → ${JSON.stringify(after[name])}`);
}

const hasFewer = (before: unknown, after: unknown): boolean =>
  Array.isArray(after) && !(Array.isArray(before) && before.every((value) => after.includes(value)));
