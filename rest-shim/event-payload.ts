import type { EventResource, RenderPayload } from '../schema/context.ts';
import { withPrefetchedRow, type DelegateName } from '../schema/rows/prefetched-row.ts';
import type { CompiledSchema } from './endpoint.ts';
import { runOperation, type Operation } from './operation.ts';

const camel = (resource: EventResource): string =>
  resource.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/** The operation that answers GET for one of these resources. */
export function getOperationOf({ operations }: Pick<CompiledSchema, 'operations'>, resource: EventResource): Operation {
  const name = `get${resource[0]?.toUpperCase()}${camel(resource).slice(1)}`;
  const operation = operations.get(name);
  if (!operation) throw new Error(`There is no operation ${name}`);
  return operation;
}

/** Renders event payloads: REST's representation of a resource, through the operation that answers GET. */
export const createPayloadRenderer =
  (domain: CompiledSchema): RenderPayload =>
  async (resource, id, context, known) => {
    const operation = getOperationOf(domain, resource);
    const db = known ? withPrefetchedRow(context.db, camel(resource) as DelegateName, known) : context.db;
    // The payload goes to the webhook, not to the caller: the caller's abilities don't apply.
    const asked = { ...context, db, may: () => true };
    return operation.shape.write(await runOperation(operation, { id }, asked), asked);
  };
