import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  type GraphQLInputType,
  type GraphQLLeafType,
} from 'graphql';
import type { Problems } from '../schema/errors.ts';
import { JsonNumber, numberText } from './json.ts';
import type { Shape } from './shape.ts';

// REST's snake_case and lower-case values on one side, GraphQL's camelCase and UPPER_CASE on the other. Translated here
// and nowhere else, by functions compiled once per operation.

/** `unitPriceNet` → `unit_price_net`. */
export const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const pageParameters: Record<string, string> = {
  first: 'per_page',
  last: 'per_page',
  offset: 'page',
  after: 'cursor',
  before: 'cursor',
  input: 'body',
};

/** A path into an operation's arguments, as the request named it: `input.items.0.unitPriceNet` → `items.0.unit_price_net`. */
export const restPath = (path: string): string =>
  pageParameters[path] ?? snake(path.startsWith('input.') ? path.slice('input.'.length) : path);

/** A REST value, as the GraphQL variable it stands for; faults are reported under REST's own names. */
export type Decode = (value: unknown, problems: Problems, path: string) => unknown;

/** A value of one of GraphQL's types, as the JSON text that REST answers. @throws as GraphQL would answer an error */
export function encoding(type: GraphQLLeafType): (value: unknown) => string {
  if (isEnumType(type)) {
    const texts = new Map(type.getValues().map(({ name, value }) => [value as unknown, `"${name.toLowerCase()}"`]));
    return (value) => texts.get(value) ?? JSON.stringify(String(type.serialize(value)).toLowerCase());
  }
  if (type.name === 'Decimal') return (value) => numberText(String(type.serialize(value)));
  return (value) => JSON.stringify(type.serialize(value));
}

/**
 * @param answered what the operation answers here: fields that are answered but not accepted may be sent back, and are
 *   ignored.
 */
export function compileDecode(type: GraphQLInputType, answered?: Map<string, Shape>): Decode {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return decodeList(compileDecode(nullable.ofType, answered));
  if (isInputObjectType(nullable)) {
    const fields = new Map(
      Object.values(nullable.getFields()).map((field) => {
        const restName = snake(field.name);
        return [restName, { name: field.name, decode: compileDecode(field.type, answered?.get(restName)?.fields) }];
      }),
    );
    return decodeObject(fields, answered);
  }
  if (isEnumType(nullable))
    return decodeEnum(new Map(nullable.getValues().map(({ name }) => [name.toLowerCase(), name])));
  return scalarDecodes[nullable.name] ?? ((value) => value);
}

const decodeList =
  (item: Decode): Decode =>
  (value, problems, path) => {
    if (value == null) return value;
    if (Array.isArray(value)) return value.map((each, index) => item(each, problems, `${path}.${index}`));
    // GraphQL would make a list of one of it.
    problems.add(path, 'Must be a list.');
    return value;
  };

const decodeObject =
  (fields: Map<string, { name: string; decode: Decode }>, answered: Map<string, Shape> | undefined): Decode =>
  (value, problems, path) => {
    if (value instanceof JsonNumber) return value.source; // no object, as the domain will say
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const result: Record<string, unknown> = {};
    for (const [restName, part] of Object.entries(value)) {
      const partPath = path ? `${path}.${restName}` : restName;
      const field = fields.get(restName);
      if (field) result[field.name] = field.decode(part, problems, partPath);
      else if (!answered?.has(restName)) problems.add(partPath, 'This field is not known here.');
    }
    return result;
  };

const decodeEnum =
  (names: Map<string, string>): Decode =>
  (value, problems, path) => {
    if (value == null) return value;
    const name = typeof value === 'string' ? names.get(value) : undefined;
    if (name === undefined) problems.add(path, `Must be one of ${[...names.keys()].join(', ')}.`);
    return name ?? value;
  };

// Numbers come as JSON numbers or as text, in a body as in a query.
const scalarDecodes: Record<string, Decode> = {
  Decimal: (value) => (value instanceof JsonNumber ? value.source : value),
  Int: (value) => {
    const source = value instanceof JsonNumber ? value.source : value;
    return typeof source === 'string' && /^-?\d+(\.0+)?$/.test(source.trim()) ? Number(source) : source;
  },
};
