import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request with a cookie may be a cross-site request forgery (CSRF). The browser's fetch metadata or origin must name
 * our own site; and a request that changes anything must be JSON or have `X-Requested-With: kontor`, which another site can't
 * send without a preflight (OWASP: fetch metadata, origin, custom header).
 */
export function mayBeCsrf(method: string, headers: IncomingHttpHeaders, publicUrl: string): boolean {
  if (!isSameOrigin(headers, publicUrl)) return true;
  if (method === 'GET' || method === 'HEAD') return false;
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase() !== 'application/json' && headers['x-requested-with'] !== 'kontor';
}

/** Old browsers, and all browsers over plain HTTP, send only `Origin`; programs send neither. */
function isSameOrigin({ 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders, publicUrl: string): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none'; // none: typed into the address bar
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false; // "null": a sandboxed frame, a file
  const from = new URL(origin);
  return from.origin === new URL(publicUrl).origin || from.host === host;
}
