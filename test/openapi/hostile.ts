import { random } from '../graphql/hostile/hostile.ts';
import { bodies, values } from './cases.ts';
import { operations, type Description, type ApiValidator, type Operation, type Endpoint } from './description.ts';
import { namedByJavaScript, queryNamedByJavaScript } from './hostile-names.ts';
import { inAbsoluteForm, withHost, withoutHost, withoutTarget } from './hostile-targets.ts';

// Generates requests from the API's description, inside and outside its bounds. The same seed gives the same request.

export interface HostileRequest {
  /** The generator's name. */
  family: string;
  method: string;
  /** The path after /api/v1. */
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer<ArrayBuffer>;
  /** The origin of a target in absolute form. */
  origin?: string;
  /** The values of the Host headers, unless it is the usual one. */
  hosts?: string[];
  /** Whether it is invalid HTTP and must be answered 400. */
  isMalformed?: boolean;
  /** The documented operation, if the request is for one. */
  endpoint?: Endpoint;
}

type Random = (max: number) => number;
type Json = Record<string, unknown>;

const nasty: unknown[] = [
  null,
  true,
  0,
  -1,
  0.1,
  1e21,
  -1e-7,
  2 ** 53,
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202e',
  '🦆'.repeat(300),
  '1e400',
  'NaN',
  '12,50',
  '0x1f',
  '2026-02-30',
  '0000-01-01',
  '9999-12-31',
  '__proto__',
  'constructor',
  "'; drop table customers; --",
  '${7*7}',
  '../../etc/passwd',
  '<script>',
  [],
  {},
  [[]],
  { $ne: null },
  { toString: 1 },
];
const types = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  'application/xml',
  'json',
  '',
];
const methods = ['PUT', 'POST', 'PATCH', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'MKCOL', 'LOCK', 'QUERY'];
const segments = [
  '',
  '.',
  '..',
  '%2e%2e',
  '%00',
  '%zz',
  '%ff',
  '%F0%9F%A6%86',
  'a'.repeat(3000),
  '1',
  'null',
  "'%20or%201=1",
  ';',
  '%2F',
  '__proto__',
  'constructor',
];
const encodings = ['utf16le', 'latin1', 'base64'] as const;

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Ids and other known values by field. Requests can refer to them. */
export type KnownValues = Record<string, string[]>;

