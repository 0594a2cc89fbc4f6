import { CriticalityLevel, diff } from '@graphql-inspector/core';
import {
  buildSchema,
  isInputObjectType,
  isObjectType,
  parse,
  print,
  visit,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
} from 'graphql';
import { printSdl } from '../../schema/graphql/print-sdl.ts';
import { getBounds } from '../../schema/graphql/input/validators.ts';
import { narrowings, type Bounds } from './bounds.ts';

// The promises of the GraphQL API, and those that a later one takes back.

/** The SDL without descriptions. Those of deprecations stay: they have its dates. */
export const printPromise = (schema: GraphQLSchema): string =>
  `${print(
    visit(parse(printSdl(schema)), {
      enter: (node) => ('description' in node && node.description ? { ...node, description: undefined } : undefined),
    }),
  )}\n`;

/** The bounds of all arguments and fields of inputs, which SDL can't express. */
export function listBounds(schema: GraphQLSchema): Record<string, Bounds> {
  const inputs = Object.values(schema.getTypeMap()).flatMap((type): [string, GraphQLArgument | GraphQLInputField][] => {
    if (type.name.startsWith('__')) return [];
    if (isInputObjectType(type))
      return Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field]);
    if (!isObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) =>
      field.args.map((arg): [string, GraphQLArgument] => [`${type.name}.${field.name}(${arg.name}:)`, arg]),
    );
  });
  const bounds = inputs.map(([name, { extensions }]): [string, Bounds] => {
    const { validate } = (extensions['pothosOptions'] ?? {}) as { validate?: unknown };
    return [name, { ...getBounds(validate), ...(extensions['notNull'] === true && { notNull: true }) }];
  });
  // Also those without any: a bound that they get later is a narrower one.
  return Object.fromEntries(bounds.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Changes that are allowed, though the inspector calls them dangerous: enums of answers and unions are open, and an
 * optional input changes nothing for those who don't send it.
 */
const additions = new Set([
  'ENUM_VALUE_ADDED',
  'UNION_MEMBER_ADDED',
  'OBJECT_TYPE_INTERFACE_ADDED',
  'FIELD_ARGUMENT_ADDED',
  'INPUT_FIELD_ADDED',
]);

/** The promises that a later schema takes back, each as one line. */
export async function compareSchemas(before: string, after: string): Promise<string[]> {
  const changes = await diff(buildSchema(before), buildSchema(after));
  return changes
    .filter(({ criticality: { level }, type }) => {
      if (level === CriticalityLevel.Dangerous) return !additions.has(type);
      return level === CriticalityLevel.Breaking;
    })
    .map(({ type, message }) => `${type}: ${message}`);
}

export const compareBounds = (before: Record<string, Bounds>, after: Record<string, Bounds>): string[] =>
  // An input that is gone is among the schema's changes.
  Object.entries(before).flatMap(([name, bounds]) =>
    narrowings(bounds, after[name] ?? {}).map((narrowing) => `${name}: ${narrowing}`),
  );
