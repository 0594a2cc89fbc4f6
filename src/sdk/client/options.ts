import type { RetryOptions } from './retry.ts';

export interface KontorOptions extends RetryOptions {
  /** The address of the installation, such as `https://kontor.example`, with or without `/api/v1`. */
  baseUrl: string;
  /** An API token, from Settings, API tokens. */
  token: string;
  /** Milliseconds until an attempt without a response fails. Default: 30,000. */
  timeout?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** The options of any request. They go before those of `new Kontor()`. */
export interface RequestOptions extends RetryOptions {
  /** Cancels the request and its retries. The request then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds until an attempt without a response fails. */
  timeout?: number | undefined;
  /** Further headers. */
  headers?: Record<string, string> | undefined;
}

/** The options of a POST. */
export interface PostOptions extends RequestOptions {
  /**
   * The service executes requests with the same key once. Use a key of your own, such as an order's number, if your
   * program might send the request again after a restart. Default: a random key for each call.
   */
  idempotencyKey?: string | undefined;
}

/** The options of a request that changes a resource. */
export interface ConditionalOptions extends RequestOptions {
  /** The version that may be changed, from `etagOf()`. If there is a newer one, nothing is written. @throws PreconditionFailedError */
  ifMatch?: string | undefined;
}

export type AnyOptions = PostOptions & ConditionalOptions;
