import { getNullableType, isListType, type GraphQLSchema } from 'graphql';
import type { Context } from '../schema/graphql/context.ts';
import { representation, type NewlyInserted } from '../schema/rows/insert-new.ts';
import {
  AnswerTooLargeError,
  ForbiddenError,
  NotFoundError,
  Problems,
  refuse,
  ValidationError,
  VersionConflictError,
  type FieldErrors,
} from '../schema/errors.ts';
import { isUuid } from '../schema/graphql/scalars/scalars.ts';
import { startExecution, writerOf } from '../schema/graphql/execution/compile-selection.ts';
import { traced } from '../schema/graphql/execution/tracing.ts';
import type { ChangePage } from '../schema/changes/feed.ts';
import type { DocumentFile } from '../schema/documents/document-file.ts';
import { changesEnvelope, readOrWait, readWait } from './change-feed.ts';
import { entityTag, expectedVersionOf, matchesTag } from './entity-tag.ts';
import { fileResponse } from './file-response.ts';
import { readBody, TransportError, type BeforeParsing } from './request-body.ts';
import { deprecationHeaders } from './deprecation.ts';
import { listEnvelope, readList, readPage, pagingVariables, type Page } from './list-envelope.ts';
import { isPlainVariable } from './list-paging.ts';
import { jsonResponse } from './exact-json.ts';
import { findErrors, runOperation, type Operation } from './operation.ts';
import type { ResponseKind, Route } from './routes.ts';
import { toRestPath } from './naming.ts';

export interface CompiledSchema {
  schema: GraphQLSchema;
  operations: Map<string, Operation>;
}

type Handler = (
  request: Request,
  params: { id?: string },
  context: Context,
  beforeParsing?: BeforeParsing,
) => Promise<Response>;

export interface EndpointOptions {
  /** The path that the routes' paths are relative to. */
  base: string;
  publicUrl: () => string;
  /** The operation that GET runs for the resource of this path, to look its id up. */
  lookupOperation: string | undefined;
}

/**
 * Handles one row of the routes: request → variables → operation → response. The order of checks is id, ability, the body's
 * type and length, and everything else (DECISIONS.md#d2-order-of-checks).
 */
export function endpoint(
  route: Route,
  { operations }: Pick<CompiledSchema, 'operations'>,
  { base, publicUrl, lookupOperation }: EndpointOptions,
): Handler {
  const [method, path, name, answer] = route;
  const operation = operations.get(name);
  if (!operation) throw new Error(`rest-shim/routes.ts: there is no operation ${name}`);

  const deprecations = deprecationHeaders(operation);
  const isConditional = operation.parameters.has('expected_version');

  const handle: Handler = async (request, { id }, context, beforeParsing) => {
    if (operation.ability && !context.may(operation.ability)) throw new ForbiddenError(operation.ability);

    const { pathname, search, searchParams } = new URL(request.url);
    const problems = new Problems();
    const variables: Record<string, unknown> = id === undefined ? {} : { id };
    const ifMatch = request.headers.get('if-match');
    if (ifMatch !== null && isConditional) variables['expectedVersion'] = expectedVersionOf(ifMatch);
    const page = answer === 'page' ? readPage(searchParams, problems) : undefined;
    if (page) Object.assign(variables, pagingVariables(page));
    const wait = answer === 'changes' ? readWait(searchParams, problems) : 0;
    if (method === 'GET') readFilters(searchParams, operation, variables, problems);
    if (method === 'POST' || method === 'PATCH') {
      const body = await readBody(request, problems, { isOptional: operation.isBodyOptional, beforeParsing });
      if (body) Object.assign(variables, operation.decodeBody(body, problems));
    }

    if (problems.any) await throwAllErrors(operation, variables, context, problems);
    // A single row is always answered, so that a client can read every list to its end.
    if (page && page.perPage > 1) context.answer?.limit();
    const ifNoneMatch = method === 'GET' ? request.headers.get('if-none-match') : null;
    const place = { page, ifNoneMatch, url: (to = pathname + search) => new URL(to, publicUrl()), at: base + path };
    const response = await traced(name, async () => {
      const run = (more?: object): Promise<unknown> => runOperation(operation, { ...variables, ...more }, context);
      const read = async (since?: string): Promise<ChangePage> =>
        (await run({ ...(since !== undefined && { since }) })) as ChangePage;
      const result = answer === 'changes' ? await readOrWait(read, wait, context, request.signal) : await run();
      return respond(answer, operation, result, context, place);
    }).catch((error: unknown) => rethrowInRestNames(error, page));
    for (const [header, value] of deprecations(variables)) response.headers.set(header, value);
    return response;
  };

  const lookup = operations.get(lookupOperation ?? '');
  return async (request, { id }, context, beforeParsing) => {
    if (id === undefined) return handle(request, {}, context, beforeParsing);
    if (!isUuid(id)) throw new NotFoundError();
    return handle(request, { id }, context, beforeParsing).catch(async (error: unknown) => {
      // A 404 takes precedence over 403, 413, 415, and 422, so the id is looked up only when one of those would be returned.
      if (lookup && [ForbiddenError, TransportError, ValidationError].some((kind) => error instanceof kind))
        await runOperation(lookup, { id }, unlimited(context));
      if (lookup && error instanceof VersionConflictError)
        throw mayRun(lookup, context) ? await preconditionFailed(lookup, id, context) : error;
      throw error;
    });
  };
}

