/**
 * Describes a failed exchange for a user who knows their receiver but not our libraries.
 * @param hasResponse whether the headers of a response had arrived
 */
export function failureMessage(error: unknown, hasResponse: boolean): string {
  const { code, name } = error as NodeJS.ErrnoException;
  if (name === 'HTTPParserError') return 'the response is not valid HTTP'; // its code is not always set
  if (code === undefined) return 'the exchange failed';
  if (hangUps.has(code)) return hangUpMessage(error, code, hasResponse);
  if (/^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code)) return messages[code] ?? 'the TLS handshake failed';
  return messages[code] ?? `the exchange failed (${code})`;
}

const messages: Record<string, string> = {
  ERR_PRIVATE_ADDRESS: 'resolves to a private address',
  ENOTFOUND: 'the name does not resolve',
  ENODATA: 'the name does not resolve',
  EAI_AGAIN: 'the name server does not answer',
  ESERVFAIL: 'the name server reports a failure',

  ECONNREFUSED: 'connection refused',
  EADDRNOTAVAIL: 'connection refused',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the host is unreachable',
  ETIMEDOUT: 'the host does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',

  CERT_HAS_EXPIRED: 'the TLS certificate has expired',
  CERT_NOT_YET_VALID: 'the TLS certificate is not valid yet',
  CERT_REVOKED: 'the TLS certificate has been revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the TLS certificate is not from a known authority',
  UNABLE_TO_GET_ISSUER_CERT: 'the TLS certificate is not from a known authority, or an intermediate one is missing',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'the TLS certificate is not from a known authority, or an intermediate one is missing',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'the TLS certificate is not from a known authority, or an intermediate one is missing',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another name',

  RESPONSE_INVALID: 'the response is not valid HTTP',
  RESPONSE_HEADERS_TOO_LONG: 'the response headers are longer than 16 KiB',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are longer than 16 KiB',
  RESPONSE_TOO_LONG: 'the response is endless: more than 128 KiB came, or 1 MiB with TLS, and no end of it',
  ERR_ASSERTION: 'the response is not valid HTTP', // undici's
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response is not as long as its Content-Length says',
};

const hangUps = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET']);

function hangUpMessage(error: unknown, code: string, hasResponse: boolean): string {
  const { message } = error as Error;
  if (message.includes('before secure TLS connection')) return 'the connection was closed during the TLS handshake';
  if (message === 'bad response' || message === 'bad upgrade') return 'the response is not one to this request';
  const how = code === 'UND_ERR_SOCKET' ? 'closed' : 'reset';
  return `the connection was ${how} ${hasResponse ? 'before the response was complete' : 'before a response came'}`;
}
