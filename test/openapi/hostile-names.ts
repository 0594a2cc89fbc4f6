import { javaScriptNames } from '../javascript-names.ts';

// Bodies and queries with names that have a meaning in JavaScript.

type Random = (max: number) => number;
type Json = Record<string, unknown>;

const name = (r: Random): string => javaScriptNames[r(javaScriptNames.length)]!;

/** The body with such names as values, and as keys of itself and of its items. */
export function namedByJavaScript(r: Random, body: Json, value: () => unknown): Json {
  const named = (record: Json): Json => {
    const kept = Object.entries(record).map(([key, sent]) => [key, r(6) === 0 ? name(r) : sent] as const);
    const more = r(4) === 0 ? [] : [[name(r), value()] as const];
    // This also makes __proto__ an own property. An assignment would not.
    return Object.fromEntries([...kept, ...more]);
  };
  const { items } = body;
  return named(Array.isArray(items) && r(2) === 0 ? { ...body, items: items.map(named) } : body);
}

/** The path with one more query parameter that has such a name or such a value. */
export function queryNamedByJavaScript(r: Random, path: string, parameters: string[]): string {
  const names = r(2) === 0 ? parameters : javaScriptNames;
  const key = names[r(Math.max(names.length, 1))] ?? name(r);
  const inside = ['', '', '[]', `[${name(r)}]`][r(4)]!;
  return `${path}${path.includes('?') ? '&' : '?'}${key}${inside}=${r(4) === 0 ? '1' : name(r)}`;
}
