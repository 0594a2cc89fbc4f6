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
} from 'graphql';
import type { z } from 'zod';
import type { Problems } from '../../errors.ts';

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
    if (!input) problems.add(path + name, 'This field is not known here.');
    else readable[name] = validateInput(input, (values as Record<string, unknown>)[name], problems, path + name);
  }
  for (const name in inputs) {
    if (isNonNullType(inputs[name]?.type) && (values as Record<string, unknown>)[name] === undefined)
      problems.add(path + name, 'Required.');
  }
  return readable;
}

/** @returns the value, parsed; undefined for an invalid one */
export function validateInput(input: Input, value: unknown, problems: Problems, path: string): unknown {
  if (value === undefined) return undefined;
  if (value === null) {
    if (!isNonNullType(input.type) && !input.extensions['notNull']) return null;
    problems.add(path, 'Must not be null.');
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
  if (error) for (const { message } of error.issues) problems.add(path, message);
  return data;
}

interface InputOptions {
  validate?: z.ZodType;
}

/** Whether anything of an input is validated beside its type. */
export function hasValidator({ extensions, type }: Input): boolean {
  const { validate } = (extensions['pothosOptions'] ?? {}) as InputOptions;
  if (validate || extensions['notNull']) return true;
  const named = getNamedType(type);
  return isInputObjectType(named) && Object.values(named.getFields()).some(hasValidator);
}

function validateValue(type: GraphQLInputType, value: unknown, problems: Problems, path: string): unknown {
  if (isNonNullType(type)) {
    if (value !== null) return validateValue(type.ofType, value, problems, path);
    problems.add(path, 'Must not be null.');
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
    problems.add(path, 'Must be a list.');
    return undefined;
  }
  if (isInputObjectType(type)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return validateFields(type.getFields(), value, problems, `${path}.`);
    }
    problems.add(path, 'Must be an object.');
    return undefined;
  }
  try {
    return type.parseValue(value);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const choices = isEnumType(type)
      ? `Must be one of ${type
          .getValues()
          .map(({ name }) => name)
          .join(', ')}.`
      : undefined;
    problems.add(path, choices ?? builtIn[type.name] ?? error.message);
    return undefined;
  }
}

// GraphQL's own scalars say "String cannot represent a non string value".
const builtIn: Record<string, string> = {
  String: 'Must be a string.',
  ID: 'Must be an id.',
  Int: 'Must be a whole number.',
  Boolean: 'Must be true or false.',
};
