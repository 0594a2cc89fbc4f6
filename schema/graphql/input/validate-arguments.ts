import {
  getNamedType,
  getNullableType,
  GraphQLError,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLLeafType,
} from 'graphql';
import type { z } from 'zod';
import type { Problem, Problems } from '../../errors/errors.ts';
import { toProblem } from './issues.ts';

export type Input = GraphQLArgument | GraphQLInputField;

/**
 * Validates `values` against the declared inputs and reports every error under its path: missing and unknown fields,
 * values of the wrong type, and values that an input's own `validate` refuses. Values may be raw or already parsed.
 * @returns the valid values, parsed; invalid ones are left out
 */
export function validateArguments(
  inputs: readonly Input[],
  values: object,
  problems: Problems,
  path = '',
): Record<string, unknown> {
  const named = Object.create(null) as Record<string, Input>;
  for (const input of inputs) named[input.name] = input;
  return validateFields(named, values, problems, path);
}

/** @param inputs by their names, without a prototype */
function validateFields(
  inputs: Readonly<Record<string, Input>>,
  values: object,
  problems: Problems,
  path: string,
): Record<string, unknown> {
  const readable: Record<string, unknown> = {};
  for (const name in values) {
    if (problems.isFull) return readable;
    const input = inputs[name];
    if (!input) problems.add(path + name, 'unknown_field', 'This field is not known here.');
    else readable[name] = validateInput(input, (values as Record<string, unknown>)[name], problems, path + name);
  }
  for (const name in inputs) {
    if (isNonNullType(inputs[name]?.type) && (values as Record<string, unknown>)[name] === undefined)
      problems.add(path + name, 'required', 'Required.');
  }
  return readable;
}

/** @returns the value, parsed; undefined for an invalid one */
export function validateInput(input: Input, value: unknown, problems: Problems, path: string): unknown {
  if (value === undefined) return undefined;
  if (value === null) {
    if (!isNonNullType(input.type) && !input.extensions['notNull']) return null;
    problems.add(path, 'not_nullable', 'Must not be null.');
    return undefined;
  }
  // A list's own bounds come first: the items of one that is too long are not even looked at.
  if (isListType(getNullableType(input.type)) && Array.isArray(value)) {
    const list = applyValidator(input, value, problems, path);
    return list === undefined ? undefined : validateValue(input.type, list, problems, path);
  }
  return applyValidator(input, validateValue(input.type, value, problems, path), problems, path);
}

function applyValidator({ extensions }: Input, value: unknown, problems: Problems, path: string): unknown {
  const { validate } = (extensions['pothosOptions'] ?? {}) as InputOptions;
  if (value === undefined || !validate) return value;
  const { data, error } = validate.safeParse(value);
  if (error) for (const issue of error.issues) problems.add(path, ...toProblem(issue));
  return data;
}

interface InputOptions {
  validate?: z.ZodType;
}

/** Whether anything of an input is validated beside its type. @param seen types that contain the input */
export function hasValidator(
  { extensions, type }: Pick<Input, 'extensions' | 'type'>,
  seen: ReadonlySet<GraphQLInputType> = new Set(),
): boolean {
  const { validate } = (extensions['pothosOptions'] ?? {}) as InputOptions;
  if (validate || extensions['notNull']) return true;
  const named = getNamedType(type);
  if (!isInputObjectType(named) || seen.has(named)) return false;
  const within = new Set([...seen, named]);
  return Object.values(named.getFields()).some((field) => hasValidator(field, within));
}

function validateValue(type: GraphQLInputType, value: unknown, problems: Problems, path: string): unknown {
  if (isNonNullType(type)) {
    if (value !== null) return validateValue(type.ofType, value, problems, path);
    problems.add(path, 'not_nullable', 'Must not be null.');
    return undefined;
  }
  if (isListType(type)) {
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value as unknown[]) {
        if (problems.isFull) break;
        items.push(validateValue(type.ofType, item, problems, `${path}.${items.length}`));
      }
      return items;
    }
    problems.add(path, 'wrong_type', 'Must be a list.', { expected: 'list' });
    return undefined;
  }
  if (isInputObjectType(type)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return validateFields(type.getFields(), value, problems, `${path}.`);
    }
    problems.add(path, 'wrong_type', 'Must be an object.', { expected: 'object' });
    return undefined;
  }
  try {
    return type.parseValue(value);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    problems.add(path, ...describeMistake(type, error));
    return undefined;
  }
}

function describeMistake(type: GraphQLLeafType, { message }: GraphQLError): Problem {
  if (!isEnumType(type)) {
    const format = formats[type.name];
    return builtIn[type.name] ?? ['invalid_format', message, format === undefined ? {} : { format }];
  }
  const values = type.getValues().map(({ name }) => name);
  return ['unknown_value', `Must be one of ${values.join(', ')}.`, { values }];
}

/** The names of our scalars' forms, as JSON Schema has them. */
const formats: Record<string, string> = { UUID: 'uuid', Date: 'date', DateTime: 'date-time', Decimal: 'decimal' };

// GraphQL's own scalars say "String cannot represent a non string value".
const builtIn: Record<string, Problem> = {
  String: ['wrong_type', 'Must be a string.', { expected: 'string' }],
  ID: ['wrong_type', 'Must be an id.', { expected: 'id' }],
  Int: ['wrong_type', 'Must be a whole number.', { expected: 'integer' }],
  Boolean: ['wrong_type', 'Must be true or false.', { expected: 'boolean' }],
  Metadata: ['wrong_type', 'Must be an object.', { expected: 'object' }],
};
