import type { EventResource, RenderPayload } from '../schema/context.ts';
import { withPrefetchedRow, type DelegateName } from '../schema/rows/prefetched-row.ts';
import type { Domain } from './endpoint.ts';
import { run, type Operation } from './operation.ts';

const camel = (resource: EventResource): string =>
  resource.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/** The operation that answers GET for one of these. */
export function readerOf({ operations }: Pick<Domain, 'operations'>, resource: EventResource): Operation {
  const name = `get${resource[0]?.toUpperCase()}${camel(resource).slice(1)}`;
  const operation = operations.get(name);
  if (!operation) throw new Error(`There is no operation ${name}`);
  return operation;
}

/** REST's own representation of a resource, for events: through the operation that answers GET. */
export const createRepresent =
  (domain: Domain): RenderPayload =>
  async (resource, id, context, known) => {
    const operation = readerOf(domain, resource);
    const db = known ? withPrefetchedRow(context.db, camel(resource) as DelegateName, known) : context.db;
    // What the event says isn't the caller's to read, but the webhook's.
    const asked = { ...context, db, may: () => true };
    return operation.shape.write(await run(operation, { id }, asked), asked);
  };
