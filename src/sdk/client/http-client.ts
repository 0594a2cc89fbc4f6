import { buildError, parseBody } from './response.ts';
import { defaults } from './defaults.ts';
import { ConnectionError, KontorError, TimeoutError } from './errors.ts';
import { rememberEtag } from './etag.ts';
import { LinesBody, readChunks, readLines, type Lines } from './lines.ts';
import type { AnyOptions, KontorOptions } from './options.ts';
import { isOutcomeUnknown, longestTimer, retryDelay, sleep } from './retry.ts';
import { rememberWarnings } from './warnings.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request. `path` is relative to `/api/v1`. */
export interface Call {
  query?: object | undefined;
  body?: unknown;
  /** A body of JSON Lines instead. */
  lines?: Lines<unknown> | undefined;
  /** A body of bytes instead. */
  file?: Blob | undefined;
  options?: AnyOptions | undefined;
}

/**
 * Sends requests to one installation. A request goes through these steps:
 * 1. URL, headers, and body are made once, so that all attempts are the same and have the same `Idempotency-Key`.
 * 2. An attempt ends with the response's body, or with an error.
 * 3. If the error may pass, `retryDelay()` says how long to wait before the next attempt.
 */
export class HttpClient {
  readonly #options: KontorOptions;
  readonly #base: string;

