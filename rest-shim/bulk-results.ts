import { readResults } from '../schema/resources/bulk-operation/results.ts';
import { CodedError } from '../schema/errors.ts';
import { runOperation } from './operation.ts';
import type { ReadParameters, RestRequestContext } from './rest-request.ts';

/** 200 with a stream of JSON Lines: what each line of a bulk operation was answered. `failed`: only those that were refused. */
export const streamResults: ReadParameters = (query, _variables, problems) => {
  const failed = query.getAll('failed').at(-1) ?? '';
  if (!['', 'true', 'false'].includes(failed))
    problems.add('failed', 'wrong_type', 'Must be true or false.', { expected: 'boolean' });
  return async ({ operation, variables, caller }) => {
    const { context } = caller;
    const { id } = (await runOperation(operation, variables, context)) as { id: string };
    const texts = whileAuthorized(readResults(context, id, { onlyFailed: failed === 'true' }), caller);
    const first = await texts.next(); // before the status is sent: there may be no memory for it
    return { status: 200, headers: { 'content-type': 'application/jsonl' }, body: toStream(first, texts, caller) };
  };
};

/** Breaks off once the caller's access ends: a client that reads slowly could otherwise go on for hours. */
async function* whileAuthorized(
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
function toStream(
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
