import { readdirSync, readFileSync } from 'node:fs';
import { queryFromInfo } from '@pothos/plugin-prisma';
import {
  concatAST,
  getVariableValues,
  Kind,
  parse,
  print,
  typeFromAST,
  validate,
  visit,
  type ASTNode,
  type DocumentNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { Ability } from '../schema/graphql/ability.ts';
import { getChecks } from '../schema/graphql/plugins/authorization-and-validation.ts';
import type { Context } from '../schema/graphql/context.ts';
import type { EventResource } from '../schema/resource-list.ts';
import { Problems, ValidationError, type FieldProblems } from '../schema/errors/errors.ts';
import {
  compileOperation,
  startExecution,
  withoutField,
  type Format,
  type SelectedField,
  type Selection,
} from '../schema/graphql/execution/compile-selection.ts';
import { checkNewExternalId } from '../schema/graphql/input/external-id.ts';
import { validateArguments } from '../schema/graphql/input/validate-arguments.ts';
import { isPlainVariable, withPaging } from './list-paging.ts';
import { findPlaces, placeVariables, toVariablePath, writtenObjects, type Place } from './variable-places.ts';
import { compileDecoder, compileFieldsDecoder, isWholeObject, restLeafSerializer, type Decoder } from './naming.ts';
import { toSnakeCase } from './snake-case.ts';

/** The variables of an operation. */
export type Values = Record<string, unknown>;

/** A variable of an operation, as REST sends it. */
export interface Parameter {
  name: string;
  type: GraphQLInputType;
  decode: Decoder;
}

/** The GraphQL operation of an endpoint, compiled. */
export interface Operation {
  name: string;
  field: GraphQLField<unknown, Context>;
  /** The ability that a token needs for it. */
  ability: Ability | undefined;
  /** The operation's variables, under REST's names. */
  parameters: Map<string, Parameter>;
  /** The places of the variables in the arguments of the field. */
  places: ReadonlyMap<string, Place>;
  /** Decodes a body into variables: into `input`, or each field into the variable of its name. */
  decodeBody: (body: object, problems: Problems) => Values;
  /** Whether a request may have no body: a transition that has defaults for everything, or takes nothing. */
  isBodyOptional: boolean;
  schema: GraphQLSchema;
  /** The definitions of the variables. */
  inputs: readonly VariableDefinitionNode[];
  /** The query for Prisma, if the operation returns one row. */
  query: (context: Context) => object;
  /** The compiled response in full: for a list, the connection. */
  listShape: SelectedField;
  /** The compiled response of REST: for a list, the connection's `nodes`. Without `warnings`. */
  shape: Selection;
  /** The warnings that the operation selects, which REST answers beside the resource. */
  warnings: SelectedField | undefined;
}

const folder = new URL('operations/', import.meta.url);

const loaded = new WeakMap<GraphQLSchema, ReadonlyMap<string, Operation>>();

/** Loads and compiles the documents in operations/, once for a schema. */
export function loadOperations(schema: GraphQLSchema): ReadonlyMap<string, Operation> {
  const known = loaded.get(schema);
  if (known) return known;
  const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'));
  const operations = compileOperations(
    schema,
    files.map((file) => readFileSync(new URL(file, folder), 'utf8')),
  );
  loaded.set(schema, operations);
  return operations;
}

/** The operation that answers GET for one of these resources. */
export function findGetOperation(operations: ReadonlyMap<string, Operation>, { model }: EventResource): Operation {
  const operation = operations.get(`get${model}`);
  if (!operation) throw new Error(`There is no operation get${model}`);
  return operation;
}

/** Throws when a document doesn't fit the schema, so that the service doesn't start with it. */
export function compileOperations(schema: GraphQLSchema, documents: string[]): ReadonlyMap<string, Operation> {
  const all = parseOperations(schema, documents);
  const errors = validate(schema, all);
  if (errors.length > 0) throw new Error(`rest-shim/operations: ${errors.map((error) => error.message).join(' ')}`);

  const operations = all.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  requirePlainSelections(all, new Set(operations.flatMap(({ selectionSet }) => selectionSet.selections)));
  return new Map(
    operations.map((definition) => {
      const operation = compile(schema, all, definition);
      return [operation.name, operation];
    }),
  );
}

/** The root field that an operation selects. */
function findRootField(schema: GraphQLSchema, { operation, selectionSet }: OperationDefinitionNode) {
  const [root] = selectionSet.selections;
  return root?.kind === Kind.FIELD ? schema.getRootType(operation)?.getFields()[root.name.value] : undefined;
}

/** Parses documents, and completes their lists' operations. */
export function parseOperations(schema: GraphQLSchema, documents: string[]): DocumentNode {
  const all = concatAST(documents.map((text) => parse(text, { noLocation: true })));
  const definitions = all.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? withPaging(definition, findRootField(schema, definition))
      : definition,
  );
  return { ...all, definitions };
}

