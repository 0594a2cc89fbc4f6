import type { CallToolResult } from '@modelcontextprotocol/server';
import { statusByCode } from '../../../rest-shim/router.ts';
import { hasData } from '../graphql/error-response.ts';

/** The longest result of a tool, in bytes of its text. What a model can't read whole is of no use to it. */
export const maxResultBytes = 100_000;

/** The domain's code of a status; of several, the first. */
const codeByStatus = new Map(
  Object.entries(statusByCode)
    .toReversed()
    .map(([code, status]) => [status, code]),
);

export interface Asked {
  /** Whether nothing was changed, so that a result that is too long can be refused. */
  isRead: boolean;
  /** The argument that makes an answer shorter, if there is one. */
  sizeArgument: string | undefined;
  /** The public address of what was asked for. */
  address: string;
  requestId: string;
}

const inResult = (body: object, isError: boolean): CallToolResult => asText(JSON.stringify(body), isError);

const asText = (json: string, isError: boolean): CallToolResult => ({
  content: [{ type: 'text', text: json }],
  structuredContent: JSON.parse(json) as Record<string, unknown>,
  ...(isError && { isError }),
});

/** REST's response as the result of a tool: its body; of an error, with status and code; of a resource, with its tag. */
export async function fromRest(response: Response, asked: Asked): Promise<CallToolResult> {
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  if (status < 400 && status !== 204 && !/^application\/json(;|$)/.test(type)) return fromFile(response, asked);
  const body = await response.text();
  if (body === '') return inResult({ status, message: 'Done.' }, false);
  const isError = status >= 400;
  const [tag, wait] = [headers.get('etag'), headers.get('retry-after')];
  const added = {
    ...(isError && { status, code: codeByStatus.get(status) ?? 'BAD_REQUEST' }),
    ...(tag !== null && { etag: tag }),
    ...(wait !== null && { retry_after: Number(wait) }),
  };
  const text = Object.keys(added).length > 0 ? `${JSON.stringify(added).slice(0, -1)},${body.slice(1)}` : body;
  if (Buffer.byteLength(text) <= maxResultBytes) return asText(text, isError);
  const answer = JSON.parse(body) as RestAnswer;
  if (!isError) return tooLong(asked, status, whatRestWrote(answer));
  const { message, details, results } = answer;
  const short = shortenTexts({
    ...added,
    message,
    details: details?.slice(0, maxDetails),
    request_id: asked.requestId,
  });
  return asShort(
    [{ ...short, results: results?.map(shortenItem) }, { ...short, results: results?.map(toStatus) }, short],
    true,
  );
}

/** The first of the bodies that is short enough, else the last. */
function asShort(bodies: readonly object[], isError: boolean): CallToolResult {
  const texts = bodies.map((body) => JSON.stringify(body));
  return asText(texts.find((text) => Buffer.byteLength(text) <= maxResultBytes) ?? texts.at(-1) ?? '{}', isError);
}

interface Written {
  /** How many items of a batch were refused, in words. */
  refused?: string | undefined;
  /** The ids of what was written, by which each resource can be read: from the most that is said to the least. */
  ids: readonly object[];
}

/** A result that is too long: refused if nothing was changed; else the least that says what was done. */
function tooLong(
  { isRead, sizeArgument, requestId }: Asked,
  status: number,
  { refused, ids }: Written,
): CallToolResult {
  const limit = `more than ${maxResultBytes} bytes`;
  if (isRead) {
    const less = sizeArgument ? `by a smaller ${sizeArgument} or by filters` : 'by fields, in graphql_query';
    const message = `The answer has ${limit}. Ask for less: ${less}.`;
    const field = sizeArgument ?? 'id';
    const details = [{ field, code: 'answer_too_large', message, params: {} }];
    const refusal = { status: 422, code: 'ANSWER_TOO_LARGE', message, errors: { [field]: [message] }, details };
    return inResult({ ...refusal, request_id: requestId }, true);
  }
  const message = `${refused ?? 'Done.'} The answer has ${limit} and is left out.`;
  return asShort(
    [...ids, {}].map((each) => ({ status, message, ...each })),
    false,
  );
}

interface BatchItem {
  status: number;
  data?: { id?: string } | undefined;
  message?: string;
}

interface RestAnswer {
  data?: { id?: string };
  results?: BatchItem[];
  message?: string;
  details?: unknown[];
}

