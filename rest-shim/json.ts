// JSON without binary floating point: numbers are kept as they were written, both ways.

declare global {
  interface JSON {
    /** ECMAScript, "JSON.parse source text access". */
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  }
}

/** A number as it stands in the text. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** Parses JSON; its numbers become JsonNumbers. Throws SyntaxError, and RangeError when nested too deeply. */
export const parseJson = (text: string): unknown =>
  JSON.parse(text, (_key, value, context) =>
    typeof value === 'number' ? new JsonNumber(context.source ?? String(value)) : value,
  );

/** A number as JSON has it: exactly this text. @throws Error at what is none */
export function numberText(text: string): string {
  if (text.endsWith('N') || text.endsWith('y')) throw new Error(`JSON has no ${text}`);
  return text;
}

export const jsonResponse = (text: string, status = 200, headers?: Record<string, string>): Response =>
  new Response(text, { status, headers: { 'content-type': 'application/json', ...headers } });