/** REST's names and values. */
const format: Format = {
  key: ({ name }) => toSnakeCase(name.value),
  leaf: restLeafSerializer,
  isWholeObject,
};

function compile(schema: GraphQLSchema, document: DocumentNode, definition: OperationDefinitionNode): Operation {
  const name = definition.name?.value ?? '';
  const [root, ...others] = definition.selectionSet.selections;
  if (root?.kind !== Kind.FIELD || root.alias?.value !== 'result' || others.length > 0) {
    throw new Error(`${name} must select one field, as "result"`);
  }
  const [listShape] = compileOperation(schema, document, definition, format).fields.values();
  if (!listShape) throw new Error(`${name}: ${root.name.value} is not in the schema`);

  const { field, info } = listShape;
  const selected = listShape.fields.get('nodes') ?? listShape;
  const warnings = selected.fields.get('warnings');
  const shape = warnings ? withoutField(selected, 'warnings') : selected;
  const inputs = definition.variableDefinitions ?? [];
  const parameters = inputs.map(({ variable, type: node }) => {
    const type = typeFromAST(schema, node as never) as unknown as GraphQLInputType;
    return [
      toSnakeCase(variable.name.value),
      { name: variable.name.value, type, decode: compileDecoder(type, shape.fields) },
    ] as const;
  });
  const input = parameters.find(([, variable]) => variable.name === 'input')?.[1];
  const decodeFields = compileFieldsDecoder(
    new Map(parameters.filter(([, variable]) => isPlainVariable(variable.name))),
  );
  return {
    name,
    field,
    ability: getChecks(field.extensions['pothosOptions']).ability,
    parameters: new Map(parameters),
    places: findPlaces(name, root, field.args),
    decodeBody: (body, problems) =>
      input ? { input: input.decode(body, problems, '') } : decodeFields(body, problems, ''),
    isBodyOptional: input === undefined,
    schema,
    inputs,
    query: (context) => queryFromInfo({ context, info }),
    listShape,
    shape,
    warnings,
  };
}

/** Below the roots, only plain fields and fragments are allowed: anything else would depend on the request. */
function requirePlainSelections(document: DocumentNode, roots: Set<ASTNode>): void {
  visit(document, {
    Field: (node) => {
      if (!roots.has(node) && (node.alias || node.arguments?.length)) refuse(node);
    },
    InlineFragment: refuse,
    Directive: refuse,
  });
}

function refuse(node: ASTNode): never {
  throw new Error(`An operation selects plain fields and fragments only, not ${print(node)}`);
}

/**
 * Runs an operation in process.
 * @returns the resolver's result, for the operation's shapes to serialize
 * @throws CodedError as the domain's answer, with the problems of variables by their names; any other error is a fault of the
 *   service
 */
export async function runOperation(operation: Operation, variables: Values, context: Context): Promise<unknown> {
  // One error is enough: GraphQL would print a large input once for each. findErrors() names them all.
  const { coerced, errors } = getVariableValues(operation.schema, operation.inputs, variables, { maxErrors: 1 });
  if (!coerced) {
    (await findErrors(operation, variables, context)).throwIfAny();
    throw errors[0]?.originalError ?? errors[0];
  }
  try {
    return await operation.listShape.resolve(undefined, startExecution(context, coerced));
  } catch (error) {
    throw nameByVariable(operation, error);
  }
}

const nameByVariable = (operation: Operation, error: unknown): unknown =>
  error instanceof ValidationError ? new ValidationError(byVariable(operation, error.problems)) : error;

const byVariable = ({ places }: Operation, problems: FieldProblems): FieldProblems =>
  Object.fromEntries(Object.entries(problems).map(([path, ofField]) => [toVariablePath(places, path), ofField]));

/** All validation errors of an operation's variables; the domain's rules run on those that are valid by themselves. */
export async function findErrors(operation: Operation, variables: Values, context: Context): Promise<Problems> {
  const { field, places } = operation;
  const problems = new Problems();
  const readable = validateArguments(field.args, placeVariables(places, variables, writtenObjects(places)), problems);
  try {
    await getChecks(field.extensions['pothosOptions']).rules?.(readable, context, problems);
    checkNewExternalId(field.type, readable, context, problems);
    await problems.runDeferred();
  } catch (error) {
    throw nameByVariable(operation, error); // a rule may throw what leaves no other problem worth naming
  }
  const named = new Problems();
  for (const [path, ofField] of Object.entries(byVariable(operation, problems.byField)))
    for (const problem of ofField) named.add(path, ...problem);
  return named;
}
