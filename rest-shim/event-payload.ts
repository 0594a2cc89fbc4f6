import type { Context } from '../schema/graphql/context.ts';
import type { EventResource } from '../schema/resources.ts';
import { startExecution } from '../schema/graphql/execution/compile-selection.ts';
import { findById } from '../schema/graphql/find-by-id.ts';
import type { CompiledSchema } from './endpoint.ts';
import type { Operation } from './operation.ts';

/** The operation that answers GET for one of these resources. */
export function findGetOperation(
  { operations }: Pick<CompiledSchema, 'operations'>,
  { model }: EventResource,
): Operation {
  const operation = operations.get(`get${model}`);
  if (!operation) throw new Error(`There is no operation get${model}`);
  return operation;
}

/** Renders event payloads: REST's representation of a resource, as the operation that answers GET selects it. */
export const createPayloadRenderer =
  (domain: CompiledSchema): Context['payloadRenderer'] =>
  (resource, context) => {
    const { shape, query } = findGetOperation(domain, resource);
    // The payload goes to the webhook, not to the caller: the caller's abilities don't apply.
    // Nor is it part of the response.
    const unlimited = { ...context, may: () => true, responseSize: undefined };
    const selected = query(unlimited);
    const execution = startExecution(unlimited);
    return async (id, known) =>
      shape.write(await findById(unlimited, resource.model, known ?? id, selected), execution);
  };
