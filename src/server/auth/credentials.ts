import type { IncomingMessage } from 'node:http';
import { sessionToken } from './cookie.ts';
import { mayBeCsrf } from './csrf.ts';
import type { Credentials } from './request-admission.ts';

/** The token in the header; else the session's cookie, with the requested tenant. */
export function readCredentials({ method = '', headers }: IncomingMessage, publicUrl: string): Credentials {
  const authorization = headers.authorization ?? null;
  const token = sessionToken(headers.cookie, publicUrl);
  if (authorization !== null || token === undefined) return { authorization };
  const tenantId = headers['x-tenant'];
  return {
    authorization,
    session: {
      token,
      tenantId: typeof tenantId === 'string' ? tenantId : null,
      mayBeCsrf: mayBeCsrf(method, headers, publicUrl),
    },
  };
}
