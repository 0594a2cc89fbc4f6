import { randomUUID } from 'node:crypto';

// Features of the language that Node 20 lacks and the commands use.

/** Nobody else can write it into a text. */
const mark = randomUUID();

/** ECMAScript's "JSON.parse source text access", on which exact numbers depend (rest-shim/exact-json.ts). */
function addSourceText(): void {
  const { parse, stringify } = JSON;
  const marked = new RegExp(String.raw`"${mark}(-?\d[^"]*)"`, 'g');
  // In valid JSON, what is no string and begins so is a number.
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
  Object.assign(JSON, {
    parse(text: string, reviver?: (key: string, value: unknown, context: { source?: string }) => unknown): unknown {
      const plain = parse(text) as unknown;
      if (!reviver) return plain;
      const withMarks = text.replaceAll(tokens, (token) => (token.startsWith('"') ? token : `"${mark}${token}"`));
      return parse(withMarks, function revive(this: unknown, key, value: unknown) {
        if (typeof value !== 'string' || !value.startsWith(mark)) return reviver.call(this, key, value, {});
        const source = value.slice(mark.length);
        return reviver.call(this, key, Number(source), { source });
      });
    },
    rawJSON: (text: string) => `${mark}${text}`,
    stringify: (...args: Parameters<typeof stringify>) =>
      (stringify(...args) as string | undefined)?.replaceAll(marked, '$1'),
  });
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  const parts: Partial<PromiseWithResolvers<T>> = {};
  const promise = new Promise<T>((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return Object.assign(parts as Omit<PromiseWithResolvers<T>, 'promise'>, { promise });
}

function groupBy<T>(items: Iterable<T>, keyOf: (item: T, index: number) => PropertyKey): Record<PropertyKey, T[]> {
  const groups = Object.create(null) as Record<PropertyKey, T[]>;
  let index = 0;
  for (const item of items) (groups[keyOf(item, index++)] ??= []).push(item);
  return groups;
}

const lacks = (holder: object, name: string): boolean => !(name in holder);
if (lacks(JSON, 'rawJSON')) addSourceText();
if (lacks(Promise, 'withResolvers')) Object.assign(Promise, { withResolvers });
if (lacks(Object, 'groupBy')) Object.assign(Object, { groupBy });
