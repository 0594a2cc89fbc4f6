import { readResults } from '../../schema/resources/bulk-operation/results.ts';
import { runOperation } from '../operation.ts';
import type { ReadParameters } from '../rest-request.ts';
import { toStream, whileAuthorized } from './stream-body.ts';

/** 200 with a stream of JSON Lines: what each line of a bulk operation was answered. `failed`: only those that were refused. */
export const streamResults: ReadParameters = (query, _variables, problems) => {
  const failed = query.getAll('failed').at(-1) ?? '';
  if (!['', 'true', 'false'].includes(failed))
    problems.add('failed', 'wrong_type', 'Must be true or false.', { expected: 'boolean' });
  return async ({ operation, variables, caller }) => {
    const { context } = caller;
    const { id } = (await runOperation(operation, variables, context)) as { id: string };
    const texts = whileAuthorized(readResults(context, id, { onlyFailed: failed === 'true' }), caller, 0);
    const first = await texts.next(); // before the status is sent: there may be no memory for it
    return { status: 200, headers: { 'content-type': 'application/jsonl' }, body: toStream(texts, caller, { first }) };
  };
};
