import { CodedError } from '../../schema/errors.ts';
import type { RestRequestContext } from '../rest-request.ts';

/** Breaks off once the caller's access ends: a client that reads slowly could otherwise go on for hours. */
export async function* whileAuthorized(
  texts: AsyncGenerator<Uint8Array>,
  { isStillAuthorized }: Pick<RestRequestContext, 'isStillAuthorized'>,
): AsyncGenerator<Uint8Array> {
  for await (const text of texts) {
    if (isStillAuthorized && !(await isStillAuthorized()))
      throw new CodedError('UNAUTHENTICATED', 'The access has ended.');
    yield text;
  }
}

/** Reads on only once the client has taken what was read. */
export function toStream(
  first: IteratorResult<Uint8Array, unknown>,
  texts: AsyncGenerator<Uint8Array>,
  { breakOff }: Pick<RestRequestContext, 'breakOff'>,
): ReadableStream<Uint8Array> {
  let begun: typeof first | undefined = first;
  let isCancelled = false;
  return new ReadableStream(
    {
      pull: async (controller) => {
        const next = begun ?? (await texts.next().catch((error: unknown) => ({ error })));
        begun = undefined;
        if (isCancelled) return; // the client left meanwhile
        if (!('error' in next) && !next.done) return controller.enqueue(next.value);
        if ('error' in next) {
          if (!breakOff) throw next.error;
          breakOff(next.error);
        }
        controller.close();
      },
      cancel: async () => {
        isCancelled = true;
        await texts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
