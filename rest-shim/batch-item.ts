import type { IRequestStrict } from 'itty-router';
import { NotFoundError, Problems } from '../schema/errors/errors.ts';
import type { Context } from '../schema/graphql/context.ts';
import { tracer } from '../schema/graphql/execution/tracing.ts';
import { isUuid } from '../schema/graphql/scalars/scalars.ts';
import { rethrowInRestNames, throwAllErrors, throwIfMissing } from './endpoint.ts';
import { parseExpectedVersion } from './entity-tag.ts';
import { JsonNumber } from './exact-json.ts';
import type { Operation, Values } from './operation.ts';
import { asJsonObject } from './request-body.ts';
import { respondCreated, respondItem } from './resource-response.ts';
import type { PublicAddress, RestRequestContext } from './rest-request.ts';

/** The data that all items of a batch share. */
export interface ItemEndpoint {
  operation: Operation;
  /** The operation that GET runs for a resource that an item names by its id. Undefined if items are created. */
  lookup: Operation | undefined;
  /** The path of the single request, without an id. */
  path: string;
  publicAddress: PublicAddress;
}

/** One item of a batch, done: its result as JSON text, and the variables that it had. */
export interface DoneItem {
  result: string;
  variables: Values;
}

/**
 * Runs one item as the single request with this body: the same checks in the same order, the same operation, the same answer.
 * It is a transaction of its own; within a transaction it is a savepoint, which can fail alone.
 * @throws what the single request would be refused with
 */
export async function runItem(
  item: unknown,
  { operation, lookup, path, publicAddress }: ItemEndpoint,
  request: IRequestStrict,
  caller: RestRequestContext,
): Promise<DoneItem> {
  const id = lookup ? readId(item) : undefined;
  if (typeof id === 'string' && !isUuid(id)) throw new NotFoundError();

  const run = async (context: Context): Promise<DoneItem> => {
    const variables: Values = lookup ? { id } : {};
    const problems = new Problems();
    const body = asJsonObject(item, problems);
    if (!body) problems.throwIfAny();
    else {
      const own = lookup ? readIfMatch({ ...body }, variables, problems) : body;
      Object.assign(variables, operation.decodeBody(own, problems));
    }
    if (problems.any) await throwAllErrors(operation, variables, context, problems);
    const respond = lookup ? respondItem : respondCreated;
    const asked = { operation, variables, caller: { ...caller, context }, ifNoneMatch: null };
    const answering = () => respond({ ...asked, url: request.url, path, publicAddress });
    const { status, body: answer } = await tracer.step(operation.name, answering).catch(rethrowInRestNames);
    return { result: `{"status":${status},${String(answer).slice(1)}`, variables };
  };

  try {
    return await caller.context.transaction((inside) => run(within(caller.context, inside)), { savepoints: true });
  } catch (error) {
    if (lookup && typeof id === 'string') await throwIfMissing(lookup, id, caller.context, error);
    throw error;
  }
}

/** Reads what the single request has as its header If-Match. @returns the body without it */
function readIfMatch({ if_match: ifMatch, ...body }: Values, variables: Values, problems: Problems): Values {
  if (typeof ifMatch === 'string') variables['expectedVersion'] = parseExpectedVersion(ifMatch);
  else if (ifMatch !== undefined) problems.add('if_match', 'wrong_type', 'Must be text.', { expected: 'string' });
  return body;
}

/** @returns anything but text for an item that names no id, which the operation then reports */
export function readId(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || !('id' in item)) return undefined;
  return item.id instanceof JsonNumber ? Number(item.id.source) : item.id;
}

/**
 * A request's context in its transaction. The response's size is counted by the batch: within an item, a response that grows too
 * long would refuse what is written already.
 */
export const within = (context: Context, { db, transaction, insert }: Context): Context => ({
  ...context,
  db,
  transaction,
  insert,
  responseSize: undefined,
});
