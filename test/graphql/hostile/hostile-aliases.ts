import { readFileSync } from 'node:fs';
import {
  buildSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { javaScriptNames } from '../../javascript-names.ts';

// Generates selections with aliases that have a meaning in JavaScript.

/** An integer from 0 to below `max`. */
export type Random = (max: number) => number;

export const schema = buildSchema(readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8'));

export const pick = <T>(r: Random, of: readonly T[]): T => of[r(of.length)]!;

/** The maximal number of selected fields by depth. Together they stay below the limit of aliases. */
const mostFields = [3, 2, 2];

/** A selection `{ … }` for an object, `''` for a leaf. */
export function aliasedSelection(r: Random, type: GraphQLOutputType, depth = 0): string {
  const named = getNamedType(type);
  return isObjectType(named) ? `{ ${buildFields(r, named, depth)} }` : '';
}

export const aliasedQuery = (r: Random): string => `{ ${buildFields(r, schema.getQueryType()!, 0)} }`;

function buildFields(r: Random, type: GraphQLObjectType, depth: number): string {
  const most = mostFields[depth];
  const all = Object.values(type.getFields()).filter(
    (field) => !field.args.some(isRequiredArgument) && (most !== undefined || isLeafType(getNamedType(field.type))),
  );
  const chosen = Array.from({ length: 1 + r(most ?? 1) }, () => {
    const field = all.length > 0 && r(8) > 0 ? pick(r, all) : undefined;
    const selection = field ? `${field.name} ${aliasedSelection(r, field.type, depth + 1)}` : '__typename';
    return r(4) === 0 ? selection : `${pick(r, javaScriptNames)}: ${selection}`;
  });
  return chosen.join(' ');
}
