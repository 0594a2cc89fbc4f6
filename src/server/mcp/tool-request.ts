import { base } from '../../../rest-shim/base.ts';
import { JsonNumber, stringifyJson } from '../../../rest-shim/exact-json.ts';
import type { Values } from '../../../rest-shim/operation.ts';
import { Problems } from '../../../schema/errors/errors.ts';
import { isUuid } from '../../../schema/graphql/scalars/scalars.ts';
import { placeholderHostname } from '../http/responses.ts';
import type { RestTool } from './tools.ts';

const origin = `http://${placeholderHostname}`;

/**
 * The request to REST that a tool's call stands for. What is wrong with the arguments is for REST to say, except for what
 * no request can hold: in a header some texts, and in a query the values of an object that are no texts.
 * @throws ValidationError
 */
export function toRestRequest({ method, path, headers: names }: RestTool, args: Values, signal: AbortSignal): Request {
  const rest: Values = { ...args };
  const toId = (_: string, name: string): string => {
    const { [name]: id } = args;
    delete rest[name];
    return typeof id === 'string' && isUuid(id) ? id : '-';
  };
  // Dots, slashes, and question marks would lead to another address. REST answers that no resource has such an id.
  const url = new URL(origin + base + path.replaceAll(/\{(\w+)\}/g, toId));
  // A name that REST doesn't know would be ignored in a query, and an agent would take the answer for a filtered one.
  const headers = new Headers({ prefer: 'handling=strict' });
  const problems = new Problems();
  for (const [argument, header] of names) {
    const value = rest[argument];
    delete rest[argument];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') problems.add(argument, 'wrong_type', 'Must be a string.', { expected: 'string' });
    else if (!setHeader(headers, header, value)) problems.add(argument, 'invalid_format', 'No header can hold this.');
  }
  const isInQuery = method === 'GET' || method === 'DELETE';
  if (isInQuery)
    for (const [name, value] of Object.entries(rest)) addParameter(url.searchParams, name, value, problems);
  problems.throwIfAny();
  if (isInQuery) return new Request(url, { method, headers, signal });
  headers.set('content-type', 'application/json');
  return new Request(url, { method, headers, signal, body: stringifyJson(rest) });
}

/** Adds an argument to a query: each element of a list, and each field of an object as `metadata[key]=value`. */
function addParameter(query: URLSearchParams, name: string, value: unknown, problems: Problems): void {
  for (const each of [value].flat()) {
    if (each === null) continue;
    if (!isObject(each)) {
      query.append(name, toText(each));
      continue;
    }
    for (const [key, field] of Object.entries(each)) {
      if (typeof field === 'string' || field instanceof JsonNumber) query.append(`${name}[${key}]`, toText(field));
      else problems.add(`${name}.${key}`, 'wrong_type', 'Must be a string.', { expected: 'string' });
    }
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

/** An argument as a parameter of a query. */
function toText(value: unknown): string {
  if (value instanceof JsonNumber) return value.source;
  return typeof value === 'string' ? value : stringifyJson(value);
}

function setHeader(headers: Headers, name: string, value: string): boolean {
  try {
    headers.set(name, value);
    return !/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value); // as in a request over HTTP
  } catch {
    return false;
  }
}
