import type { Represent } from '../schema/context.ts';
import type { Domain } from './endpoint.ts';
import { run } from './operation.ts';

/** REST's own representation of a resource, for events: through the operation that answers GET. */
export const createRepresent =
  ({ schema, operations }: Domain): Represent =>
  async (resource, id, context) => {
    const name = `get${resource.replace(/(^|_)([a-z])/g, (_match, _start, letter: string) => letter.toUpperCase())}`;
    const operation = operations.get(name);
    if (!operation) throw new Error(`There is no operation ${name}`);
    // What the event says isn't the caller's to read, but the webhook's.
    const value = await run(schema, operation, { id }, { ...context, may: () => true });
    return JSON.stringify(operation.shape.encode(value));
  };