/** The ids of a resource, or of a batch's resources. An item that was refused has its problems, or the first of them. */
function whatRestWrote({ data, results }: RestAnswer): Written {
  if (!results) return { ids: [data?.id === undefined ? {} : { data: { id: data.id } }] };
  const refused = results.filter(({ status }) => status >= 400).length;
  return {
    refused: refused === 0 ? undefined : `${refused} of ${results.length} items were refused.`,
    ids: [toIds, shortenItem, toStatus].map((shortened) => ({ results: results.map(shortened) })),
  };
}

const toIds = ({ data, ...others }: BatchItem): object => ({ ...others, ...toStatus({ ...others, data }) });

const toStatus = ({ status, data }: BatchItem): object => ({ status, ...(data?.id !== undefined && { id: data.id }) });

const shortenItem = (item: BatchItem): object => ({
  ...toStatus(item),
  ...(item.message !== undefined && { message: shorten(item.message) }),
});

/** A file: in the result, or as its address. Of one that is too long, no more is read than it takes to know that. */
async function fromFile(response: Response, { address }: Asked): Promise<CallToolResult> {
  const [mimeType = '', ...parameters] = (response.headers.get('content-type') ?? 'application/octet-stream').split(
    ';',
  );
  const isText = /^text\/|[/+]xml$/.test(mimeType) && !/charset=(?!utf-8)/i.test(parameters.join(';'));
  // Base64 writes three bytes as four.
  const bytes = await readUpTo(isText ? maxResultBytes : Math.floor(maxResultBytes / 4) * 3, response);
  const name = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'file';
  if (bytes) {
    const content = isText ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') };
    const resource = { uri: address, mimeType, ...content };
    return { content: [{ type: 'resource', resource: resource as { uri: string; mimeType: string; text: string } }] };
  }
  const description = 'Too long for a result. Download it, with the same token.';
  const length = response.headers.get('content-length');
  const size = length === null ? {} : { size: Number(length) };
  return { content: [{ type: 'resource_link', uri: address, name, mimeType, description, ...size }] };
}

/** A body of at most so many bytes; undefined for a longer one, whose rest is never read: a file may have gigabytes. */
async function readUpTo(maxBytes: number, { headers, body }: Response): Promise<Buffer | undefined> {
  if (Number(headers.get('content-length')) > maxBytes) {
    await body?.cancel();
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return undefined; // which cancels the body
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** GraphQL's response as the result of a tool. */
export async function fromGraphql(response: Response, asked: Asked): Promise<CallToolResult> {
  const text = await response.text();
  if (!text.startsWith('{')) return inResult({ status: response.status, message: text.slice(0, 1000) }, true);
  const { data, errors } = JSON.parse(text) as GraphqlBody;
  const isError = errors !== undefined && !hasData(data);
  if (Buffer.byteLength(text) <= maxResultBytes) return asText(text, isError);
  const short = errors && { errors: errors.slice(0, maxErrors).map(shortenError) };
  return isError
    ? inResult({ data: null, ...short }, true)
    : tooLong(asked, response.status, { ids: [{ ...idsOfFields(data), ...short }] });
}

interface GraphqlError {
  message: string;
  path?: unknown;
  extensions?: { code?: string; details?: unknown[]; requestId?: string };
}

interface GraphqlBody {
  data?: Record<string, unknown> | null;
  errors?: GraphqlError[];
}

/** The errors that a result names which is too long with all of them, and the problems of fields that each of them names. */
const [maxErrors, maxDetails] = [3, 5];
/** The longest text of such an error. */
const maxText = 300;

const shorten = (value: unknown): unknown =>
  typeof value === 'string' && value.length > maxText ? `${value.slice(0, maxText)}…` : value;

function shortenError({ message, path, extensions: { code, details, requestId } = {} }: GraphqlError): object {
  const short = details?.slice(0, maxDetails);
  return shortenTexts({ message, path, extensions: { code, requestId, details: short } });
}

/** An object whose texts are short. */
const shortenTexts = (value: object): object =>
  JSON.parse(JSON.stringify(value, (_, each: unknown) => shorten(each))) as object;

/** The ids of the objects that a document's fields have answered. */
function idsOfFields(data: GraphqlBody['data']): object {
  const written = Object.entries(data ?? {}).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && 'id' in value ? [[name, { id: value.id }]] : [],
  );
  return written.length > 0 ? { data: Object.fromEntries(written) as object } : {};
}
