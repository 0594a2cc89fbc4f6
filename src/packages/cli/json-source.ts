import { randomUUID } from 'node:crypto';

// Node 20 and 21 lack ECMAScript's "JSON.parse source text access", on which exact numbers depend (rest-shim/exact-json.ts).

/** Nobody else can write it into a text. */
const mark = randomUUID();

function install(): void {
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

if (!('rawJSON' in JSON)) install();
