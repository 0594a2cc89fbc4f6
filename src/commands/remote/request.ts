import { constants, createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { JsonNumber, parseJson, stringifyJson } from '../../../rest-shim/exact-json.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { ApiRequest } from './connection.ts';
import type { Flag, RemoteOperation } from './operations.ts';

/** The values that the user gave for an operation. */
export interface OperationInput {
  /** The values of the path's parameters, in order. */
  path: string[];
  /** The values of the operation's flags, by the flag's name. */
  flags: Map<string, string>;
  /** The body as JSON text, or `-` for standard input. */
  data?: string | undefined;
  /** Names of fields to set to null. */
  clear?: string[] | undefined;
  /** The path of the file to upload. */
  file?: string | undefined;
}

/** The request that runs an operation. @throws CommandFailure for a body that is no JSON object */
export async function buildRequest(operation: RemoteOperation, given: OperationInput): Promise<ApiRequest> {
  const values = given.path.values();
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => toSegment(name, values.next().value ?? ''));
  const of = (place: Flag['in']): [Flag, string][] =>
    operation.flags.flatMap((flag) => {
      const value = flag.in === place ? given.flags.get(flag.name) : undefined;
      return value === undefined ? [] : [[flag, value]];
    });
  const query = new URLSearchParams(of('query').map(([{ field }, value]) => [field, value]));
  const { file } = given;
  if (file !== undefined && !query.has('filename')) query.set('filename', basename(file));
  return {
    method: operation.method,
    path: `/api/v1${path}${query.size > 0 ? `?${query}` : ''}`,
    headers: {
      ...(file !== undefined && { 'content-type': 'application/octet-stream' }),
      ...Object.fromEntries(of('header').map(([{ field }, value]) => [field, value])),
    },
    body:
      file !== undefined
        ? await openFile(file)
        : operation.hasBody
          ? await buildBody(operation, of('body'), given)
          : undefined,
  };
}

/**
 * Without its id, the address would be another one: `/customers/` is the list, and `/receipts/ID/attachments/..` the receipt.
 * @throws CommandFailure
 */
function toSegment(name: string, value: string): string {
  if (/^\s*$|^\.\.?$/.test(value))
    throw new CommandFailure(exitCodes.usage, `<${name}> is ${value.trim() === '' ? 'empty' : 'no id'}.`);
  return encodeURIComponent(value);
}

/** @throws CommandFailure if it can't be read */
async function openFile(file: string): Promise<() => ReadableStream> {
  await access(file, constants.R_OK).catch((error: Error) => {
    throw new CommandFailure(exitCodes.usage, `--file can't be read: ${error.message}`);
  });
  return () => Readable.toWeb(createReadStream(file)) as ReadableStream;
}

/** The fields of `--data`, replaced by those that have a flag of their own. */
async function buildBody(
  { flags }: RemoteOperation,
  fields: [Flag, string][],
  { data, clear = [] }: OperationInput,
): Promise<string> {
  const source = data === '-' ? await text(process.stdin) : (data ?? '{}');
  if (fields.length === 0 && clear.length === 0) {
    parseObject(source);
    return source;
  }
  const getField = (name: string): string => flags.find((flag) => flag.name === name)?.field ?? name;
  return stringifyJson({
    ...parseObject(source),
    ...Object.fromEntries(clear.map((name) => [getField(name), null])),
    ...Object.fromEntries(fields.map(([flag, value]) => [flag.field, parseValue(flag, value)])),
  });
}

function parseObject(source: string): object {
  const value = parseOption('--data', source);
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber))
    return value;
  throw new CommandFailure(exitCodes.usage, '--data must be a JSON object.');
}

/** A value that isn't of the flag's type is sent as text, and the service says what is wrong with it. */
function parseValue({ name, type }: Flag, value: string): unknown {
  if (type === 'json') return parseOption(`--${name}`, value);
  if (type === 'boolean') return value === 'true';
  // As text, a decimal reaches the service exactly as it was written.
  if (type === 'number' && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return new JsonNumber(value);
  return value;
}

function parseOption(option: string, source: string): unknown {
  try {
    return parseJson(source);
  } catch {
    throw new CommandFailure(exitCodes.usage, `${option} must be valid JSON.`);
  }
}
