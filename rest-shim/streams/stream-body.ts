import { CodedError } from '../../schema/errors/errors.ts';
import type { RestRequestContext } from '../rest-request.ts';

/** How often a caller's access is checked while a stream is sent, in milliseconds. */
const accessCheckMs = 1000;

/** Breaks off once the caller's access ends: a client that reads slowly could otherwise go on for hours. */
export async function* whileAuthorized(
  parts: AsyncIterable<Uint8Array>,
  { isStillAuthorized }: Pick<RestRequestContext, 'isStillAuthorized'>,
  everyMs = accessCheckMs,
): AsyncGenerator<Uint8Array> {
  let checked = performance.now();
  for await (const part of parts) {
    if (isStillAuthorized && performance.now() - checked >= everyMs) {
      if (!(await isStillAuthorized())) throw new CodedError('UNAUTHENTICATED', 'The access has ended.');
      checked = performance.now();
    }
    yield part;
  }
}

/**
 * A body that reads on only once the client has taken what was read.
 * @param first the first part, where it was read before the status is sent
 * @param release is called once nothing more is read
 */
export function toStream(
  parts: AsyncGenerator<Uint8Array>,
  { breakOff }: Pick<RestRequestContext, 'breakOff'>,
  { first, release = () => {} }: { first?: IteratorResult<Uint8Array, unknown>; release?: () => void } = {},
): ReadableStream<Uint8Array> {
  let begun = first;
  let isCancelled = false;
  return new ReadableStream(
    {
      pull: async (controller) => {
        const next = begun ?? (await parts.next().catch((error: unknown) => ({ error })));
        begun = undefined;
        if (isCancelled) return; // the client left meanwhile
        if (!('error' in next) && !next.done) return controller.enqueue(next.value);
        release();
        if ('error' in next) {
          if (!breakOff) throw next.error;
          breakOff(next.error);
        }
        controller.close();
      },
      cancel: async () => {
        isCancelled = true;
        release(); // nothing may have been read yet
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
