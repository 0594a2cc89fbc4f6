import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  type GraphQLEnumValue,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLNamedType,
} from 'graphql';
import type { Problems } from '../schema/errors/errors.ts';
import type { Selection } from '../schema/graphql/execution/compile-selection.ts';
import { JsonNumber } from './exact-json.ts';
import { toSnakeCase } from './snake-case.ts';

// REST has snake_case names and lower-case enum values, GraphQL camelCase and UPPER_CASE. Only this file translates between
// them, by functions compiled once per operation.

const pageParameters: Record<string, string> = {
  first: 'per_page',
  last: 'per_page',
  offset: 'page',
  after: 'cursor',
  before: 'cursor',
  input: 'body',
};

/** `DRAFT` → `draft`. The extension `restName` gives a value another name. */
export const restValue = ({ name, extensions: { restName } }: GraphQLEnumValue): string =>
  typeof restName === 'string' ? restName : name.toLowerCase();

/** A path into an operation's arguments in REST's names: `input.items.0.unitPriceNet` → `items.0.unit_price_net`. */
export const toRestPath = (path: string): string =>
  pageParameters[path] ?? toSnakeCase(path.startsWith('input.') ? path.slice('input.'.length) : path);

/** Converts a REST value into the GraphQL variable; errors are reported under REST's names. */
export type Decoder = (value: unknown, problems: Problems, path: string) => unknown;

/** Serializes values of a scalar or enum to REST's JSON text. @throws where GraphQL would answer an error */
export function restLeafSerializer(type: GraphQLLeafType): (value: unknown) => string {
  if (isEnumType(type)) {
    const texts = new Map(type.getValues().map((each) => [each.value as unknown, `"${restValue(each)}"`]));
    return (value) => texts.get(value) ?? JSON.stringify(String(type.serialize(value)).toLowerCase());
  }
  if (type.name === 'Decimal')
    return (value) => {
      const text = String(type.serialize(value));
      if (text === 'NaN' || text.endsWith('Infinity')) throw new Error(`JSON has no ${text}`);
      return text;
    };
  if (isWholeObject(type)) return (value) => String(type.serialize(value));
  return (value) => JSON.stringify(type.serialize(value));
}

/** Whether values of a type are objects of texts. A parameter names its keys in brackets: `metadata[key]=value`. */
export const hasKeys = (type: GraphQLNamedType): boolean => type.name === 'Metadata';

/** Whether values of a type are JSON text of a whole object, which REST answers as it is. */
export const isWholeObject = (type: GraphQLNamedType): boolean => type.name === 'EventJson';

/**
 * @param answered the fields of the operation's response: those that the input doesn't have may be sent back, and are
 *   ignored
 */
export function compileDecoder(type: GraphQLInputType, answered?: Map<string, Selection>): Decoder {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return decodeList(compileDecoder(nullable.ofType, answered));
  if (isInputObjectType(nullable)) {
    const fields = new Map(
      Object.values(nullable.getFields()).map((field) => {
        const restName = toSnakeCase(field.name);
        return [restName, { name: field.name, decode: compileDecoder(field.type, answered?.get(restName)?.fields) }];
      }),
    );
    return decodeObject(fields, answered);
  }
  if (isEnumType(nullable))
    return decodeEnum(new Map(nullable.getValues().map((each) => [restValue(each), each.name])));
  return scalarDecodes[nullable.name] ?? ((value) => value);
}

const decodeList =
  (item: Decoder): Decoder =>
  (value, problems, path) => {
    if (value == null) return value;
    if (Array.isArray(value))
      return value.map((each, index) => (problems.isFull ? each : item(each, problems, `${path}.${index}`)));
    // GraphQL would convert it to a list with one item.
    problems.add(path, 'wrong_type', 'Must be a list.', { expected: 'list' });
    return value;
  };

function decodeObject(
  fields: Map<string, { name: string; decode: Decoder }>,
  answered: Map<string, Selection> | undefined,
): Decoder {
  const decodeFields = compileFieldsDecoder(fields, answered);
  return (value, problems, path) => {
    if (value instanceof JsonNumber) return value.source; // not an object: the domain reports it
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return decodeFields(value, problems, path);
  };
}

/** @param answered names that may be sent back, and are ignored */
export const compileFieldsDecoder =
  (fields: Map<string, { name: string; decode: Decoder }>, answered?: Map<string, unknown>) =>
  (object: object, problems: Problems, path: string): Record<string, unknown> => {
    const result: Record<string, unknown> = {};
    for (const restName in object) {
      if (problems.isFull) break;
      const part = (object as Record<string, unknown>)[restName];
      const partPath = path ? `${path}.${restName}` : restName;
      const field = fields.get(restName);
      if (field) result[field.name] = field.decode(part, problems, partPath);
      else if (!answered?.has(restName)) problems.add(partPath, 'unknown_field', 'This field is not known here.');
    }
    return result;
  };

const decodeEnum =
  (names: Map<string, string>): Decoder =>
  (value, problems, path) => {
    if (value == null) return value;
    const name = typeof value === 'string' ? names.get(value) : undefined;
    if (name === undefined)
      problems.add(path, 'unknown_value', `Must be one of ${[...names.keys()].join(', ')}.`, {
        values: [...names.keys()],
      });
    return name ?? value;
  };

// Bodies and query parameters have numbers as JSON numbers or as text.
const scalarDecodes: Record<string, Decoder> = {
  // Keys are the client's own: they are not renamed. A number is no object.
  Metadata: (value) => (value instanceof JsonNumber ? value.source : value),
  Decimal: (value) => (value instanceof JsonNumber ? value.source : value),
  Int: (value) => {
    const source = value instanceof JsonNumber ? value.source : value;
    return typeof source === 'string' && /^-?\d+(\.0+)?$/.test(source.trim()) ? Number(source) : source;
  },
  // A `+` that isn't encoded in a URL is a space.
  DateTime: (value) => (typeof value === 'string' ? value.replace(/ (?=\d\d:?\d\d$)/, '+') : value),
};
