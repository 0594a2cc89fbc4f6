import { createPayloadRenderer, type RenderPayload } from '../schema/events/events.ts';
import type { Context } from '../schema/graphql/context.ts';
import { resources } from '../schema/resource-list.ts';
import { AnswerTooLargeError, NotFoundError } from '../schema/errors/errors.ts';
import { watchChanges, type Change, type ChangePage } from '../schema/changes/feed.ts';
import { resourceName, type ResourceName } from '../schema/graphql/resource-name.ts';
import type { ResponseSize } from '../schema/graphql/execution/response-size.ts';
import { startExecution, type Selection } from '../schema/graphql/execution/compile-selection.ts';
import { readWholeNumber } from './list-envelope.ts';
import { runOperation } from './operation.ts';
import type { OperationRequest, ReadParameters } from './rest-request.ts';

/** The longest time that a request may wait for a change, in seconds. */
export const longestWait = 30;

/** A page of the change feed. `wait`: how long to wait for a change if there is none, in seconds. */
export const readChangeFeed: ReadParameters = (query, _variables, problems) => {
  const wait = readWholeNumber(query, 'wait', { otherwise: 0, min: 0, max: longestWait }, problems);
  return async (request) => {
    const page = await readOrWait(wait * 1000, request);
    const body = await changesEnvelope(page, request.operation.shape, request.caller.context);
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  };
};

/** Reads a page of the feed. If it is empty, waits for a change. */
async function readOrWait(ms: number, { operation, variables, caller }: OperationRequest): Promise<ChangePage> {
  const { context, whileWaiting } = caller;
  const read = async (since: object = {}): Promise<ChangePage> =>
    (await runOperation(operation, { ...variables, ...since }, context)) as ChangePage;
  if (ms === 0 || !whileWaiting) return read();
  return whileWaiting(ms, async (ended, checkAccess) => {
    let page = await read();
    if (page.nodes.length > 0) return page;
    const changes = await watchChanges(context, resources);
    const stop = (): void => void changes.return?.();
    ended.addEventListener('abort', stop);
    checkAccess(); // it may have ended before this process listened
    try {
      for (;;) {
        page = await read({ since: page.cursor });
        if (page.nodes.length > 0 || ended.aborted || (await changes.next()).done) return page;
      }
    } finally {
      stop();
    }
  });
}

/** The resources that are read at a time. */
const batchSize = 50;
/** And where so many are too large for one response. Then one by one. */
const smallBatch = 10;
/** A page ends early beyond this length, so that a page of large invoices takes little memory. In characters. */
const pageLength = 4 * 1024 * 1024;

/**
 * A page of the feed (CONTRACT.md#change-feed). It may have fewer changes than were read.
 * @param shape of the page's changes
 * @returns JSON
 */
async function changesEnvelope(page: ChangePage, shape: Selection, context: Context): Promise<string> {
  const execution = startExecution(context);
  const renderers = buildRenderers(page, context);
  const write = async (change: Change): Promise<string> => {
    const data = await readData(change, renderers);
    // The resource may have been deleted since the page was read.
    const written = await shape.write([{ ...change, deleted: data === null }], execution);
    const entry = `${written.slice(1, -2)},"data":${data}}`;
    execution.responseSize.write(entry.length);
    return entry;
  };
  const entries: string[] = [];
  let length = 0;
  let size = batchSize;
  while (entries.length < page.nodes.length && length < pageLength) {
    const changes = page.nodes.slice(entries.length, entries.length + size);
    const batch = await writeBatch(changes, write, execution.responseSize);
    // Too large for one answer: the page ends before it, or has as many of its changes as fit.
    if (!batch && entries.length > 0) break;
    if (!batch) size = size > smallBatch ? smallBatch : 1;
    entries.push(...(batch ?? []));
    length = (batch ?? []).reduce((sum, entry) => sum + entry.length, length);
  }
  execution.responseSize.write(length);
  const isWhole = entries.length === page.nodes.length;
  const cursor = isWhole ? page.cursor : page.nodes[entries.length - 1]?.cursor;
  const meta = JSON.stringify({ cursor, has_more: page.hasMore || !isWhole });
  return `{"data":[${entries.join(',')}],"meta":${meta}}`;
}

/** @returns undefined if they are too large together */
async function writeBatch(
  changes: readonly Change[],
  write: (change: Change) => Promise<string>,
  responseSize: ResponseSize,
): Promise<string[] | undefined> {
  responseSize.unlimit();
  if (changes.length > 1) responseSize.limit();
  const written = await Promise.allSettled(changes.map(write));
  const failed = written.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
  const isTooLarge = responseSize.error instanceof AnswerTooLargeError;
  responseSize.unlimit();
  if (isTooLarge) return undefined;
  if (failed) throw failed.reason;
  return written.map((each) => (each as PromiseFulfilledResult<string>).value);
}

type Renderers = ReadonlyMap<ResourceName, RenderPayload>;

/** Builds the renderers of the page's resources, one for each kind. */
function buildRenderers({ nodes }: ChangePage, context: Context): Renderers {
  const names = new Set(nodes.map(({ resource }) => resource));
  return new Map(
    resources
      .filter((resource) => names.has(resourceName(resource)))
      .map((resource) => [resourceName(resource), createPayloadRenderer(context, resource)]),
  );
}

/** The resource as GET answers it, as JSON; null if it is deleted. */
async function readData({ resource, id, deleted }: Change, renderers: Renderers): Promise<string | null> {
  const render = renderers.get(resource);
  if (deleted || !render) return null;
  try {
    return await render(id);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
