import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
} from 'graphql';
import type { SelectedField } from '../../schema/graphql/execution/compile-selection.ts';
import { boundsInWords, getBounds } from '../../schema/graphql/input/validators.ts';
import { metadataBounds } from '../../schema/graphql/scalars/metadata.ts';
import { isWholeObject, restValue } from '../naming.ts';
import { toSnakeCase } from '../snake-case.ts';

/** A JSON Schema, 2020-12. */
export type JsonSchema = Record<string, unknown>;
/** The named schemas, by name. */
export type Components = Map<string, JsonSchema>;
type Fields = Map<string, SelectedField>;
type Described = { description?: string | null; deprecationReason?: string | null };

/** The JSON schemas of GraphQL's scalars. */
const scalars: Record<string, JsonSchema> = {
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  ID: { type: 'string', format: 'uuid' },
  UUID: { type: 'string', format: 'uuid' },
  Date: { type: 'string', format: 'date' },
  DateTime: { type: 'string', format: 'date-time' },
  Decimal: { type: 'number' },
  JsonObject: { type: 'object', additionalProperties: true, examples: [{ city: 'Graz' }] },
  Metadata: {
    type: 'object',
    maxProperties: metadataBounds.pairs,
    propertyNames: { minLength: 1, maxLength: metadataBounds.key },
    additionalProperties: { type: 'string', maxLength: metadataBounds.value },
  },
};

/** Pairs to set. Null removes a key, so there may be more than a resource has. */
const acceptedMetadata: JsonSchema = {
  ...scalars['Metadata'],
  maxProperties: 2 * metadataBounds.pairs,
  additionalProperties: { type: ['string', 'null'], maxLength: metadataBounds.value },
};

/**
 * A time in an answer. `date-time` would be the format, but generators make of it what refuses an offset (zod) unless they are
 * configured.
 */
export const answeredTime: JsonSchema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}[+-]\\d{2}:\\d{2}$',
};

/**
 * A decimal is also accepted as text, which clients don't convert to binary floating point. These are two schemas: generators
 * make code that doesn't compile of one with two types and a pattern.
 * @param bounds of the number
 */
const acceptedDecimal = (bounds: JsonSchema): JsonSchema => ({
  anyOf: [
    { type: 'number', ...bounds },
    { type: 'string', pattern: '^\\s*-?\\d+(\\.\\d+)?([eE][+-]?\\d{1,3})?\\s*$' },
  ],
});

const acceptedScalars: Record<string, JsonSchema> = { Decimal: acceptedDecimal({}), Metadata: acceptedMetadata };

/** Replaces GraphQL's names in a description by REST's. */
const inRestNames = (text: string): string => text.replace(/`[a-z]+[A-Z]\w*`/g, toSnakeCase);

/** Description and deprecation, as JSON Schema and OpenAPI say them. */
export function annotations({ description, deprecationReason }: Described): JsonSchema {
  const texts = [description, deprecationReason].filter((text) => text != null);
  return {
    ...(texts.length > 0 && { description: inRestNames(texts.join(' ')) }),
    ...(deprecationReason != null && { deprecated: true }),
  };
}

const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Adds a schema to the components, once. @throws Error for two different schemas with one name */
export function component(components: Components, name: string, schema: JsonSchema): JsonSchema {
  const known = components.get(name);
  if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`Two schemas are called ${name}`);
  components.set(name, schema);
  return reference(name);
}

function nullable(schema: JsonSchema): JsonSchema {
  if ('$ref' in schema) return { anyOf: [schema, { type: 'null' }] };
  const { anyOf, type } = schema;
  if (!Array.isArray(anyOf)) return { ...schema, type: [type, 'null'].flat() };
  const [only, ...others] = anyOf as JsonSchema[];
  return { ...schema, anyOf: [only, { type: 'null' }, ...others] };
}

export function scalarSchema({ name }: GraphQLNamedType): JsonSchema {
  const schema = scalars[name];
  if (!schema) throw new Error(`rest-shim/openapi: there is no schema for the scalar ${name}`);
  return schema;
}

function enumSchema(type: GraphQLEnumType, components: Components): JsonSchema {
  const values = type.getValues().map((value) => [restValue(value), value.description] as const);
  const list = values.map(([value, description]) => `- \`${value}\`: ${inRestNames(description ?? '')}`);
  return component(components, type.name, {
    type: 'string',
    description: [inRestNames(type.description ?? ''), '', ...list].join('\n'),
    enum: values.map(([value]) => value),
  });
}

/** An enum of an answer: new values may be added, so that a client must accept any. The last alternative says so. */
const answeredEnum = (type: GraphQLEnumType, components: Components): JsonSchema => ({
  anyOf: [enumSchema(type, components), { type: 'string' }],
});

