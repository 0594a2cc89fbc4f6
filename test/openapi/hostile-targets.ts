import type { Asked } from './hostile.ts';

// The forms of a request's target, and the Host header (RFC 9112, 3.2).

type Random = (max: number) => number;
type Made = Omit<Asked, 'family'>;

const pick = <T>(r: Random, of: readonly T[]): T => of[r(of.length)]!;

const origins = ['http://kontor.example', 'https://kontor.example:8443', 'HTTP://[::1]:4000', 'http://127.1'];
/** Of these, no target in absolute form can be made. */
const badOrigins = ['ftp://x', 'http://', 'http://:80', 'http://u@x', 'http://x:99999', 'http://%', 'http:/x', 'x:'];
const goodHosts = ['x', 'X.example.', 'a_b', '127.1', '[::1]:4000', 'x:80', ''];
const badHosts = ['a b', 'x:y:z', 'a/b', '[', '[::1', 'x@y', 'ü', '%', 'x:99999', '256.256.256.256', 'a,b'];

/** The same address in absolute form: answered as ever. */
export function inAbsoluteForm(r: Random, asked: Made): Made {
  return { ...asked, origin: pick(r, origins), ...(r(2) === 0 && { hosts: [pick(r, goodHosts)] }) };
}

/** A target that is no address here. */
export const withoutTarget = (r: Random, { place: _none, ...asked }: Made): Made => ({
  ...asked,
  origin: pick(r, badOrigins),
});

/** With a valid Host: answered as ever. */
export const withHost = (r: Random, asked: Made): Made => ({ ...asked, hosts: [pick(r, goodHosts)] });

/** With no Host, one that holds no host, or two. */
export function withoutHost(r: Random, { place: _none, ...asked }: Made): Made {
  const hosts = pick(r, [[], [pick(r, badHosts)], [pick(r, goodHosts), pick(r, goodHosts)]]);
  return { ...asked, hosts, isMalformed: true, ...(r(2) === 0 && { origin: pick(r, origins) }) };
}
