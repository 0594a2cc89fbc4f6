import { ConnectionError, TimeoutError } from './errors.ts';
import { sleep } from './retry.ts';

/**
 * Values that are sent as JSON Lines. A function is called for each attempt, so that nothing has to be kept. What an iterable
 * yields that can be read only once is kept until the service has it.
 */
export type Lines<Item> = Iterable<Item> | AsyncIterable<Item> | (() => Iterable<Item> | AsyncIterable<Item>);

/** Characters that are sent at once. */
const chunkLength = 65_536;

async function* encode(items: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let chunk = '';
  for await (const item of items) {
    chunk += `${JSON.stringify(item)}\n`;
    if (chunk.length < chunkLength) continue;
    yield encoder.encode(chunk);
    chunk = '';
  }
  if (chunk !== '') yield encoder.encode(chunk);
}

/** In a page, or in a worker of one. */
const isBrowser = 'document' in globalThis || 'WorkerGlobalScope' in globalThis;

/** A body that can be sent several times. */
export class LinesBody {
  /** Why the caller's values ended too early, in the attempt under way. */
  error: { cause: unknown } | undefined;
  readonly #items: Lines<unknown>;
  /** For values that can be read only once: what was read of them. */
  readonly #kept: Uint8Array[] = [];
  #once: AsyncGenerator<Uint8Array, void, undefined> | undefined;
  #reading: Promise<void> | undefined;
  #isComplete = false;
  /** Why they can't be read any further. Then no attempt may look like one with all values. */
  #failure: { cause: unknown } | undefined;
  #attempt = 0;

  constructor(items: Lines<unknown>) {
    this.#items = items;
  }

  /**
   * Begins an attempt. Browsers stream no body in HTTP/1.1, and some none at all: there it is one piece.
   * @throws the error of values that can be read only once, if they ended since the last attempt
   */
  async open(): Promise<ReadableStream<Uint8Array> | Blob> {
    if (this.#failure) throw this.#failure.cause;
    this.error = undefined;
    this.#attempt += 1;
    const chunks = this.#read(this.#attempt);
    if (!isBrowser) return toStream(chunks);
    const parts: BlobPart[] = [];
    for await (const chunk of chunks) parts.push(chunk as BlobPart);
    return new Blob(parts);
  }

  async *#read(attempt: number): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      const items = this.#items;
      if (typeof items === 'function') yield* encode(items());
      else if (Array.isArray(items)) yield* encode(items);
      else yield* this.#readOnce(items);
    } catch (cause) {
      if (attempt === this.#attempt) this.error = { cause };
      throw cause;
    }
  }

  /** An attempt that was given up may still wait for a value, which belongs to the next attempt as well. */
  async *#readOnce(items: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void, undefined> {
    const once = (this.#once ??= encode(items));
    for (let at = 0; ; at += 1) {
      while (at >= this.#kept.length && !this.#isComplete) {
        if (this.#failure) throw this.#failure.cause;
        await (this.#reading ??= this.#keepNext(once));
      }
      const chunk = this.#kept[at];
      if (!chunk) return;
      yield chunk;
    }
  }

  async #keepNext(once: AsyncGenerator<Uint8Array, void, undefined>): Promise<void> {
    try {
      const { done, value } = await once.next();
      if (done) this.#isComplete = true;
      else this.#kept.push(value);
    } catch (cause) {
      this.#failure = { cause };
      throw cause;
    } finally {
      this.#reading = undefined;
    }
  }
}

/** Reads ahead no further than a chunk. */
function toStream(chunks: AsyncGenerator<Uint8Array, void, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return();
      },
    },
    { highWaterMark: 1 },
  );
}

/**
 * The values of a response in JSON Lines, as they arrive.
 * @param timeout milliseconds that the next part may take
 * @throws ConnectionError if the response breaks off, or the reason of the caller's signal
 */
export async function* readLines(
  response: Response,
  timeout: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of readChunks(response, timeout, signal)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line);
  }
  if (rest !== '') throw new ConnectionError('The response broke off.');
}

/**
 * The bytes of a response, as they arrive.
 * @param timeout milliseconds that the next part may take
 * @throws ConnectionError if the response breaks off, or the reason of the caller's signal
 */
export async function* readChunks(
  { body }: Response,
  timeout: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await within(timeout, signal, reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    // It may have ended with an error, which is known already.
    await reader.cancel().catch(() => undefined);
  }
}

async function within<Result>(
  timeout: number,
  signal: AbortSignal | undefined,
  work: Promise<Result>,
): Promise<Result> {
  const done = new AbortController();
  const cancel = (): void => done.abort(signal?.reason);
  signal?.addEventListener('abort', cancel);
  const late = sleep(timeout, done.signal).then(() => {
    throw new TimeoutError(`There was no answer within ${timeout} ms.`);
  });
  try {
    signal?.throwIfAborted();
    return await Promise.race([work, late]);
  } catch (cause) {
    signal?.throwIfAborted();
    throw cause instanceof TimeoutError ? cause : new ConnectionError('The connection failed.', { cause });
  } finally {
    signal?.removeEventListener('abort', cancel);
    late.catch(() => undefined);
    done.abort();
  }
}
