import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { stringifyJson } from '../../../rest-shim/exact-json.ts';
import type { Values } from '../../../rest-shim/operation.ts';
import type { PublicAddress } from '../../../rest-shim/rest-request.ts';
import { toErrorResponse } from '../../../rest-shim/router.ts';
import { Problems } from '../../../schema/errors/errors.ts';
import {
  idempotencyKeyHeader,
  readIdempotencyKey,
  sha256,
  type IdempotencyHandler,
} from '../../security/idempotency/idempotency.ts';
import type { AdmittedRequest } from '../auth/request-admission.ts';
import type { GraphqlHandler } from '../graphql/handler.ts';
import { executeOnce } from '../graphql/idempotent-graphql.ts';
import type { RequestLog } from '../http/request-log.ts';
import { placeholderHostname } from '../http/responses.ts';
import type { RestResponder, Surroundings } from '../http/rest-handler.ts';
import { toRestRequest } from './tool-request.ts';
import { fromGraphql, fromRest } from './tool-result.ts';
import type { AnyTool, GraphqlTool } from './tools.ts';

/** A message of MCP that was admitted. */
export interface McpCall extends Surroundings {
  admitted: AdmittedRequest;
  /** The arguments of a tool's call, with exact numbers. */
  args: Values;
  /** Aborted when the client leaves. */
  left: AbortSignal;
}

export interface CallToolOptions {
  respondRest: RestResponder;
  graphqlHandler: GraphqlHandler;
  idempotent: IdempotencyHandler;
  requestLog: RequestLog;
  publicAddress: PublicAddress;
}

/** Calls a tool: what the request to REST or GraphQL would be answered. It was admitted and counted with its message. */
export async function callTool(tool: AnyTool, call: McpCall, options: CallToolOptions): Promise<CallToolResult> {
  const { requestId } = call.admitted;
  const { inputSchema, annotations } = tool.tool;
  const isRead = annotations?.readOnlyHint === true;
  const sizeArgument = ['per_page', 'limit'].find((name) => name in (inputSchema.properties ?? {}));
  const { url } = options.publicAddress;
  const asked = { isRead, sizeArgument, requestId, address: `${url}/graphql` };
  try {
    if (tool.api === 'graphql') return await fromGraphql(await respondGraphql(tool, call, options), asked);
    const request = toRestRequest(tool, call.args, call.left);
    const response = await respondRest(request, call, options);
    const { pathname, search } = new URL(request.url);
    return await fromRest(response, { ...asked, address: url + pathname + search });
  } catch (error) {
    const report = (err: unknown): void => options.requestLog.error(call.response, err);
    return fromRest(toErrorResponse(error, undefined, { requestId, report }), asked);
  }
}

async function respondRest(request: Request, call: McpCall, options: CallToolOptions): Promise<Response> {
  const readOwnKey = (): string | undefined => readKey(request.method, request.headers.get(idempotencyKeyHeader));
  return options.respondRest(request, readOwnKey, call.admitted, call);
}

/** @throws ValidationError */
const readKey = (method: string, key: string | null): string | undefined =>
  readIdempotencyKey({ method, headersDistinct: key === null ? {} : { [idempotencyKeyHeader.toLowerCase()]: [key] } });

/**
 * As REST does. An idempotencyKey that is left out, say, would let a mutation be done twice.
 * @throws ValidationError
 */
function refuseUnknown(args: Values, { inputSchema }: Tool): void {
  const problems = new Problems();
  for (const name of Object.keys(args))
    if (!Object.hasOwn(inputSchema.properties ?? {}, name))
      problems.add(name, 'unknown_field', 'This argument is not known here.');
  problems.throwIfAny();
}

/** Which arguments GraphQL takes, by its own names. */
const graphqlNames = { query: 'query', variables: 'variables', operation_name: 'operationName' };

async function respondGraphql(
  { method, tool }: GraphqlTool,
  call: McpCall,
  options: CallToolOptions,
): Promise<Response> {
  const { args, admitted } = call;
  refuseUnknown(args, tool);
  admitted.context.responseSize?.limit({ reads: true, values: true });
  const url = new URL(`http://${placeholderHostname}/graphql`);
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const named = Object.entries(graphqlNames).filter(([argument]) => args[argument] != null);
  if (method === 'GET') {
    for (const [argument, name] of named) {
      const value = args[argument];
      url.searchParams.set(name, typeof value === 'string' ? value : stringifyJson(value));
    }
    return options.graphqlHandler.fetch(url.href, { method, headers: { accept: headers.accept } }, admitted);
  }
  const params = Object.fromEntries(named.map(([argument, name]) => [name, args[argument]]));
  const body = stringifyJson(params);
  const { idempotency_key: given = null } = args;
  const key = readKey(method, given === null || typeof given === 'string' ? given : '');
  const init = { method, headers, body };
  if (key === undefined) return options.graphqlHandler.fetch(url.href, init, admitted);
  const post = { url: url.href, init, hash: sha256(body), params };
  return executeOnce(options.graphqlHandler, options.idempotent, post, { ...admitted, key });
}
