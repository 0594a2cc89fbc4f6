import type { IRequestStrict } from 'itty-router';
import { ForbiddenError, Problems, ValidationError } from '../schema/errors.ts';
import type { Context } from '../schema/graphql/context.ts';
import type { UploadedFile } from '../schema/graphql/input/uploaded-file.ts';
import { base } from './base.ts';
import { findOperation, isStrict, refuseUnknown, rethrowInRestNames } from './endpoint.ts';
import type { CompiledSchema, EndpointOptions, Handler } from './endpoint.ts';
import { findErrors, type Operation, type Values } from './operation.ts';
import { tooLong, TransportError } from './request-body.ts';
import { respondCreated } from './resource-response.ts';
import { routes, type Route } from './routes.ts';

/** The longest body of JSON Lines, in bytes. */
export const maxUploadBytes = 200 * 1024 * 1024;

/** The media types of JSON Lines. */
export const jsonLines = ['application/jsonl', 'application/x-ndjson'] as const;

/** A body that has arrived. It is on disk, because it is too long for memory. */
export interface ReceivedUpload {
  file: UploadedFile;
  /** SHA-256 of the body. */
  hash: Uint8Array;
  discard: () => Promise<void>;
}

/** The variable that has the body. Each other one is a parameter of the query. */
const bodyName = 'body';

/** The operations whose body is uploaded, by method and path: `POST /api/v1/bulk-operations`. */
export function listUploads({ operations }: Pick<CompiledSchema, 'operations'>): Map<string, Operation> {
  const uploads = routes.filter(([, , , kind]) => kind === 'upload');
  return new Map(uploads.map(([method, path, name]) => [`${method} ${base}${path}`, findOperation(operations, name)]));
}

/**
 * Checks a request before its body is received: the ability, the body's type and length, and the parameters.
 * @returns the variables that the parameters are
 */
export async function checkUpload(
  operation: Operation,
  request: Pick<Request, 'url' | 'headers'>,
  context: Context,
): Promise<Values> {
  if (operation.ability && !context.may(operation.ability)) throw new ForbiddenError(operation.ability);
  checkHead(request.headers);
  const query = new URL(request.url).searchParams;
  const problems = new Problems();
  const parameters = [...operation.parameters].filter(([restName]) => restName !== bodyName);
  if (isStrict(request)) refuseUnknown(query, new Set(parameters.map(([restName]) => restName)), problems);
  const variables: Values = {};
  for (const [restName, { name, decode }] of parameters) {
    const value = query.getAll(restName).at(-1);
    if (value !== undefined) variables[name] = decode(value, problems, restName);
  }
  const { byField } = await findErrors(operation, variables, context);
  const { [bodyName]: _notYet, ...others } = { ...byField, ...problems.byField };
  if (Object.keys(others).length > 0) throw new ValidationError(others);
  return variables;
}

/** @throws TransportError */
function checkHead(headers: Headers): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)/.exec(parameter)?.[1]).find(Boolean);
  if (!jsonLines.some((each) => each === type.trim()) || (charset ?? 'utf-8') !== 'utf-8')
    throw new TransportError(415, `The body must be ${jsonLines.join(' or ')}, in UTF-8.`);
  if (headers.has('content-encoding')) throw new TransportError(415, 'The body must not be compressed.');
  if (Number(headers.get('content-length') ?? 0) > maxUploadBytes) throw tooLong(maxUploadBytes);
}

/** Handles a row of the routes whose body is a file of JSON Lines, and whose parameters are in the query. */
export function uploadEndpoint(
  [, path, name]: Route,
  { operations }: Pick<CompiledSchema, 'operations'>,
  { publicAddress }: EndpointOptions,
): Handler {
  const operation = findOperation(operations, name);
  return async (request, caller) => {
    const variables = await checkUpload(operation, request, caller.context);
    const received = caller.upload ?? (await receive(request, caller.receiveUpload));
    try {
      variables[bodyName] = received.file;
      const asked = {
        operation,
        variables,
        caller,
        ifNoneMatch: null,
        url: request.url,
        path: base + path,
        publicAddress,
      };
      const { status, headers, body } = await respondCreated(asked).catch(rethrowInRestNames);
      if (isStrict(request)) headers['Preference-Applied'] = 'handling=strict';
      return new Response(body as string, { status, headers });
    } finally {
      if (!caller.upload) await received.discard();
    }
  };
}

async function receive(
  request: IRequestStrict,
  receiveUpload: ((body: AsyncIterable<Uint8Array>) => Promise<ReceivedUpload>) | undefined,
): Promise<ReceivedUpload> {
  if (!receiveUpload) throw new TransportError(415, 'This address takes no body here.');
  return receiveUpload(request.body ?? noBody());
}

async function* noBody(): AsyncGenerator<Uint8Array> {}
