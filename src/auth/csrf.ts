import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request that brings a cookie along may have been made by another site's page. What the browser says of
 * where it comes from must name ourselves; and what changes anything must be JSON or carry `X-Requested-With: kontor`,
 * neither of which another site can send without asking (OWASP: fetch metadata, origin, custom header).
 */
export function mayBeCsrf(method: string, headers: IncomingHttpHeaders, publicUrl: string): boolean {
  if (!isSameOrigin(headers, publicUrl)) return true;
  if (method === 'GET' || method === 'HEAD') return false;
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase() !== 'application/json' && headers['x-requested-with'] !== 'kontor';
}

/** Old browsers, and all over plain HTTP, say no more than `Origin`; programs say nothing. */
function isSameOrigin({ 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders, publicUrl: string): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none'; // none: typed into the address bar
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false; // "null": a sandboxed frame, a file
  const from = new URL(origin);
  return from.origin === new URL(publicUrl).origin || from.host === host;
}
