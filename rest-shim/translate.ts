import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  Kind,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type SelectionSetNode,
} from 'graphql';
import type { Problems } from '../schema/errors.ts';
import { JsonNumber, rawNumber } from './json.ts';

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

/** A GraphQL result, as REST answers it. */
export type Encode = (value: unknown) => unknown;
/** A REST value, as the GraphQL variable it stands for; faults are reported under REST's own names. */
export type Decode = (value: unknown, problems: Problems, path: string) => unknown;

/** What REST answers: for each selected field its own encoding, in the order selected. */
export interface Shape {
  type: GraphQLOutputType;
  /** The field that is answered; none for an answer as a whole. */
  field?: GraphQLField<unknown, unknown>;
  encode: Encode;
  /** The fields of an object, by REST's name; of a list, those of its items. */
  fields: Map<string, Shape>;
}

export function compileShape(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  fragments: Map<string, FragmentDefinitionNode>,
): Shape {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const item = compileShape(nullable.ofType, selection, fragments);
    return { type, encode: (list) => (Array.isArray(list) ? list.map(item.encode) : null), fields: item.fields };
  }
  if (isObjectType(nullable) && selection) return { type, ...compileObject(nullable, selection, fragments) };
  if (isEnumType(nullable)) return leaf(type, (value) => String(value).toLowerCase());
  if (getNamedType(type).name === 'Decimal') return leaf(type, (value) => rawNumber(String(value)));
  return leaf(type, (value) => value);
}

const leaf = (type: GraphQLOutputType, encode: Encode): Shape => ({
  type,
  encode: (value) => (value == null ? null : encode(value)),
  fields: new Map(),
});

function compileObject(
  type: GraphQLObjectType,
  selection: SelectionSetNode,
  fragments: Map<string, FragmentDefinitionNode>,
): Pick<Shape, 'encode' | 'fields'> {
  const shapes = [...selectedFields(selection, fragments)].map(([name, inner]) => {
    const field = type.getFields()[name];
    if (!field) throw new Error(`${type.name} has no field ${name}`);
    return { name, restName: snake(name), shape: { ...compileShape(field.type, inner, fragments), field } };
  });
  const encode: Encode = (value) => {
    if (value == null) return null;
    const result: Record<string, unknown> = {};
    for (const { name, restName, shape } of shapes)
      result[restName] = shape.encode((value as Record<string, unknown>)[name]);
    return result;
  };
  return { encode, fields: new Map(shapes.map(({ restName, shape }) => [restName, shape])) };
}

function* selectedFields(
  selection: SelectionSetNode,
  fragments: Map<string, FragmentDefinitionNode>,
): Generator<[string, SelectionSetNode | undefined]> {
  for (const node of selection.selections) {
    if (node.kind === Kind.FIELD) yield [node.name.value, node.selectionSet];
    else if (node.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(node.name.value);
      if (fragment) yield* selectedFields(fragment.selectionSet, fragments);
    }
  }
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
