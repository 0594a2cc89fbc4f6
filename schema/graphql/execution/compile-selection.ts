import {
  defaultFieldResolver,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isCompositeType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  TypeNameMetaFieldDef,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import type { Context } from '../context.ts';
import { ResponseSize } from './response-size.ts';
import { uncountedResolver, weigh } from './count-resolved.ts';
import {
  buildLeaf,
  leafSerializer,
  buildList,
  buildObject,
  writeMember,
  type Execution,
  type Member,
  type Place,
  type Write,
} from './json-serializer.ts';

// The compiled executor: turns a valid operation into functions that run its resolvers and serialize their results. REST's
// operations and clients' queries differ in their format only. Documents that it doesn't support are left to graphql-js.

/** How a selection is written as JSON. */
export interface Format {
  key: (node: FieldNode) => string;
  leaf: (type: GraphQLLeafType) => (value: unknown) => string;
  /** Whether a value of this type is written in place of the object that it is the only field of. */
  isWholeObject?: (type: GraphQLNamedType) => boolean;
}

/** GraphQL's own keys and values. */
export const graphqlFormat: Format = { key: ({ alias, name }) => (alias ?? name).value, leaf: leafSerializer };

/** The compiled form of a selection. */
export interface Selection {
  type: GraphQLOutputType;
  write: Write;
  /** The fields of an object, by their keys, in the order selected; for a list, the fields of its items. */
  fields: Map<string, SelectedField>;
}

export interface SelectedField extends Selection, Member {
  field: GraphQLField<unknown, Context>;
  /** The `info` of the field's resolver, but for the variables. */
  info: GraphQLResolveInfo;
}

/** The state that the parts of one operation share while it is compiled. */
interface Compilation {
  format: Format;
  /** The part of `info` that is the same for all fields. */
  shared: Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'operation' | 'rootValue' | 'variableValues'>;
  /** How many fields have been numbered. */
  count: number;
}

type FieldNodes = readonly [FieldNode, ...FieldNode[]];
type Path = GraphQLResolveInfo['path'] | undefined;

/**
 * Compiles an operation of a valid document.
 * @returns the selection of the root type
 * @throws Error for directives, questions about the schema, and abstract types
 */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  format: Format,
): Selection {
  const fragments = Object.create(null) as Record<string, FragmentDefinitionNode>;
  for (const each of document.definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments[each.name.value] = each;
  const type = schema.getRootType(operation.operation);
  if (!type) throw new Error(`The schema has no ${operation.operation}`);
  const shared = { schema, fragments, operation, rootValue: undefined, variableValues: {} };
  const compilation = { format, shared, count: 0 };
  return { type, ...compileObject(type, [operation], undefined, compilation) };
}

/** @param variables coerced */
export const startExecution = (context: Context, variables: Execution['variables'] = {}): Execution => ({
  context,
  variables,
  calls: [],
  responseSize: context.responseSize ?? new ResponseSize(),
});

/** @param field the name of the field that has the value */
function compileValue(
  type: GraphQLOutputType,
  nodes: FieldNodes,
  path: Path,
  compilation: Compilation,
  field: string,
): Selection {
  const present = getNullableType(type);
  const place = { field, isNullable: !isNonNullType(type) };
  if (isListType(present)) {
    const { write, fields } = compileValue(present.ofType, nodes, path, compilation, field);
    const { schema, fragments } = compilation.shared;
    const perItem = isCompositeType(getNamedType(type))
      ? weigh({ schema, fragments, fieldNodes: nodes, returnType: type }).values
      : 0;
    return { type, write: buildList(write, place, perItem), fields };
  }
  if (isObjectType(present)) return { type, ...compileObject(present, nodes, path, compilation, place) };
  if (!isLeafType(present)) throw new Error(`${field} is neither one type of object nor a value`);
  return { type, write: buildLeaf(compilation.format.leaf(present), place), fields: new Map() };
}

/**
 * @param nodes the object's selections, to be merged
 * @param place undefined for the root of the operation
 */
function compileObject(
  type: GraphQLObjectType,
  nodes: readonly Selecting[],
  path: Path,
  compilation: Compilation,
  place?: Place,
): Pick<Selection, 'write' | 'fields'> {
  const fields = new Map<string, SelectedField>();
  const members: [key: string, member: Member][] = [];
  for (const same of selectedFields(type, nodes, compilation.shared.fragments).values()) {
    const key = compilation.format.key(same[0]);
    if (same[0].name.value === TypeNameMetaFieldDef.name) {
      const text = JSON.stringify(type.name);
      members.push([key, { property: undefined, resolve: () => type.name, write: () => text }]);
      continue;
    }
    const field = compileField(type, same, path, compilation);
    fields.set(key, field);
    members.push([key, field]);
  }
  const [only, ...others] = fields.values();
  if (only && others.length === 0 && compilation.format.isWholeObject?.(getNamedType(only.type)))
    return { write: (object, execution) => writeMember(only, object, execution), fields };
  return { write: buildObject(members, place), fields };
}

/** The same selection of an object without one of its fields. The object must not be null. */
export function withoutField(selection: Selection, without: string): Selection {
  const fields = new Map([...selection.fields].filter(([key]) => key !== without));
  return { type: selection.type, fields, write: buildObject([...fields]) };
}

function compileField(
  parentType: GraphQLObjectType,
  nodes: FieldNodes,
  above: Path,
  compilation: Compilation,
): SelectedField {
  const [node] = nodes;
  const field = parentType.getFields()[node.name.value] as GraphQLField<unknown, Context> | undefined;
  if (!field) throw new Error(`${parentType.name} has no field ${node.name.value}`);
  // All rows of a list share a path. Pothos caches by it which plan has loaded a row, and one plan loads a list's rows.
  const path = { prev: above, key: (node.alias ?? node.name).value, typename: parentType.name };
  const { name: fieldName, type: returnType } = field;
  const resolver = uncountedResolver(field);
  const run = resolver ?? defaultFieldResolver;
  const info = { ...compilation.shared, fieldName, fieldNodes: [...nodes], returnType, parentType, path };
  const number = compilation.count++;
  return {
    ...compileValue(returnType, nodes, path, compilation, `${parentType.name}.${fieldName}`),
    field,
    info,
    property: !resolver && isLeafType(getNamedType(returnType)) ? fieldName : undefined,
    resolve: (parent, { calls, context, variables, responseSize }) => {
      if (responseSize.error) throw responseSize.error; // before more is read in vain
      const { args, info: ofRun } = (calls[number] ??= {
        args: getArgumentValues(field as GraphQLField<unknown, unknown>, node, variables),
        info: { ...info, variableValues: variables },
      });
      return run(parent, args, context, ofRun);
    },
  };
}

/** An operation, a field or a fragment. */
type Selecting = Pick<FieldNode, 'selectionSet'>;

/** The selected fields by their response keys, in the order in which GraphQL answers them. Those of one key are merged. */
function selectedFields(
  type: GraphQLObjectType,
  nodes: readonly Selecting[],
  fragments: GraphQLResolveInfo['fragments'],
): Map<string, FieldNodes> {
  const found = new Map<string, FieldNodes>();
  const spread = new Set<string>();
  const collect = (node: SelectionNode): void => {
    if (node.directives?.length) throw new Error('A selection has directives');
    if (node.kind === Kind.FIELD) {
      const key = (node.alias ?? node.name).value;
      const before = found.get(key);
      found.set(key, before ? [...before, node] : [node]);
      return;
    }
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      if (spread.has(node.name.value)) return;
      spread.add(node.name.value);
    }
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value] : node;
    const condition = fragment?.typeCondition?.name.value ?? type.name;
    if (condition !== type.name) throw new Error(`A fragment on ${condition} in ${type.name}`);
    fragment?.selectionSet.selections.forEach(collect);
  };
  for (const { selectionSet } of nodes) selectionSet?.selections.forEach(collect);
  return found;
}
