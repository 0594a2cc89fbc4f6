import { readdirSync, readFileSync } from 'node:fs';
import { queryFromInfo } from '@pothos/plugin-prisma';
import {
  concatAST,
  getArgumentValues,
  getVariableValues,
  Kind,
  parse,
  typeFromAST,
  validate,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Ability } from '../schema/ability.ts';
import { checksOf } from '../schema/plugins/authorization-and-validation.ts';
import type { Context } from '../schema/context.ts';
import { Problems } from '../schema/errors.ts';
import { validateArguments } from '../schema/input/validate-arguments.ts';
import { compileResponse, infoOf, type ResponseShape } from './response-compiler.ts';
import { withPaging } from './list-paging.ts';
import { compileDecoder, toSnakeCase, type Decoder } from './naming.ts';

type Values = Record<string, unknown>;

/** Runs the field's resolver. @param variables coerced */
type ResolveRoot = (variables: Values, context: Context) => unknown;

/** The GraphQL operation of an endpoint, compiled. */
export interface Operation {
  name: string;
  field: GraphQLField<unknown, Context>;
  /** The ability that a token needs for it. */
  ability: Ability | undefined;
  /** The operation's variables, under REST's names. */
  parameters: Map<string, { name: string; type: GraphQLInputType; decode: Decoder }>;
  /** Coerces the variables as GraphQL does, or returns its errors. */
  read: (variables: Values) => ReturnType<typeof getVariableValues>;
  resolve: ResolveRoot;
  /** What is asked of Prisma, where the operation answers one row. */
  query: (context: Context) => object;
  /** The compiled response in full: for a list, the connection. */
  listShape: ResponseShape;
  /** The compiled response that REST answers: for a list, the connection's `nodes`. */
  shape: ResponseShape;
}

const folder = new URL('operations/', import.meta.url);

/** Loads and compiles the documents in operations/. */
export function loadOperations(schema: GraphQLSchema): Map<string, Operation> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'));
  return compileOperations(
    schema,
    files.map((file) => readFileSync(new URL(file, folder), 'utf8')),
  );
}

/** Throws when a document doesn't fit the schema, so that the service doesn't start with it. */
export function compileOperations(schema: GraphQLSchema, documents: string[]): Map<string, Operation> {
  const all = parseOperations(schema, documents);
  const errors = validate(schema, all);
  if (errors.length > 0) throw new Error(`rest-shim/operations: ${errors.map((error) => error.message).join(' ')}`);

  const fragments: Record<string, FragmentDefinitionNode> = {};
  const operations: OperationDefinitionNode[] = [];
  for (const definition of all.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
  }
  return new Map(
    operations.map((definition) => {
      const operation = compile(schema, definition, fragments);
      return [operation.name, operation];
    }),
  );
}

/** The root field that an operation selects. */
function rootFieldOf(schema: GraphQLSchema, { operation, selectionSet }: OperationDefinitionNode) {
  const [root] = selectionSet.selections;
  return root?.kind === Kind.FIELD ? schema.getRootType(operation)?.getFields()[root.name.value] : undefined;
}

/** Parses documents, and completes their lists' operations. */
export function parseOperations(schema: GraphQLSchema, documents: string[]): DocumentNode {
  const all = concatAST(documents.map((text) => parse(text, { noLocation: true })));
  const definitions = all.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? withPaging(definition, rootFieldOf(schema, definition))
      : definition,
  );
  return { ...all, definitions };
}

function compile(
  schema: GraphQLSchema,
  definition: OperationDefinitionNode,
  fragments: Record<string, FragmentDefinitionNode>,
): Operation {
  const name = definition.name?.value ?? '';
  const [root, ...others] = definition.selectionSet.selections;
  if (root?.kind !== Kind.FIELD || root.alias?.value !== 'result' || others.length > 0) {
    throw new Error(`${name} must select one field, as "result"`);
  }
  requireSameNames(name, root);
  const rootType = schema.getRootType(definition.operation);
  const field = rootType?.getFields()[root.name.value] as GraphQLField<unknown, Context> | undefined;
  if (!rootType || !field) throw new Error(`${name}: ${root.name.value} is not in the schema`);

  const info = infoOf(rootType, field, root, {
    schema,
    fragments,
    operation: definition,
    path: undefined,
    rootValue: undefined,
    variableValues: {},
  });
  const listShape = compileResponse(field.type, root.selectionSet, info, `${rootType.name}.${field.name}`);
  const shape = listShape.fields.get('nodes') ?? listShape;
  const inputs = definition.variableDefinitions ?? [];
  const parameters = inputs.map(({ variable, type: node }) => {
    const type = typeFromAST(schema, node as never) as unknown as GraphQLInputType;
    return [
      toSnakeCase(variable.name.value),
      { name: variable.name.value, type, decode: compileDecoder(type, shape.fields) },
    ] as const;
  });
  return {
    name,
    field,
    ability: checksOf(field.extensions['pothosOptions']).ability,
    parameters: new Map(parameters),
    // One error is enough: GraphQL would print a large input once for each. findErrors() names them all.
    read: (variables) => getVariableValues(schema, inputs, variables, { maxErrors: 1 }),
    resolve: resolverOf(field, info),
    query: (context) => queryFromInfo({ context, info }),
    listShape,
    shape,
  };
}

const resolverOf =
  (field: GraphQLField<unknown, Context>, info: GraphQLResolveInfo): ResolveRoot =>
  (variables, context) => {
    const [root] = info.fieldNodes as [FieldNode];
    const args = getArgumentValues(field as GraphQLField<unknown, unknown>, root, variables);
    return field.resolve?.(undefined, args, context, { ...info, variableValues: variables });
  };

// So that an argument's error is the error of the parameter of that name.
function requireSameNames(name: string, root: FieldNode): void {
  for (const argument of root.arguments ?? []) {
    if (argument.value.kind !== Kind.VARIABLE || argument.value.name.value !== argument.name.value) {
      throw new Error(`${name}: the argument ${argument.name.value} must be the variable of that name`);
    }
  }
}

/**
 * Runs an operation in process.
 * @returns the resolver's result, for the operation's shapes to serialize
 * @throws CodedError as the domain's answer; any other error is a fault of the service
 */
export async function runOperation(operation: Operation, variables: Values, context: Context): Promise<unknown> {
  const { coerced, errors } = operation.read(variables);
  if (coerced) return operation.resolve(coerced, context);
  (await findErrors(operation, variables, context)).throwIfAny();
  throw errors[0]?.originalError ?? errors[0];
}

/** All validation errors of an operation's variables; the domain's rules run on those that are valid by themselves. */
export async function findErrors(operation: Operation, variables: Values, context: Context): Promise<Problems> {
  const problems = new Problems();
  const readable = validateArguments(operation.field.args, variables, problems);
  await checksOf(operation.field.extensions['pothosOptions']).rules?.(readable, context, problems);
  await problems.runDeferred();
  return problems;
}
