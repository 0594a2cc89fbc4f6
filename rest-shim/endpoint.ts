import { getNamedType, getNullableType, GraphQLBoolean, GraphQLString, isListType, type GraphQLSchema } from 'graphql';
import type { IRequestStrict } from 'itty-router';
import type { Context } from '../schema/graphql/context.ts';
import {
  ForbiddenError,
  NotFoundError,
  Problems,
  ValidationError,
  VersionConflictError,
  type FieldProblems,
} from '../schema/errors/errors.ts';
import { isUuid } from '../schema/graphql/scalars/scalars.ts';
import { tracer } from '../schema/graphql/execution/tracing.ts';
import { parseExpectedVersion } from './entity-tag.ts';
import { readBody, TransportError } from './request-body.ts';
import { deprecationHeaders } from './deprecation.ts';
import { isPlainVariable } from './list-paging.ts';
import { findErrors, runOperation, type Operation, type Parameter, type Values } from './operation.ts';
import { preconditionFailed } from './resource-response.ts';
import { responseKinds } from './response-kinds.ts';
import type { PublicAddress, Respond, RestRequestContext } from './rest-request.ts';
import { idsIn, type Route } from './routes.ts';
import { hasKeys, toRestPath } from './naming.ts';

export interface CompiledSchema {
  schema: GraphQLSchema;
  operations: ReadonlyMap<string, Operation>;
}

export type Handler = (request: IRequestStrict, caller: RestRequestContext) => Promise<Response>;

export interface EndpointOptions {
  /** The path that the routes' paths are relative to. */
  base: string;
  publicAddress: PublicAddress;
  /** The operation that GET runs for the resource of this path, to look its id up. */
  lookupOperation: string | undefined;
}

export function findOperation(operations: CompiledSchema['operations'], name: string): Operation {
  const operation = operations.get(name);
  if (!operation) throw new Error(`rest-shim/routes.ts: there is no operation ${name}`);
  return operation;
}

/**
 * Handles one row of the routes: request → variables → operation → response. The order of checks is id, ability, the body's
 * type and length, and everything else (DECISIONS.md#d2-order-of-checks).
 */
export function endpoint(
  route: Route,
  { operations }: Pick<CompiledSchema, 'operations'>,
  { base, publicAddress, lookupOperation }: EndpointOptions,
): Handler {
  const [method, path, name, responseKind] = route;
  if (responseKind === 'batch' || responseKind === 'upload' || responseKind === 'upload-file')
    throw new Error(`${path} has a handler of its own`);
  const operation = findOperation(operations, name);
  const lookup = operations.get(lookupOperation ?? '');
  const deprecations = deprecationHeaders(operation);
  const kind = responseKinds[responseKind];
  const isConditional = operation.parameters.has('expected_version');
  const ids = idsIn(path);
  const filters =
    method === 'GET'
      ? [...operation.parameters].filter(
          ([restName, { name: variable }]) => isPlainVariable(variable) && !ids.includes(restName),
        )
      : [];
  const readsQuery = filters.length > 0 || 'readParameters' in kind;
  const keyed = new Set(filters.filter(([, { type }]) => hasKeys(getNamedType(type))).map(([restName]) => restName));
  const parameters = new Set([
    ...filters.map(([restName]) => (keyed.has(restName) ? `${restName}[]` : restName)),
    ...('parameters' in kind ? kind.parameters : []),
  ]);
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';

  /** Reads the operation's variables into `variables`. @throws ValidationError for all that are wrong */
  const readRequest = async (
    request: IRequestStrict,
    variables: Values,
    { context, beforeParsing }: RestRequestContext,
  ): Promise<Respond> => {
    const problems = new Problems();
    const ifMatch = isConditional ? request.headers.get('if-match') : null;
    if (ifMatch !== null) variables['expectedVersion'] = parseExpectedVersion(ifMatch);
    if (isStrict(request)) refuseUnknown(new URL(request.url).searchParams, parameters, problems);
    const query = readsQuery ? new URL(request.url).searchParams : noParameters;
    const respond = 'respond' in kind ? kind.respond : kind.readParameters(query, variables, problems);
    if (filters.length > 0 && query.size > 0) readFilters(query, operation, filters, keyed, variables, problems);
    if (hasBody) {
      const body = await readBody(request, problems, { isOptional: operation.isBodyOptional, beforeParsing });
      if (body) Object.assign(variables, operation.decodeBody(body, problems));
    }
    if (problems.any) await throwAllErrors(operation, variables, context, problems);
    return respond;
  };

  return async (request, caller) => {
    const { context } = caller;
    const { id } = request.params;
    const variables: Values = {};
    for (const restName of ids) {
      const value = request.params[restName];
      if (!isUuid(value)) throw new NotFoundError();
      variables[operation.parameters.get(restName)?.name ?? restName] = value;
    }
    try {
      if (operation.ability && !context.may(operation.ability)) throw new ForbiddenError(operation.ability);
      if (caller.refusal !== undefined) throw caller.refusal;
      const respond = await readRequest(request, variables, caller);
      const ifNoneMatch = method === 'GET' ? request.headers.get('if-none-match') : null;
      const { url } = request;
      const asked = { operation, variables, caller, ifNoneMatch, url, path: base + path, publicAddress };
      const { status, headers, body } = await tracer.step(name, () => respond(asked)).catch(rethrowInRestNames);
      if (deprecations) Object.assign(headers, deprecations(variables));
      if (isStrict(request)) headers['Preference-Applied'] = 'handling=strict';
      const isHead = request.method === 'HEAD' && body instanceof ReadableStream; // nothing is read for it
      if (isHead) await body.cancel();
      return new Response(isHead ? null : body, { status, headers });
    } catch (error) {
      if (id === undefined || !lookup) throw error;
      await throwIfMissing(lookup, id, context, error);
      if (error instanceof VersionConflictError && mayRun(lookup, context))
        throw await preconditionFailed(lookup, id, context);
      throw error;
    }
  };
}

