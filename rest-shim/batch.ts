import { setImmediate as nextTick } from 'node:timers/promises';
import type { IRequestStrict } from 'itty-router';
import {
  AnswerTooLargeError,
  asCoded,
  CodedError,
  ForbiddenError,
  NotFoundError,
  Problems,
  refuse,
  TryLaterError,
  ValidationError,
  VersionConflictError,
} from '../schema/errors/errors.ts';
import type { Context } from '../schema/graphql/context.ts';
import { isBusy } from '../schema/rows/run-units.ts';
import { runItem, within, type DoneItem, type ItemEndpoint } from './batch-item.ts';
import { deprecationHeaders } from './deprecation.ts';
import { findOperation, isStrict, refuseUnknown } from './endpoint.ts';
import type { CompiledSchema, EndpointOptions, Handler } from './endpoint.ts';
import type { Values } from './operation.ts';
import { readBody } from './request-body.ts';
import type { RestRequestContext } from './rest-request.ts';
import type { Route } from './routes.ts';

/** The most items of one batch. */
export const maxBatch = 100;

/** The share of a request's time in which items are begun. The rest is for the last one, and for the commit. */
const shareOfTime = 2 / 3;

export interface BatchOptions extends EndpointOptions {
  toErrorResponse: (error: unknown, request: unknown, caller: RestRequestContext) => Response;
}

/** A batch on its way. */
interface Batch {
  items: readonly unknown[];
  run: (item: unknown, caller: RestRequestContext) => Promise<DoneItem>;
  /** An item's refusal as JSON text: what the single request would be answered, without a resource. */
  describe: (error: unknown) => Promise<string>;
  caller: RestRequestContext;
  /** Whether there is time to begin another item. */
  hasTime: () => boolean;
}

interface Results {
  /** As JSON texts. */
  results: string[];
  /** The variables of the items that were done. */
  done: Values[];
}

/**
 * Handles a row of the routes that takes many bodies of a single request (CONTRACT.md#batches). Each runs as the single request
 * does; what differs is what follows from being one request: one check of the ability, one answer, one `Idempotency-Key`.
 */
export function batchEndpoint(
  [method, path, name]: Route,
  { operations }: Pick<CompiledSchema, 'operations'>,
  { base, publicAddress, lookupOperation, toErrorResponse }: BatchOptions,
): Handler {
  const operation = findOperation(operations, name);
  const lookup = method === 'PATCH' ? findOperation(operations, lookupOperation ?? '') : undefined;
  const deprecations = deprecationHeaders(operation);
  const endpoint: ItemEndpoint = { operation, lookup, path: base + path.replace(/\/batch$/, ''), publicAddress };

  return async (request, caller) => {
    const { context, workMs = Infinity } = caller;
    if (operation.ability && !context.may(operation.ability)) throw new ForbiddenError(operation.ability);
    if (caller.refusal !== undefined) throw caller.refusal;
    const { items, isAtomic } = await readBatch(request, caller);
    const until = performance.now() + shareOfTime * workMs;
    const batch: Batch = {
      items,
      run: (item, as) => runItem(item, endpoint, request, as),
      describe: (error) => describeRefusal(toErrorResponse(error, request, caller)),
      caller,
      hasTime: () => performance.now() < until,
    };
    const outcome = isAtomic ? await runTogether(batch) : await runEach(batch);
    const results = `"results":[${outcome.results.join(',')}]`;
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (deprecations) Object.assign(headers, deprecations(toColumns(outcome.done)));
    if (isStrict(request)) headers['Preference-Applied'] = 'handling=strict';
    if (!('refusal' in outcome)) return new Response(`{${results}}`, { status: 200, headers });
    const refusal = toErrorResponse(outcome.refusal, request, caller);
    const head = await refusal.text();
    return new Response(`${head.slice(0, -1)},${results}}`, { status: refusal.status, headers });
  };
}

/** @throws ValidationError, TransportError */
async function readBatch(
  request: IRequestStrict,
  { beforeParsing }: RestRequestContext,
): Promise<{ items: unknown[]; isAtomic: boolean }> {
  const problems = new Problems();
  if (isStrict(request)) refuseUnknown(new URL(request.url).searchParams, new Set(), problems);
  const body = await readBody(request, problems, { beforeParsing });
  const { items, atomic = false, ...unknown }: Values = { ...body };
  if (body) {
    for (const name of Object.keys(unknown)) problems.add(name, 'unknown_field', 'This field is not known here.');
    if (typeof atomic !== 'boolean')
      problems.add('atomic', 'wrong_type', 'Must be true or false.', { expected: 'boolean' });
    if (items == null) problems.add('items', 'required', 'Required.');
    else if (!Array.isArray(items)) problems.add('items', 'wrong_type', 'Must be a list.', { expected: 'list' });
    else if (items.length < 1 || items.length > maxBatch)
      problems.add('items', 'wrong_count', `Must have 1 to ${maxBatch} items.`, { min: 1, max: maxBatch });
  }
  problems.throwIfAny();
  return { items: Array.isArray(items) ? items : [], isAtomic: atomic === true };
}

