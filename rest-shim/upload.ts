import type { IRequestStrict } from 'itty-router';
import { CodedError, ForbiddenError, Problems, ValidationError } from '../schema/errors/errors.ts';
import type { Context } from '../schema/graphql/context.ts';
import { isUuid } from '../schema/graphql/scalars/scalars.ts';
import type { UploadedFile } from '../schema/graphql/input/uploaded-file.ts';
import { discardStored, storeUpload } from '../schema/resources/attachment/files.ts';
import { maxAttachmentBytes } from '../schema/resources/attachment/rules.ts';
import { base } from './base.ts';
import { findOperation, isStrict, refuseUnknown, rethrowInRestNames, throwIfMissing } from './endpoint.ts';
import type { CompiledSchema, EndpointOptions, Handler } from './endpoint.ts';
import { findErrors, type Operation, type Values } from './operation.ts';
import { tooLong, TransportError } from './request-body.ts';
import { respondCreated } from './resource-response.ts';
import { idsIn, routes, type Route } from './routes.ts';

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

/** The variable that has the body. Each other one is an id of the path, or a parameter of the query. */
const bodyName = 'body';

/** The rules for a kind of long bodies. */
interface UploadKind {
  maxBytes: number;
  /** @throws TransportError */
  checkType: (headers: Headers) => void;
  /** Stores the file before the request's transaction begins. */
  store?: (context: Context, file: UploadedFile) => Promise<void>;
}

const kinds: Partial<Record<Route[3], UploadKind>> = {
  upload: { maxBytes: maxUploadBytes, checkType: requireJsonLines },
  'upload-file': {
    maxBytes: maxAttachmentBytes,
    checkType: () => {}, // the content says it
    store: async (context, file) => {
      file.stored = await storeUpload(context, file, bodyName);
    },
  },
};

/** The paths of uploads, with any method: most requests need no closer look. */
export const uploadPath = new RegExp(
  `^${base}(?:${routes.flatMap(([, path, , kind]) => (kinds[kind] ? path.replaceAll(/:\w+/g, '[^/]+') : [])).join('|')})/*$`,
);

/** A request whose body is uploaded: its operation, and the ids of its path. */
export interface Upload extends UploadKind {
  operation: Operation;
  /** The operation that GET runs for the resource of the path. */
  lookup: Operation | undefined;
  ids: Readonly<Record<string, string>>;
}

/** Finds what is uploaded by a request to `POST /api/v1/bulk-operations`, say. */
export type FindUpload = (method: string, pathname: string) => Upload | undefined;

export function createFindUpload({ operations }: Pick<CompiledSchema, 'operations'>): FindUpload {
  const uploads = routes.flatMap(([method, path, name, kind]) => {
    const rules = kinds[kind];
    if (!rules) return [];
    const pattern = new RegExp(`^${base}${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}(?:/+)?$`);
    const [resource] = /^.*\/:id/.exec(path) ?? [];
    const reading = routes.find(([other, at]) => other === 'GET' && at === resource)?.[2];
    const lookup = reading === undefined ? undefined : operations.get(reading);
    return [{ method, pattern, rules, lookup, operation: findOperation(operations, name) }];
  });
  return (method, pathname) => {
    for (const { method: ofRoute, pattern, rules, lookup, operation } of uploads) {
      const match = ofRoute === method ? pattern.exec(pathname) : null;
      const ids = { ...match?.groups };
      if (match && Object.values(ids).every((id) => isUuid(id))) return { ...rules, operation, lookup, ids };
    }
    return undefined;
  };
}

/** Whether the same request was handled before: see unlessRepeated(). */
export type IsRepeated = () => Promise<boolean>;

/**
 * Ignores a refusal of a request that was handled before, and whose response is only repeated: it may be refused for what it has
 * done itself.
 */
const unlessRepeated =
  (isRepeated: IsRepeated) =>
  async (error: unknown): Promise<void> => {
    if (!(await isRepeated())) throw error;
  };

