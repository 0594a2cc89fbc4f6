import type { EventResource, Represent } from '../schema/context.ts';
import type { Domain } from './endpoint.ts';
import { run, type Operation } from './operation.ts';

/** The operation that answers GET for one of these. */
export function readerOf({ operations }: Pick<Domain, 'operations'>, resource: EventResource): Operation {
  const name = `get${resource.replace(/(^|_)([a-z])/g, (_match, _start, letter: string) => letter.toUpperCase())}`;
  const operation = operations.get(name);
  if (!operation) throw new Error(`There is no operation ${name}`);
  return operation;
}

/** REST's own representation of a resource, for events: through the operation that answers GET. */
export const createRepresent =
  (domain: Domain): Represent =>
  async (resource, id, context) => {
    const operation = readerOf(domain, resource);
    // What the event says isn't the caller's to read, but the webhook's.
    const value = await run(domain.schema, operation, { id }, { ...context, may: () => true });
    return JSON.stringify(operation.shape.encode(value));
  };
