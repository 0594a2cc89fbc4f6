import type { Answer, Service } from '../harness.ts';
import { send as sendForm } from '../bank/statement.ts';

// Requests with their answers, as a release's file has them.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface Asked {
  /** Who asks: one of `actors.ts`. */
  as: string;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: Json;
  /** A file, sent with `body` as the GraphQL multipart request specification says. */
  file?: string;
}

export interface Answered {
  status: number;
  headers: Record<string, string>;
  /** Undefined for a body that isn't JSON. */
  body?: Json;
}

/** A request and its answer; or `event`, what happens between two requests. */
export type Exchange = { asked: Asked; answered: Answered } | { event: string };

/** Stands for any value. */
export const any = '{any}';

/** Headers whose values are compared. */
const valued = [
  'allow',
  'cache-control',
  'content-disposition',
  'content-type',
  'deprecation',
  'etag',
  'idempotent-replayed',
  'link',
  'location',
  'preference-applied',
  'ratelimit-policy',
  'sunset',
  'www-authenticate',
  'x-ratelimit-limit',
  'x-request-id',
];
/** Headers that only must be there. */
const present = ['kontor-version', 'ratelimit', 'retry-after', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** The part of an answer that is recorded and compared. */
export function toAnswered({ status, headers, body }: Answer): Answered {
  const kept = [...valued, ...present].filter((name) => headers.has(name));
  const values = kept.map((name) => [name, present.includes(name) ? any : (headers.get(name) ?? '')]);
  return { status, headers: Object.fromEntries(values), ...(isJson(body) && { body: withoutMessages(body) }) };
}

const isJson = (value: unknown): value is Json => value !== undefined && value !== false;

/** Messages are for people, and may change: codes are for programs. */
function withoutMessages(body: Json): Json {
  return JSON.parse(JSON.stringify(body), (name, value: Json) => {
    if (name === 'message' && typeof value === 'string') return any;
    const isOfFields = name === 'errors' && typeof value === 'object' && value !== null && !Array.isArray(value);
    return isOfFields ? Object.fromEntries(Object.keys(value).map((field) => [field, [any]])) : value;
  }) as Json;
}

/** Sends a request with the token of its actor. */
export function send(service: Service, asked: Asked, tokens: Record<string, string>): Promise<Answer> {
  const { as, method, path, body, file } = asked;
  const authorization = tokens[as] === undefined ? undefined : `Bearer ${tokens[as]}`;
  const headers = { ...(authorization && { authorization }), ...asked.headers };
  if (file === undefined) return service.request(method, path, { headers, ...(body !== undefined && { body }) });
  const form = new FormData();
  form.append('operations', JSON.stringify(body));
  form.append('map', JSON.stringify({ file: ['variables.file'] }));
  form.append('file', new Blob([file]), 'file');
  return sendForm(service, form, headers, path);
}

/** One line each. */
export const write = (exchanges: readonly Exchange[]): string =>
  exchanges.map((each) => `${JSON.stringify(each)}\n`).join('');

export const read = (text: string): Exchange[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Exchange);
