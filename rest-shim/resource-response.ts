import { startExecution } from '../schema/graphql/execution/compile-selection.ts';
import { writeMember } from '../schema/graphql/execution/json-serializer.ts';
import type { Context } from '../schema/graphql/context.ts';
import { representation, type NewlyInserted } from '../schema/rows/insert-new.ts';
import { entityTag, matchesTag } from './entity-tag.ts';
import { runOperation, type Operation } from './operation.ts';
import type { Respond } from './rest-request.ts';

/** 200 with the resource, or 304 for the version that the client has. */
export const respondItem: Respond = async ({ operation, variables, caller: { context }, ifNoneMatch }) => {
  const row = await runOperation(operation, variables, context);
  const data = await operation.shape.write(row, startExecution(context));
  const tag = entityTag((row as Versioned).version, data);
  if (ifNoneMatch !== null && matchesTag(ifNoneMatch, tag)) return { status: 304, headers: { ETag: tag }, body: null };
  const warnings = operation.warnings && (await writeMember(operation.warnings, row, startExecution(context)));
  return { status: 200, headers: { ...json, ETag: tag }, body: envelope(data, warnings) };
};

/** 201 with the resource and its Location. */
export const respondCreated: Respond = async ({ operation, variables, caller: { context }, path, publicAddress }) => {
  const row = (await runOperation(operation, variables, context)) as NewlyInserted<Versioned & { id: string }>;
  const data = row[representation] ?? (await operation.shape.write(row, startExecution(context)));
  const warnings = operation.warnings && (await writeMember(operation.warnings, row, startExecution(context)));
  const { href } = new URL(`${path}/${row.id}`, publicAddress.url);
  const headers = { ...json, Location: href, ETag: entityTag(row.version, data) };
  return { status: 201, headers, body: envelope(data, warnings) };
};

/** 204 without a body. */
export const respondDeleted: Respond = async ({ operation, variables, caller: { context } }) => {
  await runOperation(operation, variables, context);
  return { status: 204, headers: {}, body: null };
};

const envelope = (data: string, warnings: string | undefined): string =>
  warnings === undefined ? `{"data":${data}}` : `{"data":${data},"warnings":${warnings}}`;

const json = { 'content-type': 'application/json' };

/** A resource without a version changes with nothing but its body. */
interface Versioned {
  version?: number;
}

/** An If-Match names another version than the resource has. It is answered with the resource as it is now. */
export class PreconditionFailedError extends Error {
  /** The resource, as JSON. */
  readonly data: string;
  readonly tag: string;

  constructor(data: string, tag: string) {
    super('This was changed meanwhile: `data` is what it is now.');
    this.data = data;
    this.tag = tag;
  }
}

/** @param lookup the operation that GET runs for the resource */
export async function preconditionFailed(
  lookup: Operation,
  id: string,
  context: Context,
): Promise<PreconditionFailedError> {
  const row = await runOperation(lookup, { id }, context);
  const data = await lookup.shape.write(row, startExecution(context));
  return new PreconditionFailedError(data, entityTag((row as Versioned).version, data));
}
