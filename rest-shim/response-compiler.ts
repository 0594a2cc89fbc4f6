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
import { leafSerializer, toSnakeCase } from './naming.ts';
import { listOf, notNull, objectOf, orNull, type Resolve, type Write } from './json-serializer.ts';

/** The compiled form of a part of REST's response. */
export interface ResponseShape {
  type: GraphQLOutputType;
  write: Write;
  /** The fields of an object, by REST's name, in the order selected; for a list, the fields of its items. */
  fields: Map<string, FieldShape>;
}

export interface FieldShape extends ResponseShape {
  field: GraphQLField<unknown, Context>;
  /** Runs the field's resolver on its parent object. */
  resolve: Resolve;
}

/** The part of a resolver's `info` that is the same for every request. */
export type SelectionContext = Omit<
  GraphQLResolveInfo,
  'path' | 'fieldName' | 'fieldNodes' | 'returnType' | 'parentType'
> & {
  path: GraphQLResolveInfo['path'] | undefined;
};

/** @param whose the field's name, for an error */
export function compileResponse(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  place: SelectionContext,
  whose: string,
): ResponseShape {
  const nullable = getNullableType(type);
  const { write, fields } = compileValue(nullable, selection, place, whose);
  return { type, write: isNonNullType(type) ? notNull(write, whose) : orNull(write), fields };
}

function compileValue(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  place: SelectionContext,
  whose: string,
): Pick<ResponseShape, 'write' | 'fields'> {
  if (isListType(type)) {
    const { write, fields } = compileResponse(type.ofType, selection, place, whose);
    return { write: listOf(write), fields };
  }
  if (isObjectType(type) && selection) return compileObject(type, selection, place);
  if (!isLeafType(type)) throw new Error(`${whose} is neither one type of object nor a value`);
  return { write: leafSerializer(type), fields: new Map() };
}

function compileObject(
  type: GraphQLObjectType,
  selection: SelectionSetNode,
  place: SelectionContext,
): Pick<ResponseShape, 'write' | 'fields'> {
  const shapes = selectedFields(selection, place.fragments).map((node) => compileField(type, node, place));
  const fields = new Map(shapes.map((shape) => [toSnakeCase(shape.field.name), shape]));
  const written = [...fields].map(([restName, { field, resolve, write }]) => ({
    name: field.name,
    restName,
    resolve: isProperty(field) ? undefined : resolve,
    write,
  }));
  return { write: objectOf(written), fields };
}

/** Whether the field is a plain property of its parent object. */
const isProperty = (field: GraphQLField<unknown, Context>): boolean =>
  !field.resolve && isLeafType(getNamedType(field.type));

/** The `info` argument of a field's resolver. */
export function infoOf(
  parentType: GraphQLObjectType,
  field: GraphQLField<unknown, Context>,
  node: FieldNode,
  place: SelectionContext,
): GraphQLResolveInfo {
  const path = { prev: place.path, key: node.alias?.value ?? field.name, typename: parentType.name };
  return { ...place, path, fieldName: field.name, fieldNodes: [node], returnType: field.type, parentType };
}

function compileField(parentType: GraphQLObjectType, node: FieldNode, place: SelectionContext): FieldShape {
  const field = parentType.getFields()[node.name.value];
  if (!field) throw new Error(`${parentType.name} has no field ${node.name.value}`);
  const info = infoOf(parentType, field, node, place);
  const { name, resolve } = field;
  return {
    ...compileResponse(field.type, node.selectionSet, { ...place, path: info.path }, `${parentType.name}.${name}`),
    field,
    resolve: resolve
      ? (parent, context) => resolve(parent, {}, context, info)
      : (parent) => (parent as Record<string, unknown>)[name],
  };
}

/** The selected fields. Only plain fields and fragments are allowed: anything else would depend on the request. */
function selectedFields(selection: SelectionSetNode, fragments: SelectionContext['fragments']): FieldNode[] {
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