/** @param usual a valid body with all fields for each operation with a body */
export function hostileRequests(
  api: Description,
  validator: ApiValidator,
  usual: Map<string, Json>,
  known: KnownValues,
) {
  const endpoints = operations(api);
  const writing = endpoints.filter(({ operation }) => operation.requestBody?.content['application/json']);
  const cases = new Map(
    writing.map(({ operation }) => {
      const { schema } = operation.requestBody!.content['application/json'];
      const body = usual.get(operation.operationId);
      if (!body) throw new Error(`No body for ${operation.operationId}: give one`);
      return [operation.operationId, [...bodies(validator, schema, body, true)].map(({ request }) => request)];
    }),
  );

  const idFor = (r: Random, path: string): string => {
    const ids = known[path.split('/')[1] ?? ''] ?? [];
    const some = r(4);
    if (some > 1 && ids.length > 0) return ids[r(ids.length)]!;
    return some === 1 ? '0190a1b2-c3d4-7000-8000-000000000000' : segments[r(segments.length)]!;
  };
  const queryFor = (r: Random, { parameters = [] }: Operation): string => {
    const pairs = parameters
      .map((each) => validator.resolve(each))
      .filter(({ in: at }) => at === 'query')
      .filter(() => r(3) === 0)
      .map(({ name, schema }) => {
        const some = [
          ...values(schema.type === undefined ? validator.resolve(schema) : schema, known[name]?.[0] ?? '1'),
        ];
        const value = r(2) === 0 ? some[r(some.length)]?.[0] : nasty[r(nasty.length)];
        return `${name}=${encodeURIComponent(asText(value).toWellFormed())}`;
      });
    if (r(10) === 0)
      pairs.push(['page=1&page=0', '%zz', '&&=', '__proto__=1', 'q[]=1', `q=${'x'.repeat(5000)}`][r(6)]!);
    return pairs.length > 0 ? `?${pairs.join('&')}` : '';
  };
  const address = (r: Random, { path, operation }: Endpoint): string =>
    path.replace('{id}', () => idFor(r, path)) + queryFor(r, operation);
  const at = (r: Random, endpoint: Endpoint, body?: string | Buffer<ArrayBuffer>): Omit<HostileRequest, 'family'> => ({
    method: endpoint.method.toUpperCase(),
    path: address(r, endpoint),
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
    endpoint,
  });
  const pick = <T>(r: Random, of: readonly T[]): T => of[r(of.length)]!;
  const good = (r: Random): [Endpoint, Json] => {
    const endpoint = pick(r, writing);
    return [endpoint, structuredClone(usual.get(endpoint.operation.operationId)!)];
  };

  // Roughly from valid to nonsensical requests.
  const families: Record<string, (r: Random) => Omit<HostileRequest, 'family'>> = {
    valid: (r) => {
      const [endpoint, body] = good(r);
      return at(r, endpoint, JSON.stringify(body));
    },
    'at a bound': (r) => {
      const endpoint = pick(r, writing);
      return at(r, endpoint, JSON.stringify(pick(r, cases.get(endpoint.operation.operationId)!)));
    },
    'a field replaced': (r) => {
      const [endpoint, body] = good(r);
      const names = Object.keys(body);
      for (let count = 1 + r(3); count > 0; count -= 1) body[pick(r, names)] = pick(r, nasty);
      return at(r, endpoint, JSON.stringify(body));
    },
    'another resource’s': (r) => {
      const [endpoint] = good(r);
      return at(r, endpoint, JSON.stringify(good(r)[1]));
    },
    'an address': (r) =>
      at(
        r,
        pick(
          r,
          endpoints.filter(({ method }) => method === 'get' || method === 'delete'),
        ),
      ),
    'a list': (r) =>
      at(
        r,
        pick(
          r,
          endpoints.filter(({ method, path }) => method === 'get' && !path.includes('{id}')),
        ),
      ),
    'cut off': (r) => {
      const [endpoint, body] = good(r);
      const text = JSON.stringify(body);
      return at(r, endpoint, text.slice(0, r(text.length)));
    },
    'a key twice': (r) => {
      const [endpoint, body] = good(r);
      const twice = Object.keys(body).map((name) => `${JSON.stringify(name)}:${JSON.stringify(pick(r, nasty))}`);
      return at(r, endpoint, `{${twice.join()},${JSON.stringify(body).slice(1)}`);
    },
    'huge numbers': (r) => {
      const [endpoint, body] = good(r);
      const digits = '9'.repeat(1 + r(r(50) === 0 ? 100_000 : 400));
      const name = pick(r, Object.keys(body));
      const number = pick(r, [
        digits,
        `-${digits}`,
        `0.${digits}`,
        `1e${digits}`,
        `1E-${digits}`,
        `${digits}.0`,
        `0${digits}`,
      ]);
      return at(r, endpoint, JSON.stringify({ ...body, [name]: '#' }).replace('"#"', number));
    },
    'deep JSON': (r) => {
      const [endpoint, body] = good(r);
      const depth = 1 + r(r(20) === 0 ? 200_000 : 2000);
      const deep = r(2) === 0 ? '['.repeat(depth) + ']'.repeat(depth) : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
      return at(r, endpoint, JSON.stringify({ ...body, [pick(r, Object.keys(body))]: '#' }).replace('"#"', deep));
    },
    'many items': (r) => {
      const endpoint = writing.find(({ path, method }) => path === '/invoices' && method === 'post')!;
      const body = usual.get(endpoint.operation.operationId)!;
      const [item] = body['items'] as Json[];
      const one = r(2) === 0 ? item : pick(r, nasty);
      return at(
        r,
        endpoint,
        JSON.stringify({ ...body, items: Array.from({ length: 490 + r(r(9) === 0 ? 9000 : 20) }, () => one) }),
      );
    },
    'unicode and bytes': (r) => {
      const [endpoint, body] = good(r);
      const bytes = Buffer.from(JSON.stringify(body));
      for (let count = 1 + r(5); count > 0; count -= 1) bytes[r(bytes.length)] = r(256);
      return at(r, endpoint, bytes);
    },
    'another encoding': (r) => {
      const [endpoint, body] = good(r);
      const text = JSON.stringify(body);
      const encoded =
        r(2) === 0
          ? Buffer.from(text, pick(r, encodings))
          : Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]);
      return at(r, endpoint, encoded);
    },
    'another type': (r) => {
      const [endpoint, body] = good(r);
      return { ...at(r, endpoint, JSON.stringify(body)), headers: { 'content-type': pick(r, types) } };
    },
    'said to be compressed': (r) => {
      const [endpoint, body] = good(r);
      const headers = {
        'content-type': 'application/json',
        'content-encoding': pick(r, ['gzip', 'br', 'identity', 'x']),
      };
      return { ...at(r, endpoint, JSON.stringify(body)), headers };
    },
    'no object': (r) =>
      at(r, good(r)[0], pick(r, ['', 'null', '1', '"x"', '[]', 'true', '[{}]', '{}', '{', 'undefined'])),
    'another method': (r) => {
      const { path } = pick(r, endpoints);
      return { method: pick(r, methods), path: path.replace('{id}', () => idFor(r, path)), headers: {} };
    },
    'another address': (r) => {
      const path = Array.from({ length: 1 + r(4) }, () =>
        r(3) === 0 ? pick(r, endpoints).path.slice(1) : pick(r, segments),
      );
      return { method: pick(r, methods), path: `/${path.join('/')}`, headers: {} };
    },
    'an idempotency key': (r) => {
      const [endpoint, body] = good(r);
      const key = pick(r, ['a', 'b', 'x'.repeat(255), 'x'.repeat(256), ' ', '🦆', 'a,b']);
      const sent = r(3) === 0 ? body : { ...body, nonsense: r(3) };
      const ascii = /^[ -~]*$/.test(key) ? key : encodeURIComponent(key);
      return {
        ...at(r, endpoint, JSON.stringify(sent)),
        headers: { 'content-type': 'application/json', 'idempotency-key': ascii },
      };
    },
    'a target in absolute form': (r) => inAbsoluteForm(r, at(r, pick(r, endpoints))),
    'no target in absolute form': (r) => withoutTarget(r, at(r, pick(r, endpoints))),
    'a Host': (r) => withHost(r, at(r, pick(r, endpoints))),
    'no Host, a bad one or two': (r) => withoutHost(r, at(r, pick(r, endpoints))),
    'names of JavaScript in a body': (r) => {
      const [endpoint, body] = good(r);
      return at(r, endpoint, JSON.stringify(namedByJavaScript(r, body, () => pick(r, nasty))));
    },
    'names of JavaScript in a query': (r) => {
      const reading = endpoints.filter(({ method }) => method === 'get');
      const endpoint = pick(r, reading);
      const parameters = (endpoint.operation.parameters ?? []).map((each) => validator.resolve(each).name);
      const request = at(r, endpoint);
      return { ...request, path: queryNamedByJavaScript(r, request.path, parameters) };
    },
    'headers of all kinds': (r) => {
      const endpoint = pick(r, endpoints);
      const text = pick(r, ['', ',', '*/*;q=9', 'x'.repeat(2000), '"', 'null', '-1', '1e9', '\u00ff']);
      const name = pick(r, [
        'accept',
        'accept-language',
        'if-none-match',
        'range',
        'x-forwarded-for',
        'x-tenant',
        'x-http-method-override',
        'cookie',
        'origin',
        'expect-ct',
        'x-request-id',
        'forwarded',
      ]);
      return { ...at(r, endpoint), headers: { [name]: text } };
    },
  };
  const names = Object.keys(families);

  return (seed: number): HostileRequest => {
    const r = random(seed);
    const family = names[seed % names.length]!;
    return { family, ...families[family]!(r) };
  };
}
