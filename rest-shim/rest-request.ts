import type { Problems } from '../schema/errors/errors.ts';
import type { Context } from '../schema/graphql/context.ts';
import type { Operation, Values } from './operation.ts';
import type { BeforeParsing } from './request-body.ts';
import type { ReceivedUpload } from './upload.ts';

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
  /** Called once a body has arrived: waits until it may be parsed. */
  beforeParsing?: BeforeParsing;
  /** How long the service may work on the request, in milliseconds. Absent where it has no limit. */
  workMs?: number;
  /** Absent where a request can't wait: `wait` is then ignored. */
  whileWaiting?: WhileWaiting;
  /** Whether the caller still has access: for responses that take long. Absent where there are none. */
  isStillAuthorized?: () => Promise<boolean>;
  /** Ends a response that has begun and can't be completed, so that its client notices. Logs an error as `report` does. */
  breakOff?: (error: unknown) => void;
  /** Why the request can't be handled, whatever it asks for. Its address and the caller's abilities are checked before. */
  refusal?: unknown;
  /** The long body of the request. Absent where a request can't have one. */
  upload?: ReceivedUpload;
}

/** Where clients reach the service. */
export interface PublicAddress {
  /** Without a slash at its end: `https://books.example`. Empty until the server listens, where the operator names none. */
  url: string;
}

/** A request whose operation and variables are known. */
export interface OperationRequest {
  operation: Operation;
  variables: Values;
  caller: RestRequestContext;
  /** `If-None-Match` of a GET. */
  ifNoneMatch: string | null;
  /** The request's URL. */
  url: string;
  /** The endpoint's path. */
  path: string;
  publicAddress: PublicAddress;
}

/** A response, to which the endpoint adds the headers that all of its responses have. */
export interface RestResponse {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer<ArrayBuffer> | ReadableStream<Uint8Array> | null;
}

/** Runs a request's operation, and makes the response. */
export type Respond = (request: OperationRequest) => Promise<RestResponse>;

/** Reads the parameters that only this kind of response has. The operation's variables among them are added to `variables`. */
export type ReadParameters = (query: URLSearchParams, variables: Values, problems: Problems) => Respond;
