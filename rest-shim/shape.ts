import {
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  print,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type SelectionSetNode,
} from 'graphql';
import type { Context } from '../schema/context.ts';
import { encoding, snake } from './translate.ts';
import { listOf, notNull, objectOf, orNull, type Resolve, type Write } from './writing.ts';

/** What REST answers. */
export interface Shape {
  type: GraphQLOutputType;
  write: Write;
  /** The fields of an object, by REST's name, in the order selected; of a list, those of its items. */
  fields: Map<string, FieldShape>;
}

export interface FieldShape extends Shape {
  field: GraphQLField<unknown, Context>;
  /** What its resolver gives, for an object. */
  resolve: Resolve;
}

/** Where in an operation a selection stands: what resolvers are told of it, as it is the same for every request. */
export type Place = Omit<GraphQLResolveInfo, 'path' | 'fieldName' | 'fieldNodes' | 'returnType' | 'parentType'> & {
  path: GraphQLResolveInfo['path'] | undefined;
};

/** @param whose value it is, for a fault */
export function compileShape(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  place: Place,
  whose: string,
): Shape {
  const nullable = getNullableType(type);
  const { write, fields } = compileValue(nullable, selection, place, whose);
  return { type, write: isNonNullType(type) ? notNull(write, whose) : orNull(write), fields };
}

function compileValue(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  place: Place,
  whose: string,
): Pick<Shape, 'write' | 'fields'> {
  if (isListType(type)) {
    const { write, fields } = compileShape(type.ofType, selection, place, whose);
    return { write: listOf(write), fields };
  }
  if (isObjectType(type) && selection) return compileObject(type, selection, place);
  if (!isLeafType(type)) throw new Error(`${whose} is neither one type of object nor a value`);
  return { write: encoding(type), fields: new Map() };
}

function compileObject(
  type: GraphQLObjectType,
  selection: SelectionSetNode,
  place: Place,
): Pick<Shape, 'write' | 'fields'> {
  const shapes = selectedFields(selection, place.fragments).map((node) => compileField(type, node, place));
  const fields = new Map(shapes.map((shape) => [snake(shape.field.name), shape]));
  const written = [...fields].map(([restName, { field, resolve, write }]) => ({
    name: field.name,
    restName,
    resolve: isProperty(field) ? undefined : resolve,
    write,
  }));
  return { write: objectOf(written), fields };
}

/** Whether the object has it as it stands. */
const isProperty = (field: GraphQLField<unknown, Context>): boolean =>
  !field.resolve && isLeafType(getNamedType(field.type));

/** What resolvers are told of the field they are asked for. */
export function infoOf(
  parentType: GraphQLObjectType,
  field: GraphQLField<unknown, Context>,
  node: FieldNode,
  place: Place,
): GraphQLResolveInfo {
  const path = { prev: place.path, key: node.alias?.value ?? field.name, typename: parentType.name };
  return { ...place, path, fieldName: field.name, fieldNodes: [node], returnType: field.type, parentType };
}

function compileField(parentType: GraphQLObjectType, node: FieldNode, place: Place): FieldShape {
  const field = parentType.getFields()[node.name.value];
  if (!field) throw new Error(`${parentType.name} has no field ${node.name.value}`);
  const info = infoOf(parentType, field, node, place);
  const { name, resolve } = field;
  return {
    ...compileShape(field.type, node.selectionSet, { ...place, path: info.path }, `${parentType.name}.${name}`),
    field,
    resolve: resolve
      ? (parent, context) => resolve(parent, {}, context, info)
      : (parent) => (parent as Record<string, unknown>)[name],
  };
}

/** Plain fields and fragments: what else a document may have would have to be decided for each request. */
function selectedFields(selection: SelectionSetNode, fragments: Place['fragments']): FieldNode[] {
  return selection.selections.flatMap((node) => {
    const isPlain = node.kind !== Kind.INLINE_FRAGMENT && !node.directives?.length;
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value] : undefined;
    if (isPlain && fragment) return selectedFields(fragment.selectionSet, fragments);
    if (!isPlain || node.kind !== Kind.FIELD || node.alias || node.arguments?.length) {
      throw new Error(`An operation selects plain fields and fragments only, not ${print(node)}`);
    }
    return [node];
  });
}