const mayRun = ({ ability }: Operation, { may }: Context): boolean => ability === undefined || may(ability);

/** For a resource that is answered although the request doesn't read it. */
const unlimited = (context: Context): Context => ({ ...context, may: () => true });

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

async function preconditionFailed(lookup: Operation, id: string, context: Context): Promise<PreconditionFailedError> {
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

/**
 * If a filter appears twice, the last value wins, as in PHP. A list is repeated or separated by commas. Parameters that the
 * operation doesn't have are ignored.
 */
function readFilters(
  query: URLSearchParams,
  operation: Operation,
  variables: Record<string, unknown>,
  problems: Problems,
): void {
  for (const [restName, { name, type, decode }] of operation.parameters) {
    const texts = query.getAll(restName);
    const value = isListType(getNullableType(type)) ? texts.flatMap((text) => text.split(',')) : texts.at(-1);
    if (texts.length > 0 && isPlainVariable(name)) variables[name] = decode(value, problems, restName);
  }
}

/** Adds the domain's validation errors to those found here, so that all are answered at once. */
async function throwAllErrors(
  operation: Operation,
  variables: Record<string, unknown>,
  context: Context,
  problems: Problems,
): Promise<never> {
  if (problems.isFull) throw new ValidationError(problems.errors);
  const found = await findErrors(operation, variables, context);
  const all = new Problems();
  const errors = { ...restErrors(found.errors), ...problems.errors };
  for (const [path, messages] of Object.entries(errors)) for (const message of messages) all.add(path, message);
  throw new ValidationError(all.errors);
}

function rethrowInRestNames(error: unknown, page: Page | undefined): never {
  if (error instanceof AnswerTooLargeError && page) refuse('per_page', error.message);
  throw error instanceof ValidationError ? new ValidationError(restErrors(error.errors)) : error;
}

const restErrors = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([path, messages]) => [toRestPath(path), messages]));

/** The body with one resource, and with the warnings about it, if the operation has any. */
async function envelope(data: string, { warnings }: Operation, result: unknown, context: Context): Promise<string> {
  if (!warnings) return `{"data":${data}}`;
  return `{"data":${data},"warnings":${await writerOf(warnings)(result, startExecution(context))}}`;
}

interface ResponseLocation {
  page: Page | undefined;
  /** The header of a GET. */
  ifNoneMatch: string | null;
  /** An address of this service, absolute; the request's own unless another is given. */
  url: (to?: string) => URL;
  /** The collection's path. */
  at: string;
}

async function respond(
  answer: ResponseKind,
  operation: Operation,
  result: unknown,
  context: Context,
  { page, ifNoneMatch, url, at }: ResponseLocation,
): Promise<Response> {
  const { shape, listShape } = operation;
  switch (answer) {
    case 'item': {
      const { text, tag } = represent(result, await shape.write(result, startExecution(context)));
      if (matchesTag(ifNoneMatch, tag)) return new Response(null, { status: 304, headers: { ETag: tag } });
      return jsonResponse(await envelope(text, operation, result, context), 200, { ETag: tag });
    }
    case 'created': {
      const created = result as NewlyInserted<{ id: string }>;
      const written = created[representation] ?? (await shape.write(result, startExecution(context)));
      const { text, tag } = represent(created, written);
      const body = await envelope(text, operation, result, context);
      return jsonResponse(body, 201, { Location: url(`${at}/${created.id}`).href, ETag: tag });
    }
    case 'page': {
      if (!page) throw new Error('A page is answered where one was asked for');
      const text = listEnvelope(await readList(listShape, result, context), page, url());
      context.answer?.completeText(text);
      return jsonResponse(text);
    }
    case 'changes':
      return jsonResponse(await changesEnvelope(result as ChangePage, shape, context));
    case 'file':
      context.answer?.write((result as DocumentFile).bytes.length);
      return fileResponse(result as DocumentFile, ifNoneMatch);
    case 'deleted':
      return new Response(null, { status: 204 });
  }
}
