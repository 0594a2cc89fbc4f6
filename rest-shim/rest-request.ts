import type { Problems } from '../schema/errors.ts';
import type { Context } from '../schema/graphql/context.ts';
import type { Operation } from './operation.ts';
import type { BeforeParsing } from './request-body.ts';

/**
 * Runs work that may wait for up to `ms` milliseconds, although requests may not take that long. The work ends soon after its
 * signal, which says that the time is over or that nobody may have the answer any more. It calls `checkAccess` once this
 * process hears of changes.
 */
export type WhileWaiting = <Result>(
  ms: number,
  work: (ended: AbortSignal, checkAccess: () => void) => Promise<Result>,
) => Promise<Result>;

/** An admitted request's surroundings, from the server. */
export interface RestRequestContext {
  context: Context;
  requestId: string;
  /** Logs an error that isn't a CodedError: a fault of the service, or why it can't answer at the moment. */
  report: (error: unknown) => void;
  /** Waits until a body of this length may be parsed. */
  beforeParsing?: BeforeParsing;
  /** Absent where a request can't wait: `wait` is then ignored. */
  whileWaiting?: WhileWaiting;
}

/** A request whose operation and variables are known. */
export interface OperationRequest extends Pick<RestRequestContext, 'context' | 'whileWaiting'> {
  operation: Operation;
  /** Runs the operation with the request's variables, and with these. */
  run: (more?: object) => Promise<unknown>;
  /** `If-None-Match` of a GET. */
  ifNoneMatch: string | null;
  /** An address of this service, absolute; the request's own unless another is given. */
  url: (to?: string) => URL;
  /** The collection's path. */
  at: string;
}

/** Runs a request's operation, and makes the response. */
export type Respond = (request: OperationRequest) => Promise<Response>;

/** Reads the parameters that only this kind of response has. The operation's variables among them are added to `variables`. */
export type ReadParameters = (
  query: URLSearchParams,
  variables: Record<string, unknown>,
  problems: Problems,
) => Respond;
