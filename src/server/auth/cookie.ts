import { parseCookie, stringifySetCookie } from 'cookie';
import { lifetimeMs } from '../../identity/index.ts';

/** With the prefix `__Host-`, neither another host nor an attacker on plain HTTP can set the cookie (RFC 6265bis). */
const nameAt = (publicUrl: string): string => (isSecure(publicUrl) ? '__Host-kontor' : 'kontor');

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:');

/** The session token in a `Cookie` header, if there is one. */
export function sessionToken(header: string | null | undefined, publicUrl: string): string | undefined {
  return parseCookie(header ?? '')[nameAt(publicUrl)] || undefined;
}

/**
 * `Set-Cookie` for a session's token; null removes the cookie. Scripts can't read it. Browsers don't send it with requests
 * from other sites: pages load without a session, and only requests of our own pages need it.
 */
export function sessionCookie(token: string | null, publicUrl: string): string {
  return stringifySetCookie({
    name: nameAt(publicUrl),
    value: token ?? '',
    path: '/',
    maxAge: token === null ? 0 : lifetimeMs / 1000,
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure(publicUrl),
  });
}