/** Query parameters are texts. */
const booleans = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * A 404 takes precedence over 403, 413, 415, and 422, so the id is looked up only when one of those would be returned.
 * @throws NotFoundError
 */
export async function throwIfMissing(lookup: Operation, id: string, context: Context, refusal: unknown): Promise<void> {
  if ([ForbiddenError, TransportError, ValidationError].some((type) => refusal instanceof type))
    await runOperation(lookup, { id }, unlimited(context));
}

const noParameters = new URLSearchParams();

const mayRun = ({ ability }: Operation, { may }: Context): boolean => ability === undefined || may(ability);

/** For a resource that is answered although the request doesn't read it. */
const unlimited = (context: Context): Context => ({ ...context, may: () => true });

/** Whether a client asks that what the service doesn't know be refused: `Prefer: handling=strict` (RFC 7240, 4.4). */
export function isStrict({ headers }: Pick<Request, 'headers'>): boolean {
  const prefer = headers.get('prefer');
  return prefer !== null && /(?:^|,)\s*handling\s*=\s*"?strict"?\s*(?:[;,]|$)/i.test(prefer);
}

export function refuseUnknown(query: URLSearchParams, parameters: ReadonlySet<string>, problems: Problems): void {
  for (const name of query.keys())
    if (!parameters.has(withoutKey(name))) problems.add(name, 'unknown_field', 'This parameter is not known here.');
}

/**
 * If a filter appears twice, the last value wins, as in PHP. An empty text filters nothing. A list is repeated or separated by
 * commas. Unknown parameters are ignored, unless the client prefers otherwise.
 * @param keyed the names of those that are sent as `name[key]`
 */
function readFilters(
  query: URLSearchParams,
  { places }: Operation,
  filters: readonly [restName: string, Parameter][],
  keyed: ReadonlySet<string>,
  variables: Values,
  problems: Problems,
): void {
  for (const [restName, { name, type, decode }] of filters) {
    if (keyed.has(restName)) {
      const pairs = readPairs(query, restName);
      if (pairs) variables[name] = pairs;
      continue;
    }
    const texts = query.getAll(restName);
    if (texts.length === 0) continue;
    const isFilter = getNullableType(type) === GraphQLString && places.get(name)?.path.startsWith('filter.');
    const last = isFilter ? texts.at(-1)?.trim() : texts.at(-1);
    if (isFilter && last === '') continue; // as if it weren't there
    const given = getNamedType(type) === GraphQLBoolean ? (booleans.get(last ?? '') ?? last) : last;
    const value = isListType(getNullableType(type)) ? texts.flatMap((text) => text.split(',')) : given;
    variables[name] = decode(value, problems, restName);
  }
}

/** `metadata[]` of `metadata[key]`. A key may have brackets itself. */
const withoutKey = (name: string): string =>
  name.includes('[') && name.endsWith(']') ? `${name.slice(0, name.indexOf('['))}[]` : name;

/** The pairs of `metadata[key]=value`; undefined where there are none. Of the same key, the last value wins. */
function readPairs(query: URLSearchParams, restName: string): Record<string, string> | undefined {
  // Without a prototype, because a key is a client's text, which may be __proto__.
  const pairs = Object.create(null) as Record<string, string>;
  for (const [parameter, value] of query) {
    if (!parameter.startsWith(`${restName}[`) || !parameter.endsWith(']')) continue;
    pairs[parameter.slice(restName.length + 1, -1)] = value;
  }
  return Object.keys(pairs).length > 0 ? pairs : undefined;
}

/** Adds the domain's validation errors to those found here, so that all are answered at once. */
export async function throwAllErrors(
  operation: Operation,
  variables: Values,
  context: Context,
  problems: Problems,
): Promise<never> {
  if (problems.isFull) throw new ValidationError(problems.byField);
  const found = await findErrors(operation, variables, context);
  const all = new Problems();
  const byField = { ...inRestNames(found.byField), ...problems.byField };
  for (const [path, ofField] of Object.entries(byField)) for (const problem of ofField) all.add(path, ...problem);
  throw new ValidationError(all.byField);
}

export function rethrowInRestNames(error: unknown): never {
  throw error instanceof ValidationError ? new ValidationError(inRestNames(error.problems)) : error;
}

const inRestNames = (problems: FieldProblems): FieldProblems =>
  Object.fromEntries(Object.entries(problems).map(([path, ofField]) => [toRestPath(path), ofField]));
