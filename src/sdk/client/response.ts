import {
  AuthenticationError,
  CursorExpiredError,
  ForbiddenError,
  KontorError,
  NotFoundError,
  PreconditionFailedError,
  RateLimitError,
  ServerError,
  ValidationError,
} from './errors.ts';

const byStatus: Record<number, typeof KontorError> = {
  401: AuthenticationError,
  403: ForbiddenError,
  404: NotFoundError,
  410: CursorExpiredError,
  412: PreconditionFailedError,
  422: ValidationError,
  429: RateLimitError,
};

/** The error for a response, by its status. */
export function buildError({ status, statusText, headers }: Response, body: unknown): KontorError {
  const ErrorClass = byStatus[status] ?? (status >= 500 ? ServerError : KontorError);
  return new ErrorClass(getMessage(body) ?? `The service answered ${status} ${statusText}.`, {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: readRetryAfter(headers),
    body,
  });
}

/**
 * A Retry-After header in seconds: it has a number of them, or, from some proxies, a time by their clock. The answer's own time
 * is by the same clock, which this one may differ from.
 */
function readRetryAfter(headers: Headers): number | undefined {
  const retryAfter = headers.get('retry-after');
  if (retryAfter === null) return undefined;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const answeredAt = Date.parse(headers.get('date') ?? '');
  const seconds = (Date.parse(retryAfter) - (Number.isNaN(answeredAt) ? Date.now() : answeredAt)) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function getMessage(body: unknown): string | undefined {
  const isError = typeof body === 'object' && body !== null && 'message' in body;
  return isError && typeof body.message === 'string' ? body.message : undefined;
}

/** JSON, or the text itself: a proxy's error page, say. Decimals have at most 15 digits, which a number holds exactly. */
export function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
