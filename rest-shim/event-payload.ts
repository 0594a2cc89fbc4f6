import type { EventResource, RenderPayload } from '../schema/context.ts';
import { findById, type DelegateName } from '../schema/rows/find-by-id.ts';
import type { CompiledSchema } from './endpoint.ts';
import type { Operation } from './operation.ts';

const camel = (resource: EventResource): string =>
  resource.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/** The operation that answers GET for one of these resources. */
export function getOperationOf({ operations }: Pick<CompiledSchema, 'operations'>, resource: EventResource): Operation {
  const name = `get${resource[0]?.toUpperCase()}${camel(resource).slice(1)}`;
  const operation = operations.get(name);
  if (!operation) throw new Error(`There is no operation ${name}`);
  return operation;
}

/** Renders event payloads: REST's representation of a resource, as the operation that answers GET selects it. */
export const createPayloadRenderer =
  (domain: CompiledSchema): RenderPayload =>
  async (resource, id, context, known) => {
    const { shape, query } = getOperationOf(domain, resource);
    // The payload goes to the webhook, not to the caller: the caller's abilities don't apply.
    const unlimited = { ...context, may: () => true };
    return shape.write(
      await findById(unlimited, camel(resource) as DelegateName, known ?? id, query(unlimited)),
      unlimited,
    );
  };
