import type { IncomingMessage } from 'node:http';
import { readStreamBytes } from '../../../rest-shim/request-body.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import type { ErrorCode } from '../../../schema/errors/errors.ts';
import { importLimits } from '../../../schema/bank-statements/import-statement.ts';
import { hasData } from './error-response.ts';
import type { GraphqlHandler, GraphqlRequest } from './handler.ts';
import {
  chooseReplayPolicyOfStatus,
  sha256,
  type IdempotencyHandler,
  type ReplayPolicy,
} from '../../security/idempotency/idempotency.ts';
import type { WaitForTurn } from '../http/body-turns.ts';
import { refuseOtherText } from './body.ts';
import { fetchable } from './fetchable.ts';
import { isForm, type Form } from '../http/multipart.ts';
import type { SentResponse } from '../../security/idempotency/stored-responses.ts';

/** A request's body: bytes, or a form. */
interface Body {
  hash: Uint8Array<ArrayBuffer>;
  bytes?: Buffer<ArrayBuffer>;
  form?: Form;
}

/**
 * Executes a GraphQL POST with an idempotency key once. A document with several mutations is then executed as a whole or not
 * at all.
 * @throws TransportError where the body is too long, broke off, or is no text; CodedError as IdempotencyHandler says
 */
export async function handleIdempotentGraphql(
  handler: GraphqlHandler,
  handleOnce: IdempotencyHandler,
  request: IncomingMessage,
  { key, bodyTurns, context, ...graphqlRequest }: GraphqlRequest & { key: string; bodyTurns: WaitForTurn },
): Promise<Response> {
  const respond = ({ hash, bytes, form }: Body): Promise<Response> => {
    const { url, init } = fetchable(request);
    const params = form?.params ?? readParams(request, bytes);
    const document = { url, init: { ...init, ...(bytes && { body: bytes }) }, hash, params, ...(form && { form }) };
    return executeOnce(handler, handleOnce, document, { key, context, ...graphqlRequest });
  };
  if (isForm(request.headers['content-type']))
    return handler.receive(request, { context, ...graphqlRequest }, (form) => respond({ hash: form.hash, form }));
  const bytes = await readStreamBytes(request.iterator({ destroyOnReturn: false }));
  refuseOtherText(bytes);
  await graphqlRequest.confirmAccess();
  await bodyTurns(context, bytes.length);
  return respond({ hash: sha256(bytes), bytes });
}

/** A POST whose body was read. */
export interface ReadPost {
  url: string;
  init: RequestInit;
  /** The hash by which requests with the same key are compared. */
  hash: Uint8Array<ArrayBuffer>;
  params: unknown;
  form?: Form;
}

/** Executes a POST once. */
export async function executeOnce(
  handler: GraphqlHandler,
  handleOnce: IdempotencyHandler,
  { url, init, hash, params, form }: ReadPost,
  { key, context, ...graphqlRequest }: GraphqlRequest & { key: string },
): Promise<Response> {
  const handle = async (inside: Context, isRetried: boolean): Promise<Response> =>
    handler.fetch(url, init, { ...graphqlRequest, context: inside, isRetried, ...(form && { form }) });
  // Yoga refuses it. A stored response may be another token's, which could send this document.
  if (!(await handler.admitsDocument(params, context))) return handle(context, false);
  const { requestId } = graphqlRequest;
  return handleOnce({ method: 'POST', path: '/graphql', key, body: hash, requestId }, context, {
    handle: (inside) => handle(inside, true),
    replayPolicyOf: chooseReplayPolicy,
    ...(form && { limits: importLimits }),
  });
}

/** The parameters in a body; undefined for one that names no trusted document. */
function readParams({ headers }: IncomingMessage, bytes = Buffer.alloc(0)): unknown {
  const [type] = (headers['content-type'] ?? '').toLowerCase().split(';', 1);
  if (type === 'application/x-www-form-urlencoded')
    return Object.fromEntries(new URLSearchParams(bytes.toString('latin1')));
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** Codes of trusted-documents.ts. Clients that meet one send the request again, with another body. */
type DocumentCode = 'PERSISTED_QUERY_NOT_FOUND' | 'PERSISTED_QUERY_ID_REQUIRED';

const repeatable = new Set<ErrorCode | DocumentCode>([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'VERSION_CONFLICT',
  'RATE_LIMITED',
  'UNAVAILABLE',
  'INTERNAL_SERVER_ERROR',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_ID_REQUIRED',
]);

/** The replay policy of a GraphQL response. Without data nothing was done, and the error codes decide, as REST's statuses do. */
function chooseReplayPolicy(response: SentResponse): ReplayPolicy {
  const { data, errors = [] } = JSON.parse(response.body) as {
    data?: object | null;
    errors?: { extensions?: { code?: ErrorCode | DocumentCode } }[];
  };
  if (data && (errors.length === 0 || hasData(data))) return 'done';
  const codes = errors.map(({ extensions }) => extensions?.code);
  if (codes.some((code) => code !== undefined && repeatable.has(code))) return 'repeatable';
  const policy = chooseReplayPolicyOfStatus(response);
  return policy === 'done' ? 'refused' : policy;
}
