import { maxInputValues } from '../schema/graphql/input/width.ts';

// JSON without binary floating point: numbers keep their text, in requests and in responses.

declare global {
  interface JSON {
    /** ECMAScript, "JSON.parse source text access". */
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
    rawJSON(text: string): unknown;
  }
}

/** A number as its JSON text. */
export class JsonNumber {
  declare readonly source: string; // a field would be initialized before, for each number

  constructor(source: string) {
    this.source = source;
  }
}

/** Parses JSON. Each number becomes a JsonNumber. @throws SyntaxError; RangeError when nested too deeply */
export const parseJson = (text: string): unknown =>
  JSON.parse(text, (_key, value, context) =>
    typeof value === 'number' ? new JsonNumber(context.source ?? String(value)) : value,
  );

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];

/** Whether JSON has more values than a request may. Parsing them exactly would take long, and answer nothing but errors. */
export function isTextTooWide(bytes: Uint8Array): boolean {
  if (bytes.length < 2 * maxInputValues) return false; // a value has two characters at least
  let values = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) isText = !isText;
    else if (isText) at += Number(byte === backslash);
    else if (byte === comma) values += 1;
  }
  return values >= maxInputValues;
}

/** Writes JSON. Each JsonNumber is written as its text. */
export const stringifyJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (part instanceof JsonNumber ? JSON.rawJSON(part.source) : part));
