import type { ProblemDetail } from './generated/types.ts';

/** The known details of a failed request. */
interface Failure {
  status?: number;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  body?: unknown;
  cause?: unknown;
}

/** The base class of all errors of this package. A cancelled request throws the reason of its AbortSignal instead. */
export class KontorError extends Error {
  override readonly name: string = 'KontorError';
  /** The HTTP status. Undefined if there was no response. */
  readonly status: number | undefined;
  /** Finds the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds after which to try again, if the response said so. */
  readonly retryAfter: number | undefined;
  /** The response's body: parsed if it is JSON, else its text. */
  readonly body: unknown;

  constructor(message: string, { status, requestId, retryAfter, body, cause }: Failure = {}) {
    super(message, { cause });
    this.status = status;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.body = body;
  }
}

/** 401: the token is missing, unknown, expired, or revoked. */
export class AuthenticationError extends KontorError {
  override readonly name = 'AuthenticationError';
}

/** 403: the token has no tenant, or lacks the ability that the request needs. */
export class ForbiddenError extends KontorError {
  override readonly name = 'ForbiddenError';
}

/** 404: nothing has this id, or it is another tenant's. */
export class NotFoundError extends KontorError {
  override readonly name = 'NotFoundError';
}

/** 410: the cursor of a change is too old, or from before a backup was restored. Read the changes from the beginning. */
export class CursorExpiredError extends KontorError {
  override readonly name = 'CursorExpiredError';
}

/** 412: the resource has changed since the version that `ifMatch` names. Nothing was written. */
export class PreconditionFailedError extends KontorError {
  override readonly name = 'PreconditionFailedError';
  /** The resource as it is now. `etagOf()` has its version. */
  readonly current: unknown;

  constructor(message: string, failure: Failure = {}) {
    super(message, failure);
    this.current = isRecord(failure.body) ? failure.body['data'] : undefined;
  }
}

/** 422: fields are not valid, or the resource's state forbids the request. */
export class ValidationError extends KontorError {
  override readonly name = 'ValidationError';
  /** All errors by field, with the names of the request: `{ 'items.0.quantity': ['Must not be zero.'] }`. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** The same for programs: each message of `errors`, with its `code` and `params`. */
  readonly details: readonly ProblemDetail[];

  constructor(message: string, failure: Failure = {}) {
    super(message, failure);
    const { body } = failure;
    this.errors = isRecord(body) && isRecord(body['errors']) ? textLists(body['errors']) : {};
    this.details = isRecord(body) && Array.isArray(body['details']) ? body['details'].filter(isDetail) : [];
  }
}

/** 429: too many requests. `retryAfter` says how long to wait. Thrown only if that is longer than `maxRetryTime` allows. */
export class RateLimitError extends KontorError {
  override readonly name = 'RateLimitError';
}

/** 5xx: an error of the service, or of a proxy before it. */
export class ServerError extends KontorError {
  override readonly name = 'ServerError';
}

/** There was no response: the connection failed or broke off. Whether the request was executed is unknown. */
export class ConnectionError extends KontorError {
  override readonly name: string = 'ConnectionError';
}

/** There was no response within `timeout`. Whether the request was executed is unknown. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** A webhook delivery is not genuine, or too old. Respond with 401, and do nothing else. */
export class WebhookVerificationError extends KontorError {
  override readonly name = 'WebhookVerificationError';
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isDetail = (value: unknown): value is ProblemDetail =>
  isRecord(value) &&
  [value['field'], value['code'], value['message']].every((text) => typeof text === 'string') &&
  isRecord(value['params']);

const textLists = (errors: Record<string, unknown>): Record<string, readonly string[]> =>
  Object.fromEntries(Object.entries(errors).map(([field, texts]) => [field, [texts].flat().map(String)]));
