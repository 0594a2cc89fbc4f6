import { readdirSync, readFileSync } from 'node:fs';
import {
  concatAST,
  Kind,
  parse,
  typeFromAST,
  validate,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Ability } from '../schema/ability.ts';
import { checksOf } from '../schema/checks.ts';
import { compiled, type Execute } from '../schema/compiled.ts';
import type { Context } from '../schema/context.ts';
import { Problems } from '../schema/errors.ts';
import { inspect } from '../schema/inspect.ts';
import { compileDecode, compileShape, snake, type Decode, type Shape } from './translate.ts';

/** What an endpoint asks of the domain, compiled. */
export interface Operation {
  name: string;
  document: DocumentNode;
  execute: Execute;
  /** The same, asking for no more than the id of what is answered. */
  executeForId: Execute;
  field: GraphQLField<unknown, Context>;
  /** What a token must allow for it. */
  ability: Ability | undefined;
  /** The operation's variables, under REST's names. */
  parameters: Map<string, { name: string; type: GraphQLInputType; decode: Decode }>;
  /** What is answered; of a list, its `nodes`. */
  shape: Shape;
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
  const all = concatAST(documents.map((text) => parse(text, { noLocation: true })));
  const errors = validate(schema, all);
  if (errors.length > 0) throw new Error(`rest-shim/operations: ${errors.map((error) => error.message).join(' ')}`);

  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: OperationDefinitionNode[] = [];
  for (const definition of all.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
  }
  return new Map(
    operations.map((definition) => {
      const operation = compile(schema, definition, fragments);
      return [operation.name, operation];
    }),
  );
}

function compile(
  schema: GraphQLSchema,
  definition: OperationDefinitionNode,
  fragments: Map<string, FragmentDefinitionNode>,
): Operation {
  const name = definition.name?.value ?? '';
  const [root, ...others] = definition.selectionSet.selections;
  if (root?.kind !== Kind.FIELD || root.alias?.value !== 'result' || others.length > 0) {
    throw new Error(`${name} must select one field, as "result"`);
  }
  requireSameNames(name, root);
  const field = schema.getRootType(definition.operation)?.getFields()[root.name.value];
  if (!field) throw new Error(`${name}: ${root.name.value} is not in the schema`);

  const whole = compileShape(field.type, root.selectionSet, fragments);
  const shape = whole.fields.get('nodes') ?? whole;
  const parameters = (definition.variableDefinitions ?? []).map(({ variable, type: node }) => {
    const type = typeFromAST(schema, node as never) as unknown as GraphQLInputType;
    return [
      snake(variable.name.value),
      { name: variable.name.value, type, decode: compileDecode(type, shape.fields) },
    ] as const;
  });
  const document = { kind: Kind.DOCUMENT, definitions: [definition, ...fragments.values()] } as const;
  return {
    name,
    document,
    execute: executor(schema, document, name),
    executeForId: executor(schema, askingForId(definition, root), name),
    field: field as GraphQLField<unknown, Context>,
    ability: checksOf(field.extensions['pothosOptions']).ability,
    parameters: new Map(parameters),
    shape,
  };
}

function askingForId(definition: OperationDefinitionNode, root: FieldNode): DocumentNode {
  const selecting = (field: FieldNode): SelectionSetNode => ({ kind: Kind.SELECTION_SET, selections: [field] });
  const id = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'id' } } as const;
  const selectionSet = selecting({ ...root, selectionSet: selecting(id) });
  return { kind: Kind.DOCUMENT, definitions: [{ ...definition, selectionSet }] };
}

// So that a fault of an argument is a fault of the parameter of that name.
function requireSameNames(name: string, root: FieldNode): void {
  for (const argument of root.arguments ?? []) {
    if (argument.value.kind !== Kind.VARIABLE || argument.value.name.value !== argument.name.value) {
      throw new Error(`${name}: the argument ${argument.name.value} must be the variable of that name`);
    }
  }
}

/** Compiled when it is first asked for. */
function executor(schema: GraphQLSchema, document: DocumentNode, name: string): Execute {
  let execute: Execute | undefined;
  return (variables, context) => (execute ??= compiled(schema, document, name))(variables, context);
}

/**
 * Runs an operation in process.
 * @returns the root field's value, in GraphQL's names
 * @throws CodedError as the domain's answer; anything else is a fault of ours
 */
export async function run(
  operation: Operation,
  variables: Record<string, unknown>,
  context: Context,
  execute = operation.execute,
): Promise<unknown> {
  const { data, errors } = await execute(variables, context);
  const error = errors?.[0];
  if (!error) return data?.['result'];
  // GraphQL refused a variable: without a path, the error is none of a field's.
  if (error.path === undefined) (await findFaults(operation, variables, context)).throwIfAny();
  throw error.originalError ?? error;
}

/** Everything wrong with an operation's variables; the domain's rules are asked about those that can be read. */
export async function findFaults(
  operation: Operation,
  variables: Record<string, unknown>,
  context: Context,
): Promise<Problems> {
  const problems = new Problems();
  const readable = inspect(operation.field.args, variables, problems);
  await checksOf(operation.field.extensions['pothosOptions']).rules?.(readable, context, problems);
  await problems.lookUp();
  return problems;
}
