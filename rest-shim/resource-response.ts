import { startExecution } from '../schema/graphql/execution/compile-selection.ts';
import { writeMember } from '../schema/graphql/execution/json-serializer.ts';
import type { Context } from '../schema/graphql/context.ts';
import { representation, type NewlyInserted } from '../schema/rows/insert-new.ts';
import { entityTag, matchesTag } from './entity-tag.ts';
import { jsonResponse } from './exact-json.ts';
import { runOperation, type Operation } from './operation.ts';
import type { Respond } from './rest-request.ts';

/** 200 with the resource, or 304 for the version that the client has. */
export const respondItem: Respond = async ({ operation, run, context, ifNoneMatch }) => {
  const row = await run();
  const { text, tag } = represent(row, await operation.shape.write(row, startExecution(context)));
  if (matchesTag(ifNoneMatch, tag)) return new Response(null, { status: 304, headers: { ETag: tag } });
  return jsonResponse(await envelope(text, operation, row, context), 200, { ETag: tag });
};

/** 201 with the resource and its Location. */
export const respondCreated: Respond = async ({ operation, run, context, url, at }) => {
  const row = (await run()) as NewlyInserted<{ id: string }>;
  const written = row[representation] ?? (await operation.shape.write(row, startExecution(context)));
  const { text, tag } = represent(row, written);
  const body = await envelope(text, operation, row, context);
  return jsonResponse(body, 201, { Location: url(`${at}/${row.id}`).href, ETag: tag });
};

/** 204 without a body. */
export const respondDeleted: Respond = async ({ run }) => {
  await run();
  return new Response(null, { status: 204 });
};

/** An If-Match names another version than the resource has. It is answered with the resource as it is now. */
export class PreconditionFailedError extends Error {
  /** The resource, as JSON. */
  readonly data: string;
  readonly tag: string;

  constructor({ text, tag }: Representation) {
    super('This was changed meanwhile: `data` is what it is now.');
    this.data = text;
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
  return new PreconditionFailedError(represent(row, await lookup.shape.write(row, startExecution(context))));
}

interface Representation {
  /** JSON. */
  text: string;
  tag: string;
}

const represent = (row: unknown, text: string): Representation => ({
  text,
  tag: entityTag((row as { version?: number }).version, text),
});

/** The body with one resource, and with the warnings about it, if the operation has any. */
async function envelope(data: string, { warnings }: Operation, row: unknown, context: Context): Promise<string> {
  if (!warnings) return `{"data":${data}}`;
  return `{"data":${data},"warnings":${await writeMember(warnings, row, startExecution(context))}}`;
}
