import { isEnumType, type GraphQLLeafType, type GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import type { ResponseSize } from './response-size.ts';

// Serializes what resolvers return straight to JSON text. An operation is answered whole or by its first error, so that
// GraphQL's partial results are not needed; and the text between the values is known before any request. This takes less
// CPU time than GraphQL's result and JSON.stringify() of that.
//
// Nothing here generates code: names from a document are only ever values, whoever wrote the document.

/** One run of a compiled operation. */
export interface Execution {
  context: Context;
  /** Coerced. */
  variables: Record<string, unknown>;
  /** The arguments of each field's resolver, by the field's number in the operation; made once for all rows. */
  calls: Call[];
  /** The size of the response so far; throws beyond its limits. */
  responseSize: ResponseSize;
}

export interface Call {
  args: Record<string, unknown>;
  info: GraphQLResolveInfo;
}

/** JSON text; a promise of it where a resolver is asynchronous. */
type Text = string | Promise<string>;

/** Serializes a value. Throws, or rejects, where GraphQL would answer an error. */
export type Write = (value: unknown, execution: Execution) => Text;

/** A field of an object, compiled. */
export interface Member {
  /** The property that has the value; undefined where a resolver has to be called. */
  property: string | undefined;
  /** Runs the field's resolver on its parent object. */
  resolve: (parent: unknown, execution: Execution) => unknown;
  write: Write;
}

/** Where a value stands in the response. */
export interface Place {
  /** The field's name, for an error. */
  field: string;
  isNullable: boolean;
}

function writeNull({ field, isNullable }: Place): 'null' {
  if (!isNullable) throw new Error(`Cannot return null for non-nullable field ${field}.`);
  return 'null';
}

/** @param valuesPerItem how many values of the response each item has */
export function buildList(write: Write, place: Place, valuesPerItem: number): Write {
  return (values, execution) => {
    if (values == null) return writeNull(place);
    if (!Array.isArray(values)) throw new Error('Expected a list');
    execution.responseSize.addValues(values.length * valuesPerItem);
    let parts: Parts = '';
    try {
      for (let at = 0; at < values.length; at += 1)
        parts = append(parts, at === 0 ? '[' : ',', complete(values[at], write, execution));
    } catch (error) {
      return fail(parts, error);
    }
    const closing = values.length === 0 ? '[]' : ']';
    return typeof parts === 'string' ? parts + closing : join(parts, closing);
  };
}

/**
 * @param members there is at least one
 * @param place undefined for the root of an operation, which has no value
 */
export function buildObject(members: readonly (readonly [key: string, member: Member])[], place?: Place): Write {
  const keys = members.map(([key], at) => `${at === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  const fields = members.map(([, member]) => member);
  const length = keys.reduce((sum, key) => sum + key.length, 1);
  return (object, execution) => {
    if (object == null && place) return writeNull(place);
    let parts: Parts = '';
    try {
      execution.responseSize.write(length);
      for (let at = 0; at < fields.length; at += 1)
        parts = append(parts, keys[at] as string, writeMember(fields[at] as Member, object, execution));
    } catch (error) {
      return fail(parts, error);
    }
    return typeof parts === 'string' ? `${parts}}` : join(parts, '}');
  };
}

/** Serializes a field of its parent object. A plain property takes neither a call nor a promise. */
export const writeMember = ({ property, resolve, write }: Member, parent: unknown, execution: Execution): Text =>
  property === undefined
    ? complete(resolve(parent, execution), write, execution)
    : write((parent as Record<string, unknown>)[property], execution);

/** Serializes what a resolver returned: a value, a promise of one, or an error. */
function complete(result: unknown, write: Write, execution: Execution): Text {
  if (typeof (result as PromiseLike<unknown> | null | undefined)?.then === 'function')
    return (result as Promise<unknown>).then((value) => complete(value, write, execution));
  if (result instanceof Error) throw result;
  return write(result, execution);
}

/** Serializes a value, and counts its text. */
export function buildLeaf(serialize: (value: unknown) => string, place: Place): Write {
  return (value, { responseSize }) => {
    if (value == null) return writeNull(place);
    const text = serialize(value);
    responseSize.write(text.length);
    return text;
  };
}

/** Serializes a scalar or enum as GraphQL does. Throws for a result other than text, number or boolean: graphql-js handles it. */
export function leafSerializer(type: GraphQLLeafType): (value: unknown) => string {
  if (isEnumType(type)) {
    const texts = new Map(type.getValues().map(({ name, value }) => [value as unknown, JSON.stringify(name)]));
    return (value) => {
      const text = texts.get(value);
      if (text === undefined) throw new Error(`Enum "${type.name}" cannot represent the value`);
      return text;
    };
  }
  return (value) => {
    const serialized = type.serialize(value);
    if (typeof serialized === 'string') return JSON.stringify(serialized);
    if (type.name === 'Metadata' || type.name === 'JsonObject') return JSON.stringify(serialized);
    if (typeof serialized === 'boolean' || Number.isFinite(serialized)) return String(serialized);
    throw new Error(`${type.name} cannot represent the value`);
  };
}

/** The text so far; several texts in order from the first on that is promised. */
type Parts = string | Text[];

function append(parts: Parts, before: string, text: Text): Parts {
  if (typeof parts === 'string') return typeof text === 'string' ? parts + before + text : [parts + before, text];
  parts.push(before, text);
  return parts;
}

async function join(parts: Text[], closing: string): Promise<string> {
  let all = '';
  for (const text of await Promise.all(parts)) all += text;
  return all + closing;
}

/** Rejects rather than throws once a text is promised: its own rejection would otherwise be unhandled. */
function fail(parts: Parts, error: unknown): Promise<never> {
  if (typeof parts === 'string') throw error;
  return Promise.all([...parts, Promise.reject(error as Error)]) as Promise<never>;
}
