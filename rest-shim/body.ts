import { Problems } from '../schema/errors.ts';
import { parseJson, JsonNumber } from './json.ts';

/** The longest body accepted, in bytes. */
export const maxBody = 1024 * 1024;

/** A body refused before it is read as JSON: it broke off, or its type or its length are not accepted. */
export class TransportError extends Error {
  readonly status: 400 | 413 | 415;

  constructor(status: 400 | 413 | 415, message: string) {
    super(message);
    this.status = status;
  }
}

/** Whether a Content-Type says JSON, in UTF-8; it may say more. */
function isJson(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)/.exec(parameter)?.[1]).find(Boolean);
  return type.trim() === 'application/json' && (charset ?? 'utf-8') === 'utf-8';
}

/**
 * The body as an object of JSON values, numbers as JsonNumbers; undefined where it is none, which `problems` then says.
 * @throws TransportError
 */
export async function readBody(request: Request, problems: Problems): Promise<object | undefined> {
  const type = request.headers.get('content-type');
  if (type !== null && !isJson(type)) throw new TransportError(415, 'The body must be application/json, in UTF-8.');
  if (request.headers.has('content-encoding')) throw new TransportError(415, 'The body must not be compressed.');
  const bytes = await readWhole(request);
  if (bytes.length > 0 && type === null) throw new TransportError(415, 'The body must be application/json, in UTF-8.');

  let value: unknown;
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    problems.add('body', error instanceof RangeError ? 'Is nested too deeply.' : 'Must be a JSON object.');
    return undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber))
    return value;
  problems.add('body', 'Must be a JSON object.');
  return undefined;
}

export const tooLong = (): TransportError =>
  new TransportError(413, `The body must not be longer than ${maxBody} bytes.`);

/**
 * A request's body. One whose length is told can't be longer than that, and needs no stream of the web's: creating an
 * invoice takes 0.95 of node's CPU time.
 * @throws TransportError when it is longer than a body may be, or breaks off
 */
export async function readWhole(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const length = request.headers.get('content-length');
  if (length === null) return readBytes(request.body ?? []);
  if (Number(length) > maxBody) throw tooLong();
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch {
    throw brokenOff();
  }
}

/** @throws TransportError when it is longer than a body may be, or breaks off */
export async function readBytes(body: AsyncIterable<Uint8Array> | Uint8Array[]): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > maxBody) throw tooLong();
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof TransportError ? error : brokenOff();
  }
  return Buffer.concat(chunks);
}

const brokenOff = (): TransportError => new TransportError(400, 'The body broke off.');
