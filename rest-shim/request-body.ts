import { Problems } from '../schema/errors/errors.ts';
import { maxInputValues, tooWideMessage } from '../schema/graphql/input/width.ts';
import { isTextTooWide, parseJson, JsonNumber } from './exact-json.ts';

/** The longest body accepted, in bytes. */
export const maxBodyBytes = 1024 * 1024;

/** Bodies up to this length are parsed at once: it takes less time than a turn. In bytes. */
export const longestAtOnce = 64 * 1024;

/** Waits until a body may be parsed, by its length in bytes. @throws CodedError if it may not be */
export type BeforeParsing = (length: number) => Promise<void>;

/** A request refused before its body is parsed as JSON: that was cut off, or a type or length is not accepted. */
export class TransportError extends Error {
  readonly status: 400 | 406 | 413 | 415;

  constructor(status: 400 | 406 | 413 | 415, message: string) {
    super(message);
    this.status = status;
  }
}

/** Whether a Content-Type is JSON in UTF-8, with any further parameters. */
function isJson(contentType: string): boolean {
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  return type.trim() === 'application/json' && isUtf8Text(contentType);
}

/** Whether a Content-Type names UTF-8 as its charset, or none. */
export function isUtf8Text(contentType: string): boolean {
  const [, ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)/.exec(parameter)?.[1]).find(Boolean);
  return (charset ?? 'utf-8') === 'utf-8';
}

export const otherType = (): TransportError => new TransportError(415, 'The body must be application/json, in UTF-8.');
export const compressed = (): TransportError => new TransportError(415, 'The body must not be compressed.');

/**
 * Parses the body as a JSON object, each number as a JsonNumber; but not where the body has too many values, which is then
 * among the problems.
 * With `isOptional`, no body counts as an empty object. `beforeParsing` is given the body's length.
 * @returns undefined if it is no JSON object, which is then added to `problems`
 * @throws TransportError
 */
export async function readBody(
  request: Request,
  problems: Problems,
  {
    isOptional = false,
    maxBytes = maxBodyBytes,
    beforeParsing,
  }: { isOptional?: boolean; maxBytes?: number; beforeParsing?: BeforeParsing | undefined } = {},
): Promise<object | undefined> {
  const type = request.headers.get('content-type');
  if (type !== null && !isJson(type)) throw otherType();
  if (request.headers.has('content-encoding')) throw compressed();
  const bytes = await readRequestBytes(request, maxBytes);
  if (bytes.length === 0 && isOptional) return {};
  if (bytes.length > 0 && type === null) throw otherType();

  await beforeParsing?.(bytes.length);
  return parseBody(bytes, problems);
}

/** Parses a body as readBody() does. */
export function parseBody(bytes: Uint8Array, problems: Problems): object | undefined {
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const isTooWide = isTextTooWide(bytes);
    value = isTooWide ? JSON.parse(text) : parseJson(text);
    if (isTooWide) problems.add('body', 'too_many', tooWideMessage, { max: maxInputValues });
  } catch (error) {
    if (error instanceof RangeError) problems.add('body', 'nested_too_deeply', 'Is nested too deeply.');
    else refuseBody(problems);
    return undefined;
  }
  return asJsonObject(value, problems);
}

/** @returns undefined if a parsed value is no JSON object, which is then added to `problems` */
export function asJsonObject(value: unknown, problems: Problems): object | undefined {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber))
    return value;
  refuseBody(problems);
  return undefined;
}

const refuseBody = (problems: Problems): void =>
  problems.add('body', 'wrong_type', 'Must be a JSON object.', { expected: 'object' });

export const tooLong = (maxBytes = maxBodyBytes): TransportError =>
  new TransportError(413, `The body must not be longer than ${maxBytes} bytes.`);

/**
 * A request's body. A body with a Content-Length can't be longer than that, and is read without a web stream, which takes
 * less CPU time.
 * @throws TransportError when it is longer than a body may be, or breaks off
 */
export async function readRequestBytes(request: Request, maxBytes = maxBodyBytes): Promise<Uint8Array<ArrayBuffer>> {
  const length = request.headers.get('content-length');
  if (length === null) return readStreamBytes(request.body ?? [], maxBytes);
  if (Number(length) > maxBytes) throw tooLong(maxBytes);
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch {
    throw aborted();
  }
}

/** @throws TransportError when it is longer than a body may be, or breaks off */
export async function readStreamBytes(
  body: AsyncIterable<Uint8Array> | Uint8Array[],
  maxBytes = maxBodyBytes,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > maxBytes) throw tooLong(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof TransportError ? error : aborted();
  }
  return Buffer.concat(chunks);
}

const aborted = (): TransportError => new TransportError(400, 'The body broke off.');