/** The schema of REST's response for this GraphQL type and these fields. */
export function answeredSchema(type: GraphQLOutputType, fields: Fields, components: Components): JsonSchema {
  if (!isNonNullType(type)) return nullable(presentSchema(type, fields, components));
  return presentSchema(type.ofType, fields, components);
}

/** The same where the response is not null. */
export function presentSchema(type: GraphQLOutputType, fields: Fields, components: Components): JsonSchema {
  if (isListType(type)) return { type: 'array', items: answeredSchema(type.ofType, fields, components) };
  if (isEnumType(type)) return answeredEnum(type, components);
  if (!isObjectType(type)) return type.toString() === 'DateTime' ? answeredTime : scalarSchema(getNamedType(type));
  const [only, ...others] = fields.values();
  if (only && others.length === 0 && isWholeObject(getNamedType(only.type))) return reference(type.name);
  const properties = [...fields].map(([name, shape]) => [
    name,
    { ...answeredSchema(shape.type, shape.fields, components), ...annotations(shape.field) },
  ]);
  return component(components, type.name, {
    type: 'object',
    ...annotations(type),
    required: [...fields.keys()],
    properties: Object.fromEntries(properties) as JsonSchema,
  });
}

/**
 * The schema that REST accepts for an argument or a field of an input.
 * @param answered the fields of the response. Those that aren't accepted may be sent back, and are ignored
 */
export function acceptedSchema(
  input: GraphQLArgument | GraphQLInputField,
  components: Components,
  answered?: Fields,
): JsonSchema {
  const optional = !isNonNullType(input.type) && !input.extensions['notNull'];
  const schema = acceptedType(getNullableType(input.type), components, answered);
  const { validate } = (input.extensions['pothosOptions'] ?? {}) as { validate?: unknown };
  const bounds = boundKeywords(validate);
  const bounded = toBounded(getNamedType(input.type), schema, bounds);
  const described = annotations({ ...input, description: withoutBounds(input.description, boundsInWords(validate)) });
  return { ...(optional ? nullable(allowingNull(bounded)) : bounded), ...described };
}

function toBounded({ name }: GraphQLNamedType, schema: JsonSchema, bounds: JsonSchema): JsonSchema {
  if (name === 'Decimal') return acceptedDecimal(bounds);
  return 'enum' in bounds ? { type: 'string', ...bounds } : { ...schema, ...bounds };
}

/** Removes the bounds from a description: in JSON Schema, keywords have them. */
const withoutBounds = (description: string | null | undefined, inWords: string): string | null | undefined =>
  description?.endsWith(inWords) ? description.slice(0, description.length - inWords.length).trim() : description;

/** Adds null to the values of an enum. */
const allowingNull = (schema: JsonSchema): JsonSchema =>
  Array.isArray(schema['enum']) ? { ...schema, enum: [...(schema['enum'] as unknown[]), null] } : schema;

function acceptedType(type: GraphQLInputType, components: Components, answered?: Fields): JsonSchema {
  if (isListType(type)) {
    const item = type.ofType as GraphQLInputType;
    return { type: 'array', items: acceptedType(getNullableType(item), components, answered) };
  }
  if (isEnumType(type)) return enumSchema(type, components);
  if (!isInputObjectType(type)) return acceptedScalars[type.toString()] ?? scalarSchema(getNamedType(type));
  const fields = Object.values(type.getFields());
  const accepted = fields.map((field): [string, JsonSchema] => {
    const name = toSnakeCase(field.name);
    return [name, acceptedSchema(field, components, answered?.get(name)?.fields)];
  });
  const names = new Set(accepted.map(([name]) => name));
  const ignored = [...(answered?.keys() ?? [])].filter((name) => !names.has(name)).map((name) => [name, ignoredSchema]);
  return component(components, type.name, {
    type: 'object',
    ...annotations(type),
    required: fields.filter((field) => isNonNullType(field.type)).map((field) => toSnakeCase(field.name)),
    properties: { ...Object.fromEntries(accepted), ...Object.fromEntries(ignored) } as JsonSchema,
    additionalProperties: false,
  });
}

const ignoredSchema: JsonSchema = {
  readOnly: true,
  description: 'Only in answers. A request may contain it; it is ignored.',
};

/** The bounds of an input's validator, in keywords. */
function boundKeywords(validate: unknown): JsonSchema {
  const { decimals, nonZero, digits, enum: values, ...keywords } = getBounds(validate);
  const largest = digits === undefined ? undefined : 10 ** digits - 1;
  const schema: JsonSchema = {
    ...(largest !== undefined && { minimum: -largest, maximum: largest }),
    ...(decimals !== undefined && { multipleOf: Number(`1e-${decimals}`) }),
    ...(nonZero && { not: { const: 0 } }),
    ...(values && { enum: values.map((value) => value.toLowerCase()) }),
    ...Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined)),
  };
  return schema;
}