  constructor(options: KontorOptions) {
    this.#options = options;
    this.#base = `${options.baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`;
    // In a page, the address may be relative to it. Elsewhere, a wrong one should fail now, not as a broken connection.
    if (!URL.canParse(this.#base, globalThis.location?.href))
      throw new TypeError(`baseUrl is no URL: ${options.baseUrl}`);
  }

  /**
   * @param path relative to `/api/v1`, such as `/customers`
   * @returns the response's body. Its type is what the API description promises; it isn't checked
   * @throws KontorError, or the reason of the caller's signal
   */
  async request<Body>(method: Method, path: string, call: Call = {}): Promise<Body> {
    return (await this.#send(method, path, call, readJson)) as Body;
  }

  /**
   * @param path relative to `/api/v1`, such as `/invoices/ID/pdf`
   * @returns the response's bytes, with their type
   * @throws KontorError, or the reason of the caller's signal
   */
  async download(path: string, call: Call = {}): Promise<Blob> {
    return (await this.#send('GET', path, call, readBlob)) as Blob;
  }

  /**
   * The bytes of a response, as they arrive.
   * @param path relative to `/api/v1`, such as `/exports/ID/file`
   * @throws KontorError, or the reason of the caller's signal
   */
  async *readBytes(path: string, call: Call = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const { options = {} } = call;
    const response = (await this.#send('GET', path, call, async (received) => received)) as Response;
    yield* readChunks(response, this.#limits(options).timeout, options.signal);
  }

  /**
   * The values of a response in JSON Lines. If the connection breaks, it asks again, and leaves out what it has yielded.
   * @param path relative to `/api/v1`, such as `/bulk-operations/ID/results`
   * @throws KontorError, or the reason of the caller's signal
   */
  async *readLines<Item>(path: string, call: Call = {}): AsyncGenerator<Item, void, undefined> {
    const { options = {} } = call;
    const limits = this.#limits(options);
    let yielded = 0;
    for (let attempt = 1, begin = Date.now(); ; attempt += 1) {
      try {
        const response = (await this.#send('GET', path, call, async (received) => received)) as Response;
        let at = 0;
        for await (const item of readLines(response, limits.timeout, options.signal)) {
          if (at++ < yielded) continue;
          yielded = at;
          attempt = 0;
          begin = Date.now();
          yield item as Item;
        }
        return;
      } catch (error) {
        const delay =
          error instanceof ConnectionError &&
          retryDelay({ method: 'GET', error, attempt: Math.max(attempt, 1), elapsed: Date.now() - begin }, limits);
        if (delay === false || delay === undefined) throw error;
        await sleep(delay, options.signal);
      }
    }
  }

  #limits(options: AnyOptions, isUpload = false): { timeout: number; maxRetries: number; maxRetryTime: number } {
    const { timeout, maxRetries, maxRetryTime } = this.#options;
    return {
      timeout: options.timeout ?? (isUpload ? defaults.uploadTimeout : (timeout ?? defaults.timeout)),
      maxRetries: options.maxRetries ?? maxRetries ?? defaults.maxRetries,
      maxRetryTime: options.maxRetryTime ?? maxRetryTime ?? defaults.maxRetryTime,
    };
  }

  async #send(method: Method, path: string, call: Call, read: Reader): Promise<unknown> {
    const { query, body, lines, file, options = {} } = call;
    const url = this.#base + path + formatSearch(query);
    const request = {
      method,
      // It refuses characters that no header may have. From fetch(), their error would look like that of a connection.
      headers: new Headers(this.#headers(method, call)),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(file && { body: file }),
    };
    const stream = lines && new LinesBody(lines);
    const limits = this.#limits(options, Boolean(lines ?? file));
    const begin = Date.now();
    let mayBeDone = false;
    for (let attempt = 1; ; attempt += 1) {
      // `duplex` is missing in TypeScript's types: fetch demands it for a stream.
      const whole = stream ? { ...request, body: await stream.open(), duplex: 'half' } : request;
      const outcome = await this.#attempt(url, whole, read, limits.timeout, options.signal);
      if (!(outcome instanceof KontorError)) return outcome.body;
      if (stream?.error) throw stream.error.cause;
      // An earlier attempt has deleted it, and only the response was lost.
      if (method === 'DELETE' && outcome.status === 404 && mayBeDone) return undefined;
      mayBeDone ||= isOutcomeUnknown(outcome);
      const delay = retryDelay({ method, error: outcome, attempt, elapsed: Date.now() - begin }, limits);
      if (delay === undefined) throw outcome;
      await sleep(delay, options.signal);
    }
  }

  #headers(method: Method, { body, lines, file, options = {} }: Call): Record<string, string> {
    const { headers, idempotencyKey, ifMatch } = options;
    return {
      Authorization: `Bearer ${this.#options.token}`,
      Accept: 'application/json',
      Prefer: 'handling=strict', // a parameter with a typing error would be ignored
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(lines !== undefined && { 'Content-Type': 'application/jsonl' }),
      ...(file && { 'Content-Type': 'application/octet-stream' }),
      ...(method === 'POST' && { 'Idempotency-Key': idempotencyKey ?? randomKey() }),
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
      ...headers,
    };
  }

  /** Sends a request once. @throws the reason of the caller's signal */
  async #attempt(
    url: string,
    request: RequestInit,
    read: Reader,
    timeout: number,
    signal: AbortSignal | undefined,
  ): Promise<{ body: unknown } | KontorError> {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const cancel = (): void => controller.abort();
    signal?.addEventListener('abort', cancel);
    let isLate = false;
    const end = (): void => {
      isLate = true;
      controller.abort();
    };
    const startTimer = () => setTimeout(end, Math.min(timeout, longestTimer));
    let timer = startTimer();
    const onProgress = (): void => {
      clearTimeout(timer);
      timer = startTimer();
    };
    const send = this.#options.fetch ?? fetch;
    try {
      // A redirect would turn a POST into a GET. In a browser, the token is who asks, not a session's cookie.
      const response = await send(url, {
        ...request,
        redirect: 'manual',
        credentials: 'omit',
        signal: controller.signal,
      });
      if (!response.ok) return await readError(response);
      const body = await read(response, onProgress);
      return body instanceof KontorError ? body : { body };
    } catch (cause) {
      signal?.throwIfAborted();
      return isLate
        ? new TimeoutError(`There was no answer within ${timeout} ms.`, { cause })
        : new ConnectionError('The connection failed.', { cause });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  }
}

/** Reads a response of 2xx. It may take as long as it likes, if it calls `onProgress` for each part that has arrived. */
type Reader = (response: Response, onProgress: () => void) => Promise<unknown>;

async function readBlob({ body, headers }: Response, onProgress: () => void): Promise<Blob> {
  const parts: BlobPart[] = [];
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    onProgress();
    parts.push(part.value);
  }
  return new Blob(parts, { type: headers.get('content-type') ?? '' });
}

async function readJson(response: Response): Promise<unknown> {
  const body = parseBody(await response.text());
  rememberEtag(body, response.headers.get('etag'));
  rememberWarnings(body);
  return typeof body === 'string' ? new KontorError('The answer is not JSON. Is baseUrl right?', { body }) : body;
}

async function readError(response: Response): Promise<KontorError> {
  const body = parseBody(await response.text());
  rememberEtag(body, response.headers.get('etag'));
  return buildError(response, body);
}

function formatSearch(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  // The keys of an object are in brackets: `metadata[key]=value`.
  const pairs = given.flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)
      ? Object.entries(value as object).map(([key, each]) => [`${name}[${key}]`, String(each)])
      : [[name, value instanceof Date ? value.toISOString() : String(value)]],
  );
  const search = new URLSearchParams(pairs).toString();
  return search && `?${search}`;
}

/** 128 random bits. `crypto.randomUUID()` is missing in pages without HTTPS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
