import type { GraphQLSchema } from 'graphql';
import type { Context } from '../schema/context.ts';
import { ForbiddenError, NotFoundError, Problems, ValidationError, type FieldErrors } from '../schema/errors.ts';
import { isUuid } from '../schema/scalars/scalars.ts';
import { traced } from '../schema/execution/tracing.ts';
import { readBody, TransportError } from './body.ts';
import { deprecationHeaders } from './deprecation.ts';
import { envelope, pageVariables, readList, readPage, variablesOf, type Page } from './envelope.ts';
import { jsonResponse } from './json.ts';
import { findFaults, run, type Operation } from './operation.ts';
import type { Answer, Route } from './routes.ts';
import { restPath } from './translate.ts';

export interface Domain {
  schema: GraphQLSchema;
  operations: Map<string, Operation>;
}

type Handler = (request: Request, params: { id?: string }, context: Context) => Promise<Response>;

export interface Surroundings {
  /** The path that the routes' paths are relative to. */
  base: string;
  publicUrl: () => string;
  /** The operation that reads what stands at the row's path. */
  reading: string | undefined;
}

/**
 * One row of the routes at work: request → variables → operation → answer.
 * Checks in the order decided: id, ability, the body's type and length, everything else.
 */
export function endpoint(
  route: Route,
  { operations }: Pick<Domain, 'operations'>,
  { base, publicUrl, reading }: Surroundings,
): Handler {
  const [method, path, name, answer] = route;
  const operation = operations.get(name);
  if (!operation) throw new Error(`rest-shim/routes.ts: there is no operation ${name}`);

  const deprecations = deprecationHeaders(operation);
  const resolve = answer === 'created' ? operation.resolveForId : operation.resolve;

  const handle: Handler = async (request, { id }, context) => {
    if (operation.ability && !context.may(operation.ability)) throw new ForbiddenError(operation.ability);

    const { pathname, search, searchParams } = new URL(request.url);
    const problems = new Problems();
    const variables: Record<string, unknown> = id === undefined ? {} : { id };
    const page = answer === 'page' ? readPage(searchParams, problems) : undefined;
    if (page) Object.assign(variables, variablesOf(page));
    if (method === 'GET') readFilters(searchParams, operation, variables, problems);
    if (method === 'POST' || method === 'PATCH') {
      const body = await readBody(request, problems);
      if (body) variables['input'] = operation.parameters.get('input')?.decode(body, problems, '');
    }

    if (problems.any) await refuseAll(operation, variables, context, problems);
    const place = { page, url: (to = pathname + search) => new URL(to, publicUrl()), at: base + path };
    const response = await traced(name, async () => {
      const result = await run(operation, variables, context, resolve);
      return respond(answer, operation, result, context, place);
    }).catch(inRestNames);
    for (const [header, value] of deprecations(variables)) response.headers.set(header, value);
    return response;
  };

  const lookup = operations.get(reading ?? '');
  return async (request, { id }, context) => {
    if (id === undefined) return handle(request, {}, context);
    if (!isUuid(id)) throw new NotFoundError();
    return handle(request, { id }, context).catch(async (error: unknown) => {
      // An unknown id comes first too, but only costs a look where there is something to come before.
      if (lookup && (error instanceof ForbiddenError || error instanceof TransportError))
        await run(lookup, { id }, { ...context, may: () => true });
      throw error;
    });
  };
}

const notFilters = new Set<string>(['id', 'input', ...pageVariables]);

/** A filter sent twice counts as sent last, as in PHP; parameters that the operation doesn't have are ignored. */
function readFilters(
  query: URLSearchParams,
  operation: Operation,
  variables: Record<string, unknown>,
  problems: Problems,
): void {
  for (const [restName, { name, decode }] of operation.parameters) {
    const text = query.getAll(restName).at(-1);
    if (text !== undefined && !notFilters.has(name)) variables[name] = decode(text, problems, restName);
  }
}

/** Adds what the domain finds wrong to what was found here, so that all of it is answered at once. */
async function refuseAll(
  operation: Operation,
  variables: Record<string, unknown>,
  context: Context,
  problems: Problems,
): Promise<never> {
  const faults = await findFaults(operation, variables, context);
  throw new ValidationError({ ...restErrors(faults.errors), ...problems.errors });
}

function inRestNames(error: unknown): never {
  throw error instanceof ValidationError ? new ValidationError(restErrors(error.errors)) : error;
}

const restErrors = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([path, messages]) => [restPath(path), messages]));

interface Place {
  page: Page | undefined;
  /** An address of this service, absolute; the request's own unless another is given. */
  url: (to?: string) => URL;
  /** The collection's path. */
  at: string;
}

async function respond(
  answer: Answer,
  { shape, whole }: Operation,
  result: unknown,
  context: Context,
  { page, url, at }: Place,
): Promise<Response> {
  switch (answer) {
    case 'item':
      return jsonResponse(`{"data":${await shape.write(result, context)}}`);
    case 'created': {
      const { id } = result as { id: string };
      // Represented once for both: 0.83 of the CPU time of creating an invoice, HTTP and database left out.
      const rendered = context.lastPayload.last;
      if (rendered?.id !== id) throw new Error('A creation is answered with the payload of its event');
      return jsonResponse(`{"data":${rendered.text}}`, 201, { Location: url(`${at}/${id}`).href });
    }
    case 'page': {
      if (!page) throw new Error('A page is answered where one was asked for');
      return jsonResponse(envelope(await readList(whole, result, context), page, url()));
    }
    case 'deleted':
      return new Response(null, { status: 204 });
  }
}