/** Checks a request before its body is received: the ability, the body's type and length, and the parameters. */
export async function checkUpload(
  { operation, lookup, ids, maxBytes, checkType }: Upload,
  request: Pick<Request, 'url' | 'headers'>,
  context: Context,
  isRepeated: IsRepeated,
): Promise<void> {
  try {
    if (operation.ability && !context.may(operation.ability)) throw new ForbiddenError(operation.ability);
    checkType(request.headers);
    if (request.headers.has('content-encoding')) throw new TransportError(415, 'The body must not be compressed.');
    if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLong(maxBytes);
    await readVariables(operation, ids, request, context).catch(unlessRepeated(isRepeated));
  } catch (error) {
    if (ids['id'] !== undefined && lookup) await throwIfMissing(lookup, ids['id'], context, error);
    throw error;
  }
}

/** @returns the variables that ids and parameters are */
async function readVariables(
  operation: Operation,
  ids: Upload['ids'],
  request: Pick<Request, 'url' | 'headers'>,
  context: Context,
): Promise<Values> {
  const query = new URL(request.url).searchParams;
  const problems = new Problems();
  const parameters = [...operation.parameters].filter(
    ([restName]) => restName !== bodyName && !Object.hasOwn(ids, restName),
  );
  if (isStrict(request)) refuseUnknown(query, new Set(parameters.map(([restName]) => restName)), problems);
  const variables: Values = {};
  for (const [restName, id] of Object.entries(ids))
    variables[operation.parameters.get(restName)?.name ?? restName] = id;
  for (const [restName, { name, decode }] of parameters) {
    const value = query.getAll(restName).at(-1);
    if (value !== undefined) variables[name] = decode(value, problems, restName);
  }
  const { byField } = await findErrors(operation, variables, context);
  const { [bodyName]: _notYet, ...others } = { ...byField, ...problems.byField };
  if (Object.keys(others).length > 0) throw new ValidationError(others);
  return variables;
}

function requireJsonLines(headers: Headers): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)/.exec(parameter)?.[1]).find(Boolean);
  if (!jsonLines.some((each) => each === type.trim()) || (charset ?? 'utf-8') !== 'utf-8')
    throw new TransportError(415, `The body must be ${jsonLines.join(' or ')}, in UTF-8.`);
}

/** Stores what was received, if it is of a kind that is stored, so that no transaction waits for that. */
export async function storeReceived(
  { store }: Upload,
  context: Context,
  { file }: ReceivedUpload,
  isRepeated: IsRepeated,
): Promise<void> {
  await store?.(context, file).catch(rethrowInRestNames).catch(unlessRepeated(isRepeated));
}

/**
 * Deletes what was stored for nothing: the request was refused, or had been done before.
 * @param response its response; none where it isn't known what became of it
 */
export async function discardUnused(context: Context, { file }: ReceivedUpload, response: Response): Promise<void> {
  const { status, headers } = response;
  if (file.stored && ((status >= 400 && status < 500) || headers.has('idempotent-replayed')))
    await discardStored(context, file.stored).catch(() => {}); // a job does it later
}

/** Handles a row of the routes whose body is a file, and whose parameters are in the query. The body was received before. */
export function uploadEndpoint(
  [, path, , kind]: Route,
  { operations }: Pick<CompiledSchema, 'operations'>,
  { publicAddress }: EndpointOptions,
): Handler {
  const findUpload = createFindUpload({ operations });
  return async (request: IRequestStrict, caller) => {
    const upload = findUpload(request.method, new URL(request.url).pathname);
    if (!upload) throw new CodedError('NOT_FOUND', 'Not found.');
    const { operation, ids } = upload;
    if (!kinds[kind] || !caller.upload) throw new TransportError(415, 'This address takes no body here.');
    const variables = await readVariables(operation, ids, request, caller.context);
    variables[bodyName] = caller.upload.file;
    const asked = {
      operation,
      variables,
      caller,
      ifNoneMatch: null,
      url: request.url,
      path: base + idsIn(path).reduce((whole, name) => whole.replace(`:${name}`, ids[name] ?? ''), path),
      publicAddress,
    };
    const { status, headers, body } = await respondCreated(asked).catch(rethrowInRestNames);
    if (isStrict(request)) headers['Preference-Applied'] = 'handling=strict';
    return new Response(body as string, { status, headers });
  };
}
