import { Problems } from '../schema/errors.ts';
import { parseJson, JsonNumber } from './json.ts';

/** The longest body accepted, in bytes. */
export const maxBody = 1024 * 1024;

/** A body refused before it is read as JSON: its type or its length are not accepted. */
export class TransportError extends Error {
  readonly status: 413 | 415;

  constructor(status: 413 | 415, message: string) {
    super(message);
    this.status = status;
  }
}

const json = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?(;|$)/i;

/**
 * The body as an object of JSON values, numbers as JsonNumbers; undefined where it is none, which `problems` then says.
 * @throws TransportError
 */
export async function readBody(request: Request, problems: Problems): Promise<object | undefined> {
  const type = request.headers.get('content-type');
  if (type !== null && !json.test(type)) throw new TransportError(415, 'The body must be application/json, in UTF-8.');
  if (request.headers.has('content-encoding')) throw new TransportError(415, 'The body must not be compressed.');
  const bytes = await readBytes(request);
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

async function readBytes(request: Request): Promise<Buffer> {
  const tooLong = new TransportError(413, `The body must not be longer than ${maxBody} bytes.`);
  if (Number(request.headers.get('content-length')) > maxBody) throw tooLong;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > maxBody) throw tooLong;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