/**
 * Runs the items one after the other, each as a transaction of its own. When none can be begun any more, the others are not, and
 * their results say so: they can be sent again.
 * @throws what the first item can't be begun by, or finds the service busy by: then nothing is written
 */
async function runEach({ items, run, describe, caller, hasTime }: Batch): Promise<Results> {
  const { responseSize } = caller.context;
  responseSize?.restart();
  responseSize?.limit({ reads: false });
  const [results, done]: [string[], Values[]] = [[], []];
  let reason: string | undefined;
  let length = 0;
  for (const item of items) {
    await nextTick(); // other requests run in between, also where no item waits for the database
    if (reason === undefined && !hasTime()) {
      if (results.length === 0) throw new TryLaterError();
      reason = 'the time of the request was over';
    }
    if (reason !== undefined) {
      results.push(JSON.stringify({ status: 503, message: `Not begun, because ${reason}. Send it again.` }));
      continue;
    }
    let result: string;
    try {
      const { result: written, variables } = await run(item, caller);
      result = written;
      done.push(variables);
    } catch (error) {
      const passes = isBusy(error);
      if (passes && results.length === 0) throw error;
      result = await describe(error);
      if (passes) reason = 'the service could not do an item before it';
    }
    results.push(result);
    length += Buffer.byteLength(result);
    try {
      responseSize?.complete(length);
    } catch {
      reason ??= 'the answer is long already';
    }
  }
  return { results, done };
}

/**
 * Runs the items in one transaction. If one is refused, nothing is written; the others are tried nevertheless, so that all
 * that is wrong is answered at once.
 * @throws what is no item's fault: a fault of the service, contention after its retries, a lack of time
 */
async function runTogether({
  items,
  run,
  describe,
  caller,
  hasTime,
}: Batch): Promise<Results & { refusal?: ValidationError }> {
  const { context } = caller;
  const rollback = new Error('An item was refused');
  let outcome: Results = { results: [], done: [] };
  let refused = new Map<number, string>();
  let problems = new Problems();
  const work = async (inside: Context): Promise<void> => {
    [outcome, refused, problems] = [{ results: [], done: [] }, new Map(), new Problems()]; // without those of an earlier try
    context.responseSize?.restart();
    context.responseSize?.limit({ reads: false });
    let length = 0;
    for (const [at, item] of items.entries()) {
      await nextTick();
      if (!hasTime() && refused.size === 0) throw new TryLaterError();
      if (!hasTime()) break;
      let result: string;
      try {
        const { result: written, variables } = await run(item, { ...caller, context: within(context, inside) });
        result = written;
        outcome.done.push(variables);
        outcome.results.push(written);
      } catch (error) {
        const coded = asCoded(error);
        if (!coded || isBusy(coded)) throw error;
        addProblems(problems, at, coded);
        refused.set(at, (result = await describe(coded)));
      }
      length += Buffer.byteLength(result);
      context.responseSize?.complete(length);
    }
    if (refused.size > 0) throw rollback;
  };
  try {
    // Savepoints, because an item explains by further statements why the database has refused one.
    await context.transaction(work, { savepoints: true });
    return outcome;
  } catch (error) {
    if (error instanceof AnswerTooLargeError) refuse('items', 'answer_too_large', error.message);
    if (error !== rollback) throw error;
    const results = items.map((_item, at) => refused.get(at) ?? undone);
    return { results, done: outcome.done, refusal: new ValidationError(problems.byField) };
  }
}

/** 424: Failed Dependency. */
const undone = JSON.stringify({ status: 424, message: 'Not written, because another item was refused.' });

/** Adds an item's errors under the names that the batch has for its fields. */
function addProblems(problems: Problems, at: number, error: CodedError): void {
  if (error instanceof ValidationError) {
    for (const [path, ofField] of Object.entries(error.problems))
      for (const problem of ofField) problems.add(path === 'body' ? `items.${at}` : `items.${at}.${path}`, ...problem);
  } else if (error instanceof NotFoundError) problems.add(`items.${at}.id`, 'not_found', error.message);
  else if (error instanceof VersionConflictError)
    problems.add(`items.${at}.if_match`, 'changed_meanwhile', 'This was changed meanwhile.');
  else problems.add(`items.${at}`, 'forbidden', error.message);
}

/** An error's answer as the result of an item. The request's id stands in the header. */
export async function describeRefusal(response: Response): Promise<string> {
  const body: unknown = await response.json();
  const fields = Object.entries({ ...(body as object) }).filter(([name]) => name !== 'request_id');
  return JSON.stringify({ status: response.status, ...Object.fromEntries(fields) });
}

/** The items' variables, each as the list of its values. */
const toColumns = (done: readonly Values[]): Values => ({ input: done.map(({ input }) => input) });
