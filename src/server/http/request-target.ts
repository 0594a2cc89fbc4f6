import type { IncomingMessage, ServerResponse } from 'node:http';
import { respondBadRequest } from './responses.ts';

/** A name or an address, and a port. RFC 3986 lets a name hold more; no DNS name does. */
const hostPattern = /^([\w.-]+|\[[\da-f:.]+\])(:\d{0,5})?$/i;
const absolutePattern = /^https?:\/\/([^/?#]*)([^#]*)/i;

/**
 * Rewrites a target in absolute form, as proxies send it, to the path and query that all other code expects. Its host
 * replaces the `Host` header (RFC 9112, 3.2.2). A target without a valid host is left as it is, and will be not found.
 */
export function toOriginForm(request: IncomingMessage): void {
  const [, authority, rest] = absolutePattern.exec(request.url ?? '') ?? [];
  const host = authority === undefined ? undefined : canonicalHost(authority);
  if (host === undefined || rest === undefined) return;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = host;
}

/**
 * Refuses a request whose head isn't valid. The `Host` header is normalized as in URLs (RFC 9112, 3.2). `Transfer-Encoding` must
 * be `chunked`: Node reads a body in any coding that ends with that word, as if that were all. A proxy may read another body,
 * and take its end for the next request. HTTP/1.0 has no codings at all (RFC 9112, 6.1). Of several `Authorization` headers
 * Node drops all but the first, where a proxy may have checked the last: together they are no token.
 * @returns whether it was refused
 */
export function checkHead(request: IncomingMessage, response: ServerResponse): boolean {
  const { rawHeaders, headers, httpVersion } = request;
  const refuse = (message: string): true => {
    respondBadRequest(response, message);
    return true;
  };
  const hosts: string[] = [];
  const authorizations: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '');
    else if (name.length === 13 && name.toLowerCase() === 'authorization')
      authorizations.push(rawHeaders[at + 1] ?? '');
  }
  if (authorizations.length > 1) headers.authorization = authorizations.join(', ');
  if (hosts.length > 1) return refuse('The request has more than one Host header.');
  const [sent] = hosts;
  if (sent === undefined && httpVersion !== '1.0') return refuse('The request has no Host header.');
  if (sent) {
    // Nearly all requests have the same host, and parsing it takes longer than comparing it.
    if (sent !== lastHost.sent) lastHost = { sent, canonical: canonicalHost(sent) };
    const host = lastHost.canonical;
    if (host === undefined) return refuse('The Host header holds no host.');
    if (headers.host === sent) headers.host = host;
  }
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return false;
  if (httpVersion === '1.0') return refuse('HTTP/1.0 has no Transfer-Encoding.');
  return !/^chunked$/i.test(coding) && refuse('The only Transfer-Encoding is chunked.');
}

let lastHost: { sent: string; canonical: string | undefined } = { sent: '', canonical: undefined };

function canonicalHost(text: string): string | undefined {
  if (!hostPattern.test(text) || !URL.canParse(`http://${text}`)) return undefined;
  return new URL(`http://${text}`).host;
}
