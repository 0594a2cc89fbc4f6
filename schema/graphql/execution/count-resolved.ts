import {
  defaultFieldResolver,
  getNamedType,
  getNullableType,
  isCompositeType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import type { Context } from '../context.ts';
import type { ResponseSize } from './response-size.ts';

// Counts what resolvers return towards the size of the response, for graphql-js, which would write any response. The compiled
// executor counts what it writes, and runs the resolvers as they were.

type Field = GraphQLField<unknown, Context>;
type Resolver = GraphQLFieldResolver<unknown, Context>;

/** The fields that count, and their resolvers without that. */
const uncounted = new WeakMap<Field, Resolver | undefined>();

export const uncountedResolver = (field: Field): Resolver | undefined =>
  uncounted.has(field) ? uncounted.get(field) : field.resolve;

/** Adds the counting to a schema's resolvers. */
export function countResolved(schema: GraphQLSchema): GraphQLSchema {
  const subscription = schema.getSubscriptionType();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type)))
        countWith(field, countRows);
      else if (field.resolve && isLeafType(getNullableType(field.type)) && isText(field)) countWith(field, countText);
      if (type === subscription) restartAnswer(field);
    }
  }
  return schema;
}

/** graphql-js's resolver of fields without one of their own. */
export const countingFieldResolver: Resolver = (parent, args, context, info) => {
  const value = defaultFieldResolver(parent, args, context, info);
  if (context.responseSize?.countsResolved) countText(value, context.responseSize);
  return value;
};

/** The types of values of any length. */
const isText = ({ type }: Field): boolean => ['String', 'EventJson', 'JsonObject'].includes(getNamedType(type).name);

function countWith(
  field: Field,
  count: (value: unknown, responseSize: ResponseSize, info: GraphQLResolveInfo) => void,
): void {
  const { resolve = defaultFieldResolver } = field;
  uncounted.set(field, field.resolve);
  field.resolve = (parent, args, context, info) => {
    const { responseSize } = context;
    if (!responseSize?.countsResolved) return resolve(parent, args, context, info);
    if (responseSize.error) throw responseSize.error; // before the next long text or list is made
    const counted = (value: unknown): unknown => {
      count(value, responseSize, info);
      return value;
    };
    const value: unknown = resolve(parent, args, context, info);
    return isPromise(value) ? value.then(counted) : counted(value);
  };
}

/** From this length on, a text's length as JSON is measured: escapes can make it six times as long. */
const longText = 256;

function countText(value: unknown, responseSize: ResponseSize): void {
  if (typeof value === 'string')
    responseSize.write(value.length < longText ? value.length : Buffer.byteLength(JSON.stringify(value)));
  else if (typeof value === 'object' && value !== null) responseSize.write(Buffer.byteLength(JSON.stringify(value)));
}

function countRows(rows: unknown, responseSize: ResponseSize, info: GraphQLResolveInfo): void {
  if (!Array.isArray(rows) || rows.length === 0) return;
  const { values, keys } = weigh(info);
  responseSize.addValues(rows.length * values);
  responseSize.write(rows.length * keys);
}

/** Each item of a subscription is a response of its own. */
function restartAnswer(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (parent, args, context, info) => {
    context.responseSize?.restart();
    return resolve(parent, args, context, info);
  };
}

/** The weight of each row of a list: the number of its values, and the length of their keys. */
interface Weight {
  values: number;
  keys: number;
}

/** The weights of selections. graphql-js selects a list's fields once for all of its parents. */
const weights = new WeakMap<readonly FieldNode[], Weight>();

/** The weight of a list's rows, by its selection. */
export function weigh({
  schema,
  fragments,
  fieldNodes,
  returnType,
}: Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'fieldNodes' | 'returnType'>): Weight {
  const known = weights.get(fieldNodes);
  if (known) return known;
  const weight = { values: 0, keys: 0 };
  const add = ({ selectionSet }: Pick<FieldNode, 'selectionSet'>, type: GraphQLNamedType | undefined): void => {
    for (const node of selectionSet?.selections ?? []) {
      if (node.kind !== Kind.FIELD) {
        const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value] : node;
        const condition = fragment?.typeCondition?.name.value;
        if (fragment) add(fragment, condition === undefined ? type : schema.getType(condition));
        continue;
      }
      weight.values += 1;
      weight.keys += (node.alias ?? node.name).value.length + emptyValue;
      const field = type && 'getFields' in type ? type.getFields()[node.name.value] : undefined;
      // The rows of a list within count by themselves.
      if (field && !isListType(getNullableType(field.type))) add(node, getNamedType(field.type) as GraphQLNamedType);
    }
  };
  for (const node of fieldNodes) add(node, getNamedType(returnType));
  weights.set(fieldNodes, weight);
  return weight;
}

/** The length of a key's marks, and of a value of one digit: `"":0,`. */
const emptyValue = 5;

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
