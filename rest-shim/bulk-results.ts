import { readResults } from '../schema/resources/bulk-operation/results.ts';
import { runOperation } from './operation.ts';
import type { ReadParameters } from './rest-request.ts';

/** 200 with a stream of JSON Lines: what each line of a bulk operation was answered. `failed`: only those that were refused. */
export const streamResults: ReadParameters = (query, _variables, problems) => {
  const failed = query.getAll('failed').at(-1) ?? '';
  if (!['', 'true', 'false'].includes(failed))
    problems.add('failed', 'wrong_type', 'Must be true or false.', { expected: 'boolean' });
  return async ({ operation, variables, caller: { context } }) => {
    const { id } = (await runOperation(operation, variables, context)) as { id: string };
    const texts = readResults(context, id, { onlyFailed: failed === 'true' });
    return { status: 200, headers: { 'content-type': 'application/jsonl' }, body: toStream(texts) };
  };
};

/** Reads on only once the client has taken what was read. */
function toStream(texts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull: async (controller) => {
        const next = await texts.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: async () => void (await texts.return(undefined)),
    },
    { highWaterMark: 0 },
  );
}
