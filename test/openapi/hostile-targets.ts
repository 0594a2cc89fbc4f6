import type { HostileRequest } from './hostile.ts';

// The forms of a request's target, and the Host header (RFC 9112, 3.2).

type Random = (max: number) => number;
type RequestParts = Omit<HostileRequest, 'family'>;

const pick = <T>(r: Random, of: readonly T[]): T => of[r(of.length)]!;

const origins = ['http://kontor.example', 'https://kontor.example:8443', 'HTTP://[::1]:4000', 'http://127.1'];
/** Origins that make a target in absolute form invalid. */
const badOrigins = ['ftp://x', 'http://', 'http://:80', 'http://u@x', 'http://x:99999', 'http://%', 'http:/x', 'x:'];
const goodHosts = ['x', 'X.example.', 'a_b', '127.1', '[::1]:4000', 'x:80', ''];
const badHosts = ['a b', 'x:y:z', 'a/b', '[', '[::1', 'x@y', 'ü', '%', 'x:99999', '256.256.256.256', 'a,b'];

/** The same target in absolute form. It is answered like the original. */
export function inAbsoluteForm(r: Random, request: RequestParts): RequestParts {
  return { ...request, origin: pick(r, origins), ...(r(2) === 0 && { hosts: [pick(r, goodHosts)] }) };
}

/** The request with an invalid target. */
export const withoutTarget = (r: Random, { endpoint: _none, ...request }: RequestParts): RequestParts => ({
  ...request,
  origin: pick(r, badOrigins),
});

/** The request with another valid Host. It is answered like the original. */
export const withHost = (r: Random, request: RequestParts): RequestParts => ({
  ...request,
  hosts: [pick(r, goodHosts)],
});

/** The request with no Host, an invalid one, or two. */
export function withoutHost(r: Random, { endpoint: _none, ...request }: RequestParts): RequestParts {
  const hosts = pick(r, [[], [pick(r, badHosts)], [pick(r, goodHosts), pick(r, goodHosts)]]);
  return { ...request, hosts, isMalformed: true, ...(r(2) === 0 && { origin: pick(r, origins) }) };
}
