import { getNullableType, isListType, type GraphQLSchema } from 'graphql';
import type { Context } from '../schema/graphql/context.ts';
import {
  ForbiddenError,
  NotFoundError,
  Problems,
  ValidationError,
  VersionConflictError,
  type FieldErrors,
} from '../schema/errors.ts';
import { isUuid } from '../schema/graphql/scalars/scalars.ts';
import { traced } from '../schema/graphql/execution/tracing.ts';
import { parseExpectedVersion } from './entity-tag.ts';
import { readBody, TransportError } from './request-body.ts';
import { deprecationHeaders } from './deprecation.ts';
import { isPlainVariable } from './list-paging.ts';
import { findErrors, runOperation, type Operation } from './operation.ts';
import { preconditionFailed } from './resource-response.ts';
import { responseKinds } from './response-kinds.ts';
import type { RestRequestContext } from './rest-request.ts';
import type { Route } from './routes.ts';
import { toRestPath } from './naming.ts';

export interface CompiledSchema {
  schema: GraphQLSchema;
  operations: Map<string, Operation>;
}

type Handler = (request: Request, params: { id?: string }, caller: RestRequestContext) => Promise<Response>;

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
  const [method, path, name, responseKind] = route;
  const operation = operations.get(name);
  if (!operation) throw new Error(`rest-shim/routes.ts: there is no operation ${name}`);

  const deprecations = deprecationHeaders(operation);
  const readParameters = responseKinds[responseKind];
  const isConditional = operation.parameters.has('expected_version');

  const handle: Handler = async (request, { id }, { context, beforeParsing, whileWaiting }) => {
    if (operation.ability && !context.may(operation.ability)) throw new ForbiddenError(operation.ability);

    const { pathname, search, searchParams } = new URL(request.url);
    const problems = new Problems();
    const variables: Record<string, unknown> = id === undefined ? {} : { id };
    const ifMatch = request.headers.get('if-match');
    if (ifMatch !== null && isConditional) variables['expectedVersion'] = parseExpectedVersion(ifMatch);
    const respond = readParameters(searchParams, variables, problems);
    if (method === 'GET') readFilters(searchParams, operation, variables, problems);
    if (method === 'POST' || method === 'PATCH') {
      const body = await readBody(request, problems, { isOptional: operation.isBodyOptional, beforeParsing });
      if (body) Object.assign(variables, operation.decodeBody(body, problems));
    }

    if (problems.any) await throwAllErrors(operation, variables, context, problems);
    const response = await traced(name, () =>
      respond({
        operation,
        run: (more) => runOperation(operation, { ...variables, ...more }, context),
        context,
        whileWaiting,
        ifNoneMatch: method === 'GET' ? request.headers.get('if-none-match') : null,
        url: (to = pathname + search) => new URL(to, publicUrl()),
        at: base + path,
      }),
    ).catch(rethrowInRestNames);
    for (const [header, value] of deprecations(variables)) response.headers.set(header, value);
    return response;
  };

  const lookup = operations.get(lookupOperation ?? '');
  return async (request, { id }, caller) => {
    if (id === undefined) return handle(request, {}, caller);
    const { context } = caller;
    if (!isUuid(id)) throw new NotFoundError();
    return handle(request, { id }, caller).catch(async (error: unknown) => {
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

function rethrowInRestNames(error: unknown): never {
  throw error instanceof ValidationError ? new ValidationError(restErrors(error.errors)) : error;
}

const restErrors = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([path, messages]) => [toRestPath(path), messages]));
