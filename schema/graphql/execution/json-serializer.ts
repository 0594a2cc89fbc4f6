import { isEnumType, type GraphQLLeafType, type GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import type { AnswerSize } from './answer-size.ts';

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
  /** What has been written; throws beyond its limit. */
  answer: AnswerSize;
}

export interface Call {
  args: Record<string, unknown>;
  info: GraphQLResolveInfo;
}

/** JSON text; a promise of it where a resolver is asynchronous. */
type Text = string | Promise<string>;

/** Serializes a value. Throws, or rejects, where GraphQL would answer an error. */
export type Write = (value: unknown, execution: Execution) => Text;

/** @param whose the field's name, for the error */
export function notNull(write: Write, whose: string): Write {
  return (value, execution) => {
    if (value == null) throw new Error(`Cannot return null for non-nullable field ${whose}.`);
    return write(value, execution);
  };
}

export const orNull =
  (write: Write): Write =>
  (value, execution) =>
    value == null ? 'null' : write(value, execution);

export function buildList(write: Write): Write {
  return (values, execution) => {
    if (!Array.isArray(values)) throw new Error('Expected a list');
    let parts: Parts = '';
    try {
      for (let at = 0; at < values.length; at += 1)
        parts = append(parts, at === 0 ? '[' : ',', complete(values[at], write, execution));
    } catch (error) {
      return fail(parts, error);
    }
    return end(parts, values.length === 0 ? '[]' : ']');
  };
}

/** @param fields each serializes its part of the object; there is at least one */
export function buildObject(fields: readonly (readonly [key: string, write: Write])[]): Write {
  const keys = fields.map(([key], at) => `${at === 0 ? '{' : ','}${JSON.stringify(key)}:`);
  const writes = fields.map(([, write]) => write);
  const length = keys.reduce((sum, key) => sum + key.length, 1);
  return (value, execution) => {
    let parts: Parts = '';
    try {
      execution.answer.write(length);
      for (let at = 0; at < writes.length; at += 1)
        parts = append(parts, keys[at] as string, (writes[at] as Write)(value, execution));
    } catch (error) {
      return fail(parts, error);
    }
    return end(parts, '}');
  };
}

/** Serializes what a resolver returned: a value, a promise of one, or an error. */
export function complete(result: unknown, write: Write, execution: Execution): Text {
  if (isPromise(result)) return result.then((value) => complete(value, write, execution));
  if (result instanceof Error) throw result;
  return write(result, execution);
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';

/** Serializes a value, and counts its text. */
export const buildLeaf =
  (serialize: (value: unknown) => string): Write =>
  (value, { answer }) => {
    const text = serialize(value);
    answer.write(text.length);
    return text;
  };

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

function end(parts: Parts, closing: string): Text {
  return typeof parts === 'string'
    ? parts + closing
    : Promise.all(parts).then((texts) => texts.reduce((all, text) => all + text) + closing);
}

/** Rejects rather than throws once a text is promised: its own rejection would otherwise be unhandled. */
function fail(parts: Parts, error: unknown): Promise<never> {
  if (typeof parts === 'string') throw error;
  return Promise.all([...parts, Promise.reject(error as Error)]) as Promise<never>;
}
