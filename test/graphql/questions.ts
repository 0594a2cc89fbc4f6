import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredInputField,
  isRequiredArgument,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';

// Generates operations from the schema, so that the tests include each new field.

export type SchemaField = GraphQLField<unknown, unknown>;
type Input = GraphQLArgument | GraphQLInputField;

export interface Place {
  parent: GraphQLObjectType;
  field: SchemaField;
  operation: 'query' | 'mutation' | null;
}

/** Every field of every type of the schema, root fields first. */
export function listPlaces(schema: GraphQLSchema): Place[] {
  const roots = [schema.getQueryType()!, schema.getMutationType()!];
  const others = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__') && !roots.includes(type),
  );
  return [...roots, ...others].flatMap((parent) =>
    Object.values(parent.getFields()).map((field) => ({
      parent,
      field,
      operation: parent === roots[0] ? 'query' : parent === roots[1] ? 'mutation' : null,
    })),
  );
}

/** Whether a query is a look-up by the id of a row. */
export const takesId = ({ args }: SchemaField): boolean => args.some(({ type }) => String(type) === 'UUID!');

/** Whether an input type has inputs of itself, as a filter's `and` and `or` are. */
export const isRecursive = (type: GraphQLNamedType): boolean =>
  isInputObjectType(type) && Object.values(type.getFields()).some((field) => getNamedType(field.type) === type);

/** The inputs in an input object. In an object inside one of the same type, these don't lead to further such objects. */
function insideOf({ type }: Input, around: readonly GraphQLNamedType[]): readonly Input[] {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return [];
  const inputs = Object.values(named.getFields());
  return around.includes(named) ? inputs.filter((input) => !isRecursive(getNamedType(input.type))) : inputs;
}

/** The paths of the inputs of this type in a field's arguments: `['input', 'customerId']`. */
export const pathsTo = (typeName: string, inputs: readonly Input[]): string[][] =>
  listPaths(inputs).filter((path) => getNamedType(inputAt(inputs, path).type).name === typeName);

/** The path of each input in a field's arguments. Inputs in lists and input objects have their own paths. */
export function listPaths(inputs: readonly Input[], around: readonly GraphQLNamedType[] = []): string[][] {
  return inputs.flatMap((input) => {
    const inside = listPaths(insideOf(input, around), [...around, getNamedType(input.type)]);
    return [[input.name], ...inside.map((path) => [input.name, ...path])];
  });
}

/** The input at a path in a field's arguments. */
export function inputAt(inputs: readonly Input[], [name, ...rest]: readonly string[]): Input {
  const input = inputs.find((each) => each.name === name);
  if (!input) throw new Error(`No input ${name}`);
  const type = getNamedType(input.type);
  if (rest.length === 0) return input;
  return inputAt(isInputObjectType(type) ? Object.values(type.getFields()) : [], rest);
}

/** Whether a path leads to `path`, or is the same. */
export const leadsTo = (at: readonly string[], path: readonly string[]): boolean =>
  at.every((name, index) => name === path[index]);

/** Arguments with the given values by path. Other required inputs get a valid value. */
export function argumentsFor(inputs: readonly Input[], given: (path: string[]) => unknown, at: string[] = []): object {
  const entries = inputs.flatMap((input): [string, unknown][] => {
    const path = [...at, input.name];
    const value = given(path);
    if (value !== undefined) return [[input.name, value]];
    const isOnTheWay = isInputObjectType(getNamedType(input.type)) && given([...path, '…']) === true;
    const isNeeded =
      'astNode' in input &&
      (isRequiredInputField(input as GraphQLInputField) || isRequiredArgument(input as GraphQLArgument));
    return isNeeded || isOnTheWay ? [[input.name, some(input.type, given, path)]] : [];
  });
  return Object.fromEntries(entries);
}

const examples: Record<string, unknown> = {
  String: 'https://example.com/hook',
  Int: 1,
  Boolean: true,
  Decimal: '1',
  Date: '2026-01-01',
  DateTime: '2026-01-01T00:00:00Z',
  Upload: null, // the file is another part of the form
};

function some(type: GraphQLInputType, given: (path: string[]) => unknown, path: string[]): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [some(nullable.ofType, given, path)];
  if (isInputObjectType(nullable)) return argumentsFor(Object.values(nullable.getFields()), given, path);
  if (isEnumType(nullable)) return nullable.getValues()[0]!.name;
  const example = examples[nullable.name];
  if (example === undefined) throw new Error(`No example of a ${nullable.name} for ${path.join('.')}: give one`);
  return example;
}

/** Selects all leaf fields of a type, and those of a connection's rows. */
export function buildSelection(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(({ args }) => args.every((each) => !isRequiredArgument(each)));
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name);
  const inside = fields
    .filter(({ name }) => ['nodes', 'edges', 'pageInfo'].includes(name))
    .map((field) => `${field.name} ${buildSelection(field.type)}`);
  return `{ __typename ${[...leaves, ...inside].join(' ')} }`;
}

/** An operation with a root field, its arguments as variables. */
export function documentFor({ operation, field }: Pick<Place, 'operation' | 'field'>, args: object): string {
  const names = field.args.filter(({ name }) => name in args);
  const variables = names.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = names.map(({ name }) => `${name}: $${name}`).join(', ');
  const [declared, handed] = names.length > 0 ? [`(${variables})`, `(${passed})`] : ['', ''];
  return `${operation} ${declared} { answer: ${field.name}${handed} ${buildSelection(field.type)} }`;
}
