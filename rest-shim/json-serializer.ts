import type { Context } from '../schema/context.ts';

// Serializes what resolvers return straight to JSON text. An operation is answered whole or by its first error, so that
// GraphQL's partial results are not needed; and the text between the values is known before any request. This takes less
// CPU time than GraphQL's result, a copy of it in REST's names, and JSON.stringify() of that.

/** JSON text; a promise of it where a resolver is asynchronous. */
type Text = string | Promise<string>;

/** Serializes a value. Throws, or rejects, where GraphQL would answer an error. */
export type Write = (value: unknown, context: Context) => Text;

/** Runs a field's resolver. */
export type Resolve = (parent: unknown, context: Context) => unknown;

export interface Field {
  name: string;
  restName: string;
  /** Undefined where the value is the object's property of that name, which is never a promise. */
  resolve: Resolve | undefined;
  write: Write;
}

/** @param whose the field's name, for the error */
export function notNull(write: Write, whose: string): Write {
  return (value, context) => {
    if (value == null) throw new Error(`Cannot return null for non-nullable field ${whose}.`);
    return write(value, context);
  };
}

export const orNull =
  (write: Write): Write =>
  (value, context) =>
    value == null ? 'null' : write(value, context);

export function listOf(write: Write): Write {
  return (values, context) => {
    if (!Array.isArray(values)) throw new Error('Expected a list');
    const texts = values.map((value) => settled(() => value, write, context));
    return texts.every(isString) ? `[${texts.join()}]` : Promise.all(texts).then((all) => `[${all.join()}]`);
  };
}

/** The code is generated, as in prisma/query-compiler/decode.ts. It holds only names of our own documents. */
export function objectOf(fields: Field[]): Write {
  const called = fields.filter(({ resolve }) => resolve);
  const names = called.map((_, at) => `t${at}`);
  const parts = fields.map((field) => {
    const at = called.indexOf(field);
    const text = at < 0 ? `w${fields.indexOf(field)}(value[${JSON.stringify(field.name)}])` : `t${at}`;
    return `${JSON.stringify(`${JSON.stringify(field.restName)}:`)} + ${text}`;
  });
  const body = `return (value, ${names.join()}) => '{' + ${parts.join(` + ',' + `)} + '}'`;
  // eslint-disable-next-line no-new-func, typescript/no-implied-eval
  const join = new Function(...fields.map((_, at) => `w${at}`), body)(...fields.map(({ write }) => write)) as (
    value: unknown,
    ...texts: string[]
  ) => string;
  if (called.length === 0) return (value) => join(value);
  return (value, context) => {
    const texts = called.map(({ resolve, write }) => settled(() => resolve?.(value, context), write, context));
    return texts.every(isString) ? join(value, ...texts) : Promise.all(texts).then((all) => join(value, ...all));
  };
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';

const isString = (text: Text): text is string => typeof text === 'string';

/**
 * Serializes a value that may be a promise. Rejects rather than throws: a promise of a sibling field may be pending, and its
 * own rejection would then be unhandled.
 */
function settled(value: () => unknown, write: Write, context: Context): Text {
  try {
    const found = value();
    if (isPromise(found)) return found.then((each) => write(each, context));
    if (found instanceof Error) throw found;
    return write(found, context);
  } catch (error) {
    return Promise.reject(error as Error);
  }
}
